import Chat
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Records that hide a receiver, against hostile and silent members, on links that end, and in a crowd (Protocol.md section 8).
@Suite struct HiddenReceiverAttackTests {
    private let simulation = Simulation(seed: 72)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer
    private let carol: SimulatedPeer

    init() throws {
        (alice, bob, carol) = (simulation.node("alice"), simulation.node("bob"), simulation.node("carol"))
        try #require(simulation.meet(alice, bob) && simulation.meet(alice, carol) && simulation.meet(bob, carol))
        for peer in [bob, carol] {
            try alice.say("may I?", to: peer)
            simulation.advance(by: .seconds(3))
            try peer.accept(alice)
            simulation.advance(by: .seconds(3))
        }
    }

    /// Of Alice's last message to a peer.
    private func lastDelivery(to peer: SimulatedPeer) -> DeliveryState? {
        let key = peer.key
        return alice.with { $0.chat.messages(in: .direct(key)) }.last?.delivery
    }

    @Test func `a flood of requests is counted, and gets no more answers than those that are kept`() throws {
        let rude = RudeMember(simulation: simulation, seed: 77)
        try #require(rude.enter(by: alice, in: simulation))
        simulation.advance(by: .seconds(20))
        let (received, answers) = (alice.counter("chaff_received"), alice.counter("cover_answers"))
        for _ in 0..<5 {
            simulation.timeline.perform { for _ in 0..<400 { rude.send([FrameType.chaff.rawValue, 1]) } }
            simulation.advance(by: .milliseconds(100))
        }
        simulation.advance(by: .seconds(30))
        #expect(alice.counter("chaff_received") == received + 2_000)
        let sent = alice.counter("cover_answers") - answers
        #expect((1...2 * Limits.requestsKept / Limits.receiptsPerAnswer).contains(sent))
        #expect(rude.frames(.chaff) == [[UInt8]](repeating: [0], count: sent))
        #expect(!rude.isClosed)
    }

    @Test func `malformed requests are counted, and nothing answers them`() throws {
        let rude = RudeMember(simulation: simulation, seed: 77)
        try #require(rude.enter(by: alice, in: simulation))
        simulation.advance(by: .seconds(20))
        let before = alice.counter("unexpected_frames")
        simulation.timeline.perform {
            for body in [[], [2], [1, 1]] as [[UInt8]] { rude.send([FrameType.chaff.rawValue] + body) }
        }
        simulation.advance(by: .seconds(3))
        #expect(alice.counter("unexpected_frames") == before + 3)
        #expect(rude.frames(.chaff).isEmpty && !rude.isClosed)
    }

    @Test func `a peer that never answers delays no other peer`() throws {
        bob.with { $0.parts.links.silence() }
        try alice.say("hello", to: bob)
        try alice.say("hello", to: carol)
        simulation.advance(by: .milliseconds(2_500))
        #expect(bob.texts(.direct(alice.key)).last == "hello")
        #expect(lastDelivery(to: bob) == .sending)
        #expect(lastDelivery(to: carol) == .delivered)
    }

    @Test func `a message whose link ends is sent again, once for all, with records on the other links each time`()
        throws
    {
        let before = carol.counter("chaff_received")
        simulation.part(alice, bob)
        try alice.say("lost", to: bob)
        simulation.advance(by: .seconds(3))
        #expect(carol.counter("chaff_received") == before + 1)
        #expect(simulation.run(atMost: .seconds(120)) { !alice.isOnline(bob) })
        simulation.network.heal()
        #expect(simulation.run(atMost: .seconds(120)) { lastDelivery(to: bob) == .delivered })
        #expect(carol.counter("chaff_received") == before + 2)
        #expect(bob.texts(.direct(alice.key)) == ["may I?", "lost"])
    }

    @Test func `in a crowd the other neighbours of the author get a record, and those of a relay get none`() throws {
        let room = CrowdRoom(40, links: 5, seed: 24)
        #expect(room.gather(within: .seconds(20)))
        let (author, receiver) = try #require(room.strangers())
        let links = author.with { $0.connections.active.count }
        try author.say("may I?", to: receiver)
        room.simulation.advance(by: .milliseconds(150))
        #expect(receiver.with { !$0.requests().isEmpty })
        let hidden = author.counter("chaff_sent")
        #expect((links - 2...links - 1).contains(hidden))
        #expect(room.people.reduce(0) { $0 + $1.counter("chaff_sent") } == hidden)
        #expect(room.people.reduce(0) { $0 + $1.counter("chaff_received") } == hidden)
    }
}
