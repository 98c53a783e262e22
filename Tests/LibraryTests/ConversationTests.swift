import Earshot
import EarshotTesting
import Testing

/// The conversations and people of a room, as a bot sees and changes them.
struct ConversationTests {
    /// A room in which two have met.
    private struct Pair {
        let network: SimulatedNetwork
        let ada: Room
        let bob: Room

        init(seed: UInt64) async throws {
            network = try SimulatedNetwork(seed: seed)
            ada = try await network.join("lobby", as: "ada")
            bob = try await network.join("lobby", as: "bob")
            try await network.run(for: .seconds(5))
        }
    }

    @Test func `Typing is shown, and ends by itself or when it is taken back`() async throws {
        let pair = try await Pair(seed: 21)
        let shown = {
            await pair.bob.events.next { if case .typing(let who, _, let isOn) = $0 { (who, isOn) } else { nil } }
        }
        await pair.ada.setTyping(true)
        let (first, isOn) = try #require(await shown())
        #expect(first.nickname == "ada" && isOn)
        var begin = pair.network.elapsed
        await pair.ada.setTyping(false)
        #expect(await shown()?.1 == false)
        #expect(pair.network.elapsed - begin < .seconds(1))
        await pair.ada.setTyping(true)
        #expect(await shown()?.1 == true)
        begin = pair.network.elapsed
        #expect(await shown()?.1 == false)
        #expect(pair.network.elapsed - begin > .seconds(4))
    }

    @Test func `Typing in a direct conversation is seen by its person alone`() async throws {
        let pair = try await Pair(seed: 22)
        let eve = try await pair.network.join("lobby", as: "eve")
        try await pair.network.run(for: .seconds(5))
        let conversation = try await converse(pair)
        await conversation.setTyping(true)
        let place = await pair.bob.events.next { if case .typing(_, let place, true) = $0 { place } else { nil } }
        #expect(place?.person?.nickname == "ada")
        try await pair.network.run(for: .seconds(5))
        try await pair.network.join("lobby", as: "stop") { room in try await room.send("stop") }
        let seen = await eve.events.next { event in
            switch event {
            case .typing: true
            case .message: false
            default: nil
            }
        }
        #expect(seen == false)
    }

    @Test func `A reaction is counted, and can be taken back`() async throws {
        let pair = try await Pair(seed: 23)
        let message = try await pair.ada.send("tea?")
        #expect(message.reactions.isEmpty)
        let heard = try #require(
            await pair.bob.events.next { if case .message(let message) = $0 { message } else { nil } })
        try await heard.react(with: "👍")
        try await heard.react(with: "🎉")
        try await message.react(with: "👍")
        try await pair.network.run(for: .seconds(5))
        let both = try #require(await pair.ada.messages.first).reactions
        #expect(both.map(\.emoji) == ["👍", "🎉"])
        #expect(both.map(\.count) == [2, 1])
        #expect(both.map(\.isFromCurrentUser) == [true, false])
        try await heard.removeReaction("👍")
        try await pair.network.run(for: .seconds(5))
        let fewer = try #require(await pair.ada.messages.first).reactions
        #expect(Set(fewer.map(\.emoji)) == ["👍", "🎉"] && fewer.allSatisfy { $0.count == 1 })
        try await heard.removeReaction()
        try await message.removeReaction()
        try await pair.network.run(for: .seconds(5))
        #expect(try #require(await pair.ada.messages.first).reactions.isEmpty)
        let error = await #expect(throws: SendError.self) { try await heard.removeReaction("no emoji") }
        #expect(error?.reason == .invalidEmoji)
    }

    @Test func `A message from an outage is missed, and one from before is not`() async throws {
        let network = try SimulatedNetwork(seed: 24)
        let ada = try await network.join("lobby", as: "ada")
        try await ada.send("before")
        let bob = try await network.join("lobby", as: "bob")
        try await network.run(for: .seconds(5))
        await network.partition([ada], [bob])
        try await network.run(for: .seconds(300))
        try await ada.send("meanwhile")
        try await network.run(for: .seconds(300))
        await network.heal()
        try await network.run(for: .seconds(300))
        try await ada.send("after")
        try await network.run(for: .seconds(5))
        let messages = await bob.messages
        #expect(messages.map(\.text) == ["before", "meanwhile", "after"])
        #expect(messages.map(\.isHistory) == [true, true, false])
        #expect(messages.map(\.isMissed) == [false, true, false])
    }

    @Test func `Requests and accepted conversations are listed`() async throws {
        let pair = try await Pair(seed: 25)
        let bob = try #require(await pair.ada.people.first)
        try await pair.ada.conversation(with: bob).send("may I?")
        try await pair.network.run(for: .seconds(5))
        #expect(await pair.ada.conversations.isEmpty)
        #expect(await pair.bob.conversations.isEmpty)
        let request = try #require(await pair.bob.requests.first)
        #expect(request.text == "may I?" && request.person.nickname == "ada")
        try await request.accept()
        try await pair.network.run(for: .seconds(5))
        #expect(await pair.bob.requests.isEmpty)
        #expect(await pair.bob.conversations.map(\.person?.nickname) == ["ada"])
        let conversation = try #require(await pair.ada.conversations.first)
        #expect(conversation.person == bob && conversation.person?.presence == .here)
        try await conversation.leave()
        #expect(await pair.ada.conversations.isEmpty)
        await pair.network.leave(pair.ada)
        #expect(await pair.ada.conversations.isEmpty)
    }

    @Test func `A person is found by its key or its number`() async throws {
        let pair = try await Pair(seed: 26)
        let bob = try #require(await pair.ada.people.first)
        #expect(await pair.ada.person(id: bob.id)?.name == bob.name)
        #expect(await pair.ada.person(number: bob.number) == bob)
        #expect(await pair.ada.person(id: "no key") == nil)
        #expect(await pair.ada.person(id: String(repeating: "0", count: 64)) == nil)
        #expect(await pair.ada.person(number: bob.number == 9_999 ? 1_000 : bob.number + 1) == nil)
        #expect(await pair.ada.person(number: 12) == nil)
        await pair.network.leave(pair.bob)
        try await pair.network.run(for: .seconds(60))
        #expect(await pair.ada.people.isEmpty)
        #expect(await pair.ada.person(id: bob.id)?.presence == .left)
    }

    @Test func `A change of a person has its presence and its nickname`() async throws {
        let pair = try await Pair(seed: 27)
        let changed = { await pair.ada.events.next { if case .changed(let person) = $0 { person } else { nil } } }
        #expect(await pair.ada.people.map(\.presence) == [.here])
        try await pair.bob.setAway(reason: "lunch")
        #expect(await changed()?.presence == .away(reason: "lunch"))
        #expect(await pair.ada.people.map(\.presence) == [.away(reason: "lunch")])
        #expect(await pair.bob.me?.presence == .away(reason: "lunch"))
        try await pair.bob.setAway(false)
        #expect(await changed()?.presence == .here)
        try await pair.bob.changeNickname(to: "robert")
        #expect(await changed()?.nickname == "robert")
        let error = await #expect(throws: SendError.self) {
            try await pair.bob.setAway(reason: String(repeating: "x", count: 100))
        }
        #expect(error?.reason == .refused)
        let message = try await pair.bob.send("back")
        #expect(message.author.nickname == "robert" && message.author.presence == nil)
    }

    @Test func `A blocked person is not heard until it is unblocked`() async throws {
        let pair = try await Pair(seed: 28)
        let bob = try #require(await pair.ada.people.first)
        await pair.ada.block(bob)
        try await pair.bob.send("unheard")
        try await pair.network.run(for: .seconds(30))
        #expect(await pair.ada.messages.isEmpty)
        await pair.ada.unblock(bob)
        try await pair.network.run(for: .seconds(120))
        try await pair.bob.send("heard")
        try await pair.network.run(for: .seconds(5))
        #expect(await pair.ada.messages.last?.text == "heard")
    }

    /// The accepted conversation of the first with the second.
    private func converse(_ pair: Pair) async throws -> Conversation {
        let bob = try #require(await pair.ada.people.first { $0.nickname == "bob" })
        try await pair.ada.conversation(with: bob).send("may I?")
        try await #require(await pair.bob.events.firstRequest).accept()
        try await pair.network.run(for: .seconds(5))
        return try #require(await pair.ada.conversations.first)
    }
}

extension Events {
    /// A value of the next event that has one; nil at the end.
    func next<Value>(_ value: (Event) -> Value?) async -> Value? {
        for await event in self { if let value = value(event) { return value } }
        return nil
    }
}
