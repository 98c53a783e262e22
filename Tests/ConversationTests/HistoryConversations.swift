import Chat
import ChatNode
import Testing
import Wire

/// History as people meet it, the same on the simulated network and on real TCP.
@Suite struct HistoryConversations {
    @Test(arguments: WorldKind.allCases)
    func `a newcomer to a room of 100 messages has all of them, in order`(kind: WorldKind) async throws {
        try await kind.run { world in
            let alice = try await world.person("alice") { $0.messagesPerSecond = 0 }
            let bob = try await world.person("bob") { $0.messagesPerSecond = 0 }
            try #require(await world.meet(alice, bob))
            for number in 0..<100 {
                let speaker = number.isMultiple(of: 2) ? alice : bob
                try await speaker.perform { node throws(ChatError) in try node.perform(.send("line \(number)")) }
                try #require(await world.wait { [alice, bob].allSatisfy { $0.told.messages.count == number + 1 } })
            }
            let carol = try await world.person("carol")
            #expect(await world.wait { carol.told.messages.count == 100 })
            let kept = try await carol.perform { node throws(ChatError) in node.chat.messages(in: .publicRoom) }
            let said = try await alice.perform { node throws(ChatError) in node.chat.messages(in: .publicRoom) }
            // Within a millisecond the places of two authors follow their keys.
            #expect(kept.map(\.sentAt) == said.map(\.sentAt).sorted())
            #expect(Set(kept.map(\.id)) == Set(said.map(\.id)))
            #expect(kept.allSatisfy { $0.isHistory && $0.unread == 0 })
        }
    }

    @Test func `a line of named peers hears everything, each message once`() async throws {
        let world = TCPWorld()
        let alice = try await world.person("alice", besides: nil)
        try #require(await world.wait { alice.port != nil })
        let bob = try await world.person("bob", besides: alice.port)
        try #require(await world.wait { bob.port != nil })
        let carol = try await world.person("carol", besides: bob.port)
        #expect(await world.wait { alice.told.hasSeen(bob) && carol.told.hasSeen(bob) })
        // Bob tells the ends of each other, and they dial.
        #expect(await world.wait { alice.told.hasSeen(carol) && carol.told.hasSeen(alice) })
        try await alice.perform { node throws(ChatError) in try node.perform(.send("from one end")) }
        try await carol.perform { node throws(ChatError) in try node.perform(.send("from the other")) }
        let people = [alice, bob, carol]
        #expect(await world.wait { people.allSatisfy { $0.told.messages.count == 2 } })
        #expect(carol.told.messages.first { $0.text == "from one end" }?.isHistory == false)
        for person in people { #expect(Set(person.told.messages.map(\.id)).count == 2) }
        await world.close()
    }
}
