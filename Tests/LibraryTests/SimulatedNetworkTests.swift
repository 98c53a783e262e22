import Earshot
import EarshotTesting
import Testing

/// Rooms of the library on a network in memory.
struct SimulatedNetworkTests {
    @Test func `A message reaches the others, and none of them waits for real time`() async throws {
        let network = try SimulatedNetwork(seed: 1)
        let ada = try await network.join("lobby", as: "ada")
        let bob = try await network.join("lobby", as: "bob")
        try await network.run(for: .seconds(5))
        try await ada.send("hello")
        try await network.run(for: .seconds(1))
        #expect(await bob.messages.map(\.text) == ["hello"])
        #expect(await bob.people.map(\.nickname) == ["ada"])
        #expect(network.elapsed >= .seconds(6))
    }

    @Test func `A bot answers in the time that the test lets pass`() async throws {
        let network = try SimulatedNetwork(seed: 2)
        let ada = try await network.join("lobby", as: "ada")
        try await network.join("lobby", as: "echo") { room in
            for await event in room.events {
                guard case .message(let message) = event, !message.isFromCurrentUser else { continue }
                try await message.reply("re: \(message.text)")
            }
        }
        try await network.run(for: .seconds(5))
        for number in 1...20 { try await ada.send("ping \(number)") }
        try await network.run(for: .seconds(20))
        let texts = await ada.messages.map(\.text)
        #expect(texts.filter { $0.hasPrefix("re: ") } == (1...20).map { "re: ping \($0)" })
    }

    @Test(.timeLimit(.minutes(1))) func `A room keeps its network`() async throws {
        func room() async throws -> Room { try await SimulatedNetwork(seed: 41).join("lobby", as: "ada") }
        let alone = try await room()
        #expect(await alone.me?.nickname == "ada")
        try await alone.send("hello")
        #expect(await alone.messages.map(\.text) == ["hello"])
    }

    @Test(.timeLimit(.minutes(1))) func `Any time passes in a network without rooms`() async throws {
        let network = try SimulatedNetwork(seed: 42)
        try await network.run(for: .seconds(200_000))
        #expect(network.elapsed == .seconds(200_000))
    }

    @Test(.timeLimit(.minutes(1))) func `A run that is cancelled ends before its time`() async throws {
        let network = try SimulatedNetwork(seed: 43)
        let run = Task { try await network.run(for: .seconds(300_000_000)) }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(network.elapsed < .seconds(300_000_000))
        // Time passes no more, and does again.
        let before = network.elapsed
        try await network.run(for: .seconds(1))
        #expect(network.elapsed == before + .seconds(1))
    }

    @Test func `The longest beginning of a text that fits can be sent`() async throws {
        let ada = try await SimulatedNetwork(seed: 44).join("lobby", as: "ada")
        let family = "👨‍👩‍👧‍👦"
        for text in [
            "hello", " hello ", String(repeating: "a", count: 300), String(repeating: family, count: 240),
            "re: " + String(repeating: family, count: 122) + String(repeating: "a", count: 22),
            "क़" + String(repeating: "क़", count: 239),
        ] {
            let fitting = Message.fitting(text)
            let trimmed = text.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
            #expect(trimmed.hasPrefix(fitting) && !fitting.isEmpty)
            #expect(try await ada.send(fitting).text == fitting)
        }
        #expect(Message.fitting("hello") == "hello")
        #expect(Message.fitting(String(repeating: "a", count: 300)).count == 240)
        #expect(
            Message.fitting(String(repeating: family, count: 240)).utf8.count == 3_072 / family.utf8.count
                * family.utf8.count)
        #expect(Message.fitting("  ").isEmpty)
        #expect(Message.fitting(String(repeating: " ", count: 300) + "hi") == "hi")
    }

    @Test func `Two runs of one seed are equal`() async throws {
        #expect(try await story(7) == story(7))
        #expect(try await story(7) != story(8))
    }

    private func story(_ seed: UInt64) async throws -> [String] {
        let network = try SimulatedNetwork(seed: seed, latency: .milliseconds(1)...(.milliseconds(300)), loss: 0.2)
        let ada = try await network.join("lobby", as: "ada")
        let bob = try await network.join("lobby", as: "bob")
        let message = try await ada.send("hello")
        try await network.run(for: .seconds(30))
        var story = [message.id.description, "\(message.sentAt)", "\(network.elapsed)"]
        for message in await bob.messages { story.append("\(message.author.id) \(message.sentAt) \(message.text)") }
        return story
    }

    @Test func `A network that is parted keeps messages back until it heals`() async throws {
        let network = try SimulatedNetwork(seed: 3)
        let ada = try await network.join("lobby", as: "ada")
        let bob = try await network.join("lobby", as: "bob")
        try await network.run(for: .seconds(5))
        await network.partition([ada], [bob])
        try await ada.send("while parted")
        try await network.run(for: .seconds(5))
        #expect(await bob.messages.isEmpty)
        await network.heal()
        try await network.run(for: .seconds(60))
        #expect(await bob.messages.map(\.text) == ["while parted"])
    }

    @Test func `A request is accepted, and the conversation is direct`() async throws {
        let network = try SimulatedNetwork(seed: 4)
        let ada = try await network.join("lobby", as: "ada")
        let bob = try await network.join("lobby", as: "bob")
        let eve = try await network.join("lobby", as: "eve")
        try await network.run(for: .seconds(5))
        let other = try #require(await ada.people.first { $0.nickname == "bob" })
        try await ada.conversation(with: other).send("may I?")
        let request = try #require(await bob.events.firstRequest)
        #expect(request.text == "may I?")
        try await request.accept().send("yes")
        try await network.run(for: .seconds(5))
        #expect(await ada.conversation(with: other).messages().map(\.text) == ["may I?", "yes"])
        #expect(await eve.messages.isEmpty)
    }

    @Test func `A text that breaks a rule is refused with its reason`() async throws {
        let network = try SimulatedNetwork(seed: 5)
        let ada = try await network.join("lobby", as: "ada")
        let error = await #expect(throws: SendError.self) { try await ada.send("") }
        #expect(error?.reason == .empty)
        let long = await #expect(throws: SendError.self) { try await ada.send(String(repeating: "x", count: 241)) }
        #expect(long?.reason == .tooLong)
        await #expect(throws: JoinError.self) { try await network.join("lobby", as: "") }
        await network.leave(ada)
        let late = await #expect(throws: SendError.self) { try await ada.send("late") }
        #expect(late?.reason == .ended)
    }

    @Test func `A slow reader gets the number of events that it missed`() async throws {
        let network = try SimulatedNetwork(seed: 6)
        let ada = try await network.join("lobby", as: "ada")
        let bob = try await network.join("lobby", as: "bob")
        try await network.run(for: .seconds(5))
        for number in 0..<Events.capacity + 10 { try await ada.send("\(number)") }
        try await network.run(for: .seconds(5))
        var events = bob.events.makeAsyncIterator()
        guard case .missed(let count) = await events.next() else { throw Unexpected() }
        #expect(count >= 10)
        guard case .message = await events.next() else { throw Unexpected() }
    }

    @Test func `Leaving ends the events and is seen by the others`() async throws {
        let network = try SimulatedNetwork(seed: 9)
        let ada = try await network.join("lobby", as: "ada")
        let bob = try await network.join("lobby", as: "bob")
        try await network.run(for: .seconds(5))
        await network.leave(bob)
        var last: Event?
        for await event in bob.events { last = event }
        guard case .stopped(.left) = last else { throw Unexpected() }
        try await network.run(for: .seconds(5))
        #expect(await ada.people.isEmpty)
    }

    @Test func `A bot that is cancelled leaves politely`() async throws {
        let network = try SimulatedNetwork(seed: 10)
        let ada = try await network.join("lobby", as: "ada")
        let bot = try await network.join("lobby", as: "bot") { room in
            for await _ in room.events {}
            try Task.checkCancellation()
        }
        try await network.run(for: .seconds(5))
        #expect(await ada.people.count == 1)
        bot.cancel()
        try await network.run(for: .seconds(5))
        #expect(await ada.people.isEmpty)
        await #expect(throws: CancellationError.self) { try await bot.waitForEnd() }
    }

    @Test func `A network ends with the test, whatever its bots wait for`() async throws {
        weak var kept: SimulatedNetwork?
        do {
            let network = try SimulatedNetwork(seed: 11)
            kept = network
            try await network.join("lobby", as: "bot") { room in for await _ in room.events {} }
            try await network.run(for: .seconds(3_600))
            #expect(network.elapsed >= .seconds(3_600))
        }
        #expect(kept == nil)
    }

    private struct Unexpected: Error {}
}

extension Events {
    var firstRequest: Request? {
        get async {
            for await event in self { if case .request(let request) = event { return request } }
            return nil
        }
    }
}
