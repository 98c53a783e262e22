import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Direct messages between peers of a crowd without a link (Protocol.md section 13).
struct CrowdDirectTests {
    /// A request over relays, and its acceptance.
    private func converse(_ alice: SimulatedPeer, _ bob: SimulatedPeer, in room: CrowdRoom) throws {
        try alice.say("may I?", to: bob)
        room.simulation.advance(by: .seconds(1))
        try bob.accept(alice)
        room.simulation.advance(by: .seconds(1))
    }

    @Test func `a request, its acceptance and answers find their way over a few relays`() throws {
        let room = CrowdRoom(50, links: 5, seed: 21)
        #expect(room.gather(within: .seconds(20)))
        let (alice, bob) = try #require(room.strangers())
        try converse(alice, bob, in: room)
        try bob.say("of course", to: alice)
        room.simulation.advance(by: .seconds(1))
        #expect(alice.texts(.direct(bob.key)) == ["may I?", "of course"])
        #expect(bob.texts(.direct(alice.key)) == ["may I?", "of course"])
        // One copy a hop, and one more over a second link at the first.
        let passed = room.people.reduce(0) { $0 + $1.counter("sealed_passed_on") }
        let sealed = room.people.reduce(0) { $0 + $1.counter("sealed_sent") }
        #expect(passed <= sealed * 2 * 8, "\(passed) copies for \(sealed) messages")
    }

    @Test func `each of many pairs reaches the other`() throws {
        let room = CrowdRoom(40, links: 5, seed: 22)
        #expect(room.gather(within: .seconds(20)))
        var failed: [String] = []
        for number in 0..<20 {
            let (alice, bob) = (room.people[number], room.people[39 - number])
            try alice.say("hello \(number)", to: bob)
        }
        // One that was lost is sealed a second time meanwhile.
        room.simulation.advance(by: .seconds(6))
        for number in 0..<20 {
            let (alice, bob) = (room.people[number], room.people[39 - number])
            let requests = bob.with { node in node.requests().map(\.who.key) }
            if !requests.contains(alice.key) { failed.append("\(number)") }
        }
        #expect(failed.isEmpty)
    }

    @Test func `a path that has ended is found anew without the user`() throws {
        let room = CrowdRoom(30, links: 6, seed: 23)
        #expect(room.gather(within: .seconds(20)))
        let (alice, bob) = try #require(room.strangers())
        let target = bob.key
        let path = alice.with { node in node.parts.crowd.paths[PresencePaths.key(of: target)] }
        let relay = try #require(
            room.people.first { relay in
                let key = relay.key
                return alice.with { node in node.connections.sendingLink(of: key)?.id == path }
            })
        // It takes everything and passes nothing on.
        relay.with { node in _ = node.parts.spread.setMode(.mesh, now: node.scheduler.now) }
        try alice.say("may I?", to: bob)
        #expect(room.simulation.run(atMost: .seconds(30)) { bob.with { node in !node.requests().isEmpty } })
        #expect(bob.with { node in node.requests().map(\.text) } == ["may I?"])
    }

    /// The addresses that an accepted peer must not make a node dial.
    private static let forbidden: [[UInt8]] = [
        [127, 0, 0, 1], [0, 0, 0, 0], [169, 254, 169, 254], [8, 8, 8, 8], [192, 168, 77, 1], [10, 255, 255, 255],
        [UInt8](repeating: 0, count: 15) + [1], [UInt8](repeating: 0, count: 12) + [127, 0, 0, 1],
        [0, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8) + [10, 0, 0, 9],
        [0x20, 2, 10, 0, 0, 9] + [UInt8](repeating: 0, count: 9) + [1],
    ]

    @Test func `an accepted peer makes a node dial a neighbour in its subnet only, and no port of the system`() throws {
        let room = CrowdRoom(14, links: 4, seed: 29)
        #expect(room.gather(within: .seconds(20)))
        let (alice, bob) = try #require(room.strangers())
        try converse(alice, bob, in: room)
        // Until the link of their own has ended.
        room.simulation.advance(by: .seconds(200))
        #expect(!alice.isOnline(bob))
        let friend = alice.key
        /// Whether the endpoint is to be dialled.
        func tell(_ address: [UInt8], port: UInt16 = 40_000) -> Bool {
            bob.with { node in
                guard let link = node.parts.crowdLinks.first else { return true }
                let bytes = address + [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
                node.act {
                    $0.mail.recordEndpoint(
                        bytes, of: friend, from: link, allowsLoopback: $0.finder.hasNamedLoopback, $0.links,
                        $0.conversations.router, $1, &$2)
                }
                return node.parts.mail.guestDeadline != nil
            }
        }
        for address in Self.forbidden { #expect(!tell(address), "\(address)") }
        #expect(!tell(room.simulation.network.endpoints(of: bob.host)[0].address) && !tell([10, 9, 0, 1], port: 22))
        #expect(tell([10, 9, 0, 1]))
    }

    @Test func `once accepted the two have a link of their own, which ends when it is idle`() throws {
        let room = CrowdRoom(30, links: 5, seed: 24)
        #expect(room.gather(within: .seconds(20)))
        let (alice, bob) = try #require(room.strangers())
        try converse(alice, bob, in: room)
        try alice.say("thank you", to: bob)
        room.simulation.advance(by: .seconds(5))
        #expect(alice.isOnline(bob) && bob.isOnline(alice))
        #expect(alice.guestCount + bob.guestCount >= 1)
        let sealed = alice.counter("sealed_sent")
        try alice.say("nearer now", to: bob)
        room.simulation.advance(by: .seconds(1))
        #expect(bob.texts(.direct(alice.key)).last == "nearer now")
        #expect(alice.counter("sealed_sent") == sealed)
        room.simulation.advance(by: .seconds(125))
        #expect(!alice.isOnline(bob) && !bob.isOnline(alice))
        #expect(alice.guestCount + bob.guestCount == 0)
        // Its end says nothing about who is here, and the conversation goes on over relays.
        #expect(alice.knows(bob))
        try bob.say("still there?", to: alice)
        room.simulation.advance(by: .seconds(1))
        #expect(alice.texts(.direct(bob.key)).last == "still there?")
    }

    @Test func `messages that waited longer than five minutes for a peer of a crowd come, and are delivered`() throws {
        let room = CrowdRoom(35, later: 2, links: 6, seed: 26)
        let bob = room.join("bob", identitySeed: 9)
        #expect(room.gather(within: .seconds(30)))
        let friends = Array(room.people.filter { $0 !== bob && !$0.isOnline(bob) }.prefix(8))
        for friend in friends { try converse(friend, bob, in: room) }
        let epoch = bob.with { node in node.epoch }
        bob.kill()
        room.remove(bob)
        room.simulation.forget(bob)
        for friend in friends {
            friend.open(.direct(bob.key))
            try friend.say("line 1")
            try friend.say("line 2")
            try friend.with { node throws(ChatError) in try node.perform(.edit(nil, "line 2, edited")) }
            try friend.with { [key = bob.key] node throws(ChatError) in
                try node.perform(.invite(key, to: Room(openNamed: "den")))
            }
        }
        room.simulation.advance(by: .seconds(330))
        let again = room.join("bob", identitySeed: 9, accepted: bob.accepted, minimumEpoch: epoch + 1)
        room.simulation.advance(by: .seconds(90))
        for friend in friends {
            // Sealed ones take more than one way, so that the second may come first.
            let lines = again.texts(.direct(friend.key)).filter { $0.hasPrefix("line") }
            #expect(lines.sorted() == ["line 1", "line 2, edited"])
        }
        #expect(again.events.count { if case .invitation = $0 { true } else { false } } == friends.count)
        for friend in friends {
            let own = friend.with { [key = bob.key] node in node.chat.messages(in: .direct(key)) }.suffix(2)
            #expect(own.allSatisfy { $0.delivery == .delivered })
        }
        #expect(again.counter("dropped_stale") == 0)
    }

    @Test func `a certificate with a new dm key travels with a presence, so that conversations go on for hours`() throws
    {
        let room = CrowdRoom(12, links: 3, seed: 25)
        #expect(room.gather(within: .seconds(20)))
        let (alice, bob) = try #require(room.strangers())
        try converse(alice, bob, in: room)
        for hour in 1...2 {
            room.simulation.advance(by: .seconds(3_540))
            try bob.say("hour \(hour)", to: alice)
            room.simulation.advance(by: .seconds(2))
            #expect(alice.texts(.direct(bob.key)).last == "hour \(hour)")
        }
        #expect(alice.counter("sealed_unopened") + bob.counter("sealed_unopened") == 0)
    }
}
