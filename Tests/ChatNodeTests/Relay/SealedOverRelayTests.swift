import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Direct messages between two nodes that only reach a third (Protocol.md section 8).
@Suite struct SealedOverRelayTests {
    private let simulation = Simulation(seed: 51)
    private let alice: SimulatedPeer
    private let relay: SimulatedPeer
    private let bob: SimulatedPeer

    init() throws {
        alice = simulation.node("alice") { $0.sealsForRelays = true }
        relay = simulation.node("relay") { $0.relaysSealed = true }
        bob = simulation.node("bob") { $0.sealsForRelays = true }
        simulation.part(alice, bob)
        try #require(simulation.meet(alice, relay) && simulation.meet(relay, bob))
        let keys = [alice.key, bob.key]
        relay.with { node in
            for slot in node.connections.active {
                for key in keys { node.act { $2.append(.sendCertificate(of: key, to: .link(slot.id))) } }
            }
        }
        simulation.advance(by: .seconds(1))
    }

    private func converse() throws {
        try alice.say("may I?", to: bob)
        simulation.advance(by: .seconds(1))
        try bob.accept(alice)
        simulation.advance(by: .seconds(1))
        try bob.say("of course", to: alice)
        simulation.advance(by: .seconds(1))
        try alice.say("thank you", to: bob)
        simulation.advance(by: .seconds(1))
    }

    @Test func `a request, its acceptance and replies go both ways over a relay that tells nothing of them`() throws {
        try converse()
        let texts = ["may I?", "of course", "thank you"]
        #expect(alice.texts(.direct(bob.key)) == texts)
        #expect(bob.texts(.direct(alice.key)) == texts)
        #expect(relay.messages.isEmpty && relay.with { $0.chat.summaries }.count == 1)
        #expect(relay.counter("sealed_passed_on") >= 4)
        #expect(!alice.isOnline(bob))
    }

    @Test func `a message over a relay can be edited and deleted by its author`() throws {
        try converse()
        alice.open(.direct(bob.key))
        try alice.with { node throws(ChatError) in try node.perform(.edit(nil, "thanks")) }
        simulation.advance(by: .seconds(1))
        #expect(bob.texts(.direct(alice.key)) == ["may I?", "of course", "thanks"])
        try alice.with { node throws(ChatError) in try node.perform(.delete(nil)) }
        simulation.advance(by: .seconds(1))
        #expect(bob.texts(.direct(alice.key)) == ["may I?", "of course"])
    }

    @Test func `it goes on while both keys rotate for hours`() throws {
        try converse()
        for hour in 1...5 {
            simulation.advance(by: .seconds(3_540))
            try alice.say("hour \(hour)", to: bob)
            simulation.advance(by: .seconds(1))
            try bob.say("hour \(hour) here too", to: alice)
            simulation.advance(by: .seconds(1))
        }
        #expect(bob.texts(.direct(alice.key)).suffix(2) == ["hour 5", "hour 5 here too"])
        #expect(alice.texts(.direct(bob.key)).count == 13)
        #expect(alice.counter("sealed_unopened") + bob.counter("sealed_unopened") == 0)
    }

    @Test func `without a relay what is said waits for the next one`() throws {
        try converse()
        relay.kill()
        simulation.advance(by: .seconds(3))
        try alice.say("still there?", to: bob)
        simulation.advance(by: .seconds(10))
        #expect(bob.texts(.direct(alice.key)).last == "thank you")
        let other = simulation.node("other") { $0.relaysSealed = true }
        try #require(simulation.meet(alice, other) && simulation.meet(other, bob))
        let key = bob.key
        other.with { node in
            for slot in node.connections.active {
                node.act { $2.append(.sendCertificate(of: key, to: .link(slot.id))) }
            }
        }
        simulation.advance(by: .seconds(2))
        #expect(bob.texts(.direct(alice.key)).last == "still there?")
    }

    @Test func `receipts come back over the relay`() throws {
        try converse()
        // Receipts of sealed messages go within 2 s.
        simulation.advance(by: .seconds(3))
        let told = alice.events.flatMap { event -> [MessageID] in
            if case .delivered(_, let ids) = event { ids } else { [] }
        }
        let own = alice.with { [key = bob.key] node in node.chat.messages(in: .direct(key)) }.filter(
            \.isFromCurrentUser)
        #expect(own.count == 2 && own.allSatisfy { told.contains($0.id) })
    }

    @Test func `a sealed request in a small room is accepted, and the answer waits for a link`() throws {
        let dave = simulation.node("dave")
        simulation.part(alice, dave)
        try #require(simulation.meet(relay, dave))
        let key = dave.key
        relay.with { node in
            for slot in node.connections.active {
                node.act { $2.append(.sendCertificate(of: key, to: .link(slot.id))) }
            }
        }
        simulation.advance(by: .seconds(1))
        try alice.say("may I?", to: dave)
        simulation.advance(by: .seconds(1))
        try dave.accept(alice)
        try dave.say("of course", to: alice)
        simulation.advance(by: .seconds(1))
        #expect(alice.texts(.direct(dave.key)) == ["may I?"])
        simulation.heal()
        try #require(simulation.meet(alice, dave))
        simulation.advance(by: .seconds(1))
        #expect(alice.texts(.direct(dave.key)) == ["may I?", "of course"])
        #expect(dave.texts(.direct(alice.key)) == ["may I?", "of course"])
    }

    @Test func `a node that does not seal writes to links alone`() throws {
        let carol = simulation.node("carol")
        simulation.part(carol, bob)
        try #require(simulation.meet(carol, relay))
        let key = bob.key
        relay.with { node in
            for slot in node.connections.active {
                node.act { $2.append(.sendCertificate(of: key, to: .link(slot.id))) }
            }
        }
        simulation.advance(by: .seconds(1))
        #expect(code { () throws(ChatError) in try carol.say("may I?", to: bob) } == .notConnected)
    }

    @Test func `a link to the peer is taken where there is one`() throws {
        try converse()
        simulation.heal()
        try #require(simulation.meet(alice, bob))
        let passed = relay.counter("sealed_passed_on")
        try alice.say("nearer now", to: bob)
        simulation.advance(by: .seconds(1))
        #expect(bob.texts(.direct(alice.key)).last == "nearer now")
        #expect(relay.counter("sealed_passed_on") == passed)
    }

    private func code(_ operation: () throws(ChatError) -> Void) -> ChatError.Code? {
        do throws(ChatError) {
            try operation()
            return nil
        } catch {
            return error.code
        }
    }
}

/// Also with a relay that reads, changes, repeats and redirects all that passes it.
@Suite struct HostileRelayTests {
    private let simulation = Simulation(seed: 52)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer
    /// The relay's end of the link with alice, and of the link with bob.
    private let near: RudeMember
    private let far: RudeMember
    private let text = "meet me at the fountain"

    init() throws {
        alice = simulation.node("alice") { $0.sealsForRelays = true }
        bob = simulation.node("bob") { $0.sealsForRelays = true }
        simulation.part(alice, bob)
        near = RudeMember(simulation: simulation, seed: 77)
        far = RudeMember(simulation: simulation, seed: 78)
        let ends = (near, far)
        simulation.timeline.perform {
            near.dial(alice)
            far.dial(bob)
        }
        try #require(simulation.run(atMost: .seconds(2)) { ends.0.isMember && ends.1.isMember })
        let bobs = try #require(far.peersCertificate)
        simulation.timeline.perform { near.send(FrameType.certificate.frame(bobs)) }
        simulation.advance(by: .seconds(1))
    }

    /// The frame in which alice asks bob.
    private func request() throws -> [UInt8] {
        try alice.say(text, to: bob)
        simulation.advance(by: .seconds(1))
        return [FrameType.sealed.rawValue] + (try #require(near.frames(.sealed).last))
    }

    private func give(_ frames: [UInt8]...) {
        simulation.timeline.perform { for frame in frames { far.send(frame) } }
        simulation.advance(by: .seconds(1))
    }

    private var requests: [String] { bob.with { $0.requests() }.map(\.text) }

    @Test func `a sealed frame holds neither author nor text, and has one of three lengths`() throws {
        let frame = try request()
        give(frame)
        #expect(requests == [text])
        #expect(frame.count == 510)
        let all = near.frames(.sealed).joined()
        for secret in [Array(text.utf8), Array("alice".utf8), alice.key.bytes, bob.key.bytes] {
            #expect(!Array(all).holds(secret))
        }
        #expect(Array(all).holds(SealedMessage.address(of: bob.key)))
    }

    /// A known and accepted risk (Threats.md).
    @Test func `a relay that drops sealed frames is not detected`() throws {
        _ = try request()
        let told = alice.events.count
        simulation.advance(by: .seconds(120))
        #expect(requests.isEmpty)
        #expect(alice.events.count == told)
        #expect(alice.counter("sealed_sent") > 0)
        #expect(!near.isClosed)
    }

    @Test func `a frame is heard once, however often it comes`() throws {
        let frame = try request()
        give(frame, frame)
        give(frame)
        #expect(bob.counter("sealed_repeated") == 2)
        try bob.decline(alice)
        give(frame)
        #expect(requests.isEmpty)
    }

    @Test func `a changed frame is dropped, and its original heard`() throws {
        let frame = try request()
        for position in stride(from: 1, to: frame.count, by: 61) {
            var changed = frame
            changed[position] ^= 1
            give(changed)
        }
        #expect(requests.isEmpty)
        give(frame)
        #expect(requests == [text])
        #expect(!far.isClosed)
    }

    @Test func `a frame cut short or lengthened is dropped`() throws {
        let frame = try request()
        for other in [Array(frame.dropLast()), frame + [0], [frame[0]], Array(frame.prefix(33))] { give(other) }
        #expect(requests.isEmpty && !far.isClosed)
        #expect(bob.counter("unexpected_frames") == 4)
    }

    @Test func `it can not be sent to another peer`() throws {
        let frame = try request()
        let carol = simulation.node("carol")
        let third = RudeMember(simulation: simulation, seed: 79)
        simulation.timeline.perform { third.dial(carol) }
        try #require(simulation.run(atMost: .seconds(2)) { third.isMember })
        var redirected = frame
        redirected.replaceSubrange(1...16, with: SealedMessage.address(of: carol.key))
        simulation.timeline.perform {
            third.send(frame)
            third.send(redirected)
        }
        simulation.advance(by: .seconds(1))
        #expect(carol.with { $0.requests() }.isEmpty)
        #expect(carol.counter("sealed_for_others") == 1)
        #expect(carol.counter("sealed_unopened") == 1)
    }

    @Test func `held back for more than five minutes it is as good as at first`() throws {
        let frame = try request()
        simulation.advance(by: .seconds(302))
        give(frame)
        #expect(requests.count == 1)
        #expect(bob.counter("dropped_stale") + bob.counter("sealed_unopened") == 0)
        // Once.
        give(frame)
        #expect(requests.count == 1)
    }

    @Test(arguments: [(200, true), (299, false)])
    func `sealed to a key that is replaced on the way it is opened for five minutes`(
        pause: Int, isHeard: Bool
    ) throws {
        let before = far.frames(.certificate).count
        let member = far
        try #require(simulation.run(atMost: .seconds(3_700)) { member.frames(.certificate).count > before })
        // Alice was not told of the new key.
        if !isHeard { simulation.advance(by: .seconds(2)) }
        let frame = try request()
        simulation.advance(by: .seconds(pause))
        give(frame)
        #expect(requests == (isHeard ? [text] : []))
        #expect(bob.counter("sealed_unopened") == (isHeard ? 0 : 1))
    }

    @Test func `more than a link may relay is dropped, and costs nothing else`() throws {
        let frame = try request()
        simulation.timeline.perform {
            for number in 0..<100 as Range<UInt8> {
                var other = frame
                other[400] ^= number &+ 1
                far.send(other)
            }
        }
        simulation.advance(by: .milliseconds(200))
        #expect(bob.counter("sealed_refused") >= 55)
        simulation.advance(by: .seconds(5))
        give(frame)
        #expect(requests == [text])
    }
}

extension [UInt8] {
    func holds(_ part: [UInt8]) -> Bool {
        guard part.count <= count else { return false }
        return (0...count - part.count).contains { self[$0...].starts(with: part) }
    }
}
