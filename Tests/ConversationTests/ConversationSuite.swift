import Chat
import ChatNode
import Testing
import Wire

/// Behaviour that users rely on, on the simulated network and on real TCP.
@Suite struct ConversationSuite {
    @Test(arguments: WorldKind.allCases)
    func `every user receives each public line once, its author included`(kind: WorldKind) async throws {
        try await kind.run { world in
            let people = [
                try await world.person("alice"), try await world.person("bob"), try await world.person("carol"),
            ]
            try #require(await world.meet(people[0], people[1], people[2]))
            for (number, person) in people.enumerated() {
                try await person.perform { node throws(ChatError) in try node.perform(.send("line \(number)")) }
            }
            #expect(await world.wait { people.allSatisfy { $0.told.messages.count == 3 } })
            for person in people {
                #expect(Set(person.told.messages.map(\.text)) == ["line 0", "line 1", "line 2"])
                let own = person.told.messages.filter(\.isFromCurrentUser)
                #expect(own.map(\.from.key) == [person.key])
            }
        }
    }

    @Test(arguments: WorldKind.allCases)
    func `240 characters of every script arrive as they were sent, 241 are refused`(kind: WorldKind) async throws {
        try await kind.run { world in
            let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
            try #require(await world.meet(alice, bob))
            let texts = ["a", "안", "👍🏽", "नि"].map { String(repeating: $0, count: 240) }
            for text in texts {
                try await alice.perform { node throws(ChatError) in try node.perform(.send(text)) }
                await #expect(throws: ChatError.self) {
                    try await alice.perform { node throws(ChatError) in try node.perform(.send(text + "x")) }
                }
            }
            #expect(await world.wait { bob.told.messages.count == texts.count })
            #expect(bob.told.messages.map(\.text) == texts)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func `a direct message is requested, accepted and answered`(kind: WorldKind) async throws {
        try await kind.run { world in
            let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
            let carol = try await world.person("carol")
            try #require(await world.meet(alice, bob, carol))
            try await alice.perform { node throws(ChatError) in try node.perform(.send("may I?", to: .direct(bob.key)))
            }
            #expect(
                await world.wait {
                    bob.told.events.contains { if case .request(_, "may I?") = $0 { true } else { false } }
                })
            #expect(bob.told.messages.isEmpty)
            try await bob.perform { node throws(ChatError) in try node.perform(.accept(alice.key)) }
            #expect(
                await world.wait {
                    alice.told.events.contains { if case .direct(.accepted, _) = $0 { true } else { false } }
                })
            try await bob.perform { node throws(ChatError) in
                try node.perform(.send("of course", to: .direct(alice.key)))
            }
            #expect(await world.wait { alice.told.messages.contains { $0.text == "of course" } })
            let summaries = try await alice.perform { node throws(ChatError) in node.chat.summaries }
            #expect(summaries.first { $0.conversation != .publicRoom }?.unread == 1)
            #expect(carol.told.messages.isEmpty)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func `a direct message is delivered, and read where both tell it`(kind: WorldKind) async throws {
        try await kind.run { world in
            let alice = try await world.person("alice") { $0.readReceipts = true }
            let bob = try await world.person("bob") { $0.readReceipts = true }
            try #require(await world.meet(alice, bob))
            try await alice.perform { node throws(ChatError) in try node.perform(.send("may I?", to: .direct(bob.key)))
            }
            #expect(await world.wait { bob.told.events.contains { if case .request = $0 { true } else { false } } })
            try await bob.perform { node throws(ChatError) in try node.perform(.accept(alice.key)) }
            #expect(await world.wait { alice.told.events.contains { if case .read = $0 { true } else { false } } })
            try await alice.perform { node throws(ChatError) in try node.perform(.send("look", to: .direct(bob.key))) }
            #expect(await world.wait { alice.told.events.contains { if case .delivered = $0 { true } else { false } } })
            let id = try #require(alice.told.messages.last?.id)
            #expect(!alice.told.events.contains { if case .read(_, [id]) = $0 { true } else { false } })
            try await bob.perform { node throws(ChatError) in node.change(.open(.direct(alice.key))) }
            #expect(
                await world.wait { alice.told.events.contains { if case .read(_, [id]) = $0 { true } else { false } } })
            let kept = try await alice.perform { node throws(ChatError) in node.chat.messages(in: .direct(bob.key)) }
            #expect(kept.map(\.delivery) == [.read, .read])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func `the last direct message is delivered before its sender has left`(kind: WorldKind) async throws {
        try await kind.run { world in
            let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
            try #require(await world.meet(alice, bob))
            try await alice.perform { node throws(ChatError) in try node.perform(.send("may I?", to: .direct(bob.key)))
            }
            #expect(await world.wait { bob.told.events.contains { if case .request = $0 { true } else { false } } })
            try await bob.perform { node throws(ChatError) in try node.perform(.accept(alice.key)) }
            #expect(await world.wait { alice.told.events.contains { if case .direct = $0 { true } else { false } } })
            try await alice.perform { node throws(ChatError) in
                try node.perform(.send("bye", to: .direct(bob.key)))
                node.beginLeaving()
            }
            #expect(await world.wait { alice.told.events.contains { if case .stopped = $0 { true } else { false } } })
            let id = try #require(alice.told.messages.last?.id)
            #expect(alice.told.events.contains { if case .delivered(_, [id]) = $0 { true } else { false } })
            #expect(!alice.told.events.contains { if case .failed = $0 { true } else { false } })
            #expect(bob.told.messages.map(\.text) == ["bye"])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func `unread messages count until their conversation is looked at`(kind: WorldKind) async throws {
        try await kind.run { world in
            let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
            try #require(await world.meet(alice, bob))
            try await bob.perform { node throws(ChatError) in node.change(.open(.direct(alice.key))) }
            for number in 1...3 {
                try await alice.perform { node throws(ChatError) in try node.perform(.send("line \(number)")) }
            }
            #expect(await world.wait { bob.told.messages.map(\.unread) == [1, 2, 3] })
            try await bob.perform { node throws(ChatError) in node.change(.open(.publicRoom)) }
            let summaries = try await bob.perform { node throws(ChatError) in node.chat.summaries }
            #expect(summaries.first?.unread == 0)
            #expect(summaries.first?.last?.text == "line 3")
        }
    }

    @Test(arguments: WorldKind.allCases)
    func `an edit arrives as modified and a deletion as removed`(kind: WorldKind) async throws {
        try await kind.run { world in
            let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
            try #require(await world.meet(alice, bob))
            try await alice.perform { node throws(ChatError) in
                try node.perform(.send("helo"))
                try node.perform(.edit(nil, "hello"))
            }
            #expect(
                await world.wait {
                    bob.told.events.contains {
                        if case .edited(let message) = $0 { message.text == "hello" } else { false }
                    }
                })
            try await alice.perform { node throws(ChatError) in try node.perform(.delete(nil)) }
            #expect(
                await world.wait {
                    bob.told.events.contains { if case .deleted = $0 { true } else { false } }
                })
            #expect(try await bob.perform { node throws(ChatError) in node.chat.messages(in: .publicRoom) }.isEmpty)
        }
    }

    @Test(arguments: WorldKind.allCases)
    func `a new nickname, being away and leaving are seen`(kind: WorldKind) async throws {
        try await kind.run { world in
            let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
            try #require(await world.meet(alice, bob))
            try await alice.perform { node throws(ChatError) in
                try node.perform(.rename("alicia"))
                node.change(.away(true))
            }
            #expect(
                await world.wait {
                    bob.told.events.contains {
                        if case .peer(.away, let who, _, _, _) = $0 { who.nickname == "alicia" } else { false }
                    }
                })
            try await alice.perform { node throws(ChatError) in try node.perform(.send("bye")) }
            await alice.leave()
            #expect(await world.wait { bob.told.hasLost(alice) })
            #expect(bob.told.messages.map(\.text) == ["bye"])
        }
    }

    @Test(arguments: WorldKind.allCases)
    func `two hundred lines at once arrive whole and in order`(kind: WorldKind) async throws {
        try await kind.run { world in
            let alice = try await world.person("alice") { $0.messagesPerSecond = 0 }
            let bob = try await world.person("bob") { $0.messagesPerSecond = 0 }
            try #require(await world.meet(alice, bob))
            let lines = (0..<200).map { "\($0) " + String(repeating: "x", count: 200) }
            try await alice.perform { node throws(ChatError) in
                for line in lines { try node.perform(.send(line)) }
            }
            #expect(await world.wait { bob.told.messages.count == lines.count })
            #expect(bob.told.messages.map(\.text) == lines)
            let kept = try await bob.perform { node throws(ChatError) in node.chat.messages(in: .publicRoom) }
            #expect(kept.map(\.text) == Array(lines.suffix(100)))
        }
    }
}
