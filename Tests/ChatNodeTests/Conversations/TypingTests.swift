import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// Typing reports: the peer, the conversation and the duration.
@Suite struct TypingTests {
    private let simulation = Simulation(seed: 61)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer
    private let carol: SimulatedPeer

    init() throws {
        alice = simulation.node("alice")
        bob = simulation.node("bob")
        carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        simulation.advance(by: .seconds(1))
    }

    /// One key, and the second in which others hear of it.
    private func type(_ peer: SimulatedPeer) {
        peer.type()
        simulation.advance(by: .seconds(1))
    }

    /// The reports to a peer of another's typing: `on` or `off`, with `direct` where it was so.
    private func seen(_ peer: SimulatedPeer, of other: SimulatedPeer) -> [String] {
        peer.events.compactMap { event in
            guard case .typing(let who, let conversation, let isOn) = event, who.key == other.key else { return nil }
            return (conversation == .publicRoom ? "" : "direct ") + (isOn ? "on" : "off")
        }
    }

    private func befriend() throws {
        try alice.say("may I?", to: bob)
        simulation.advance(by: .seconds(1))
        try bob.accept(alice)
        simulation.advance(by: .seconds(1))
    }

    @Test func `every other member sees a member type in the room, and that it ends after 5 s without a key`() {
        type(alice)
        #expect(seen(bob, of: alice) == ["on"])
        #expect(seen(carol, of: alice) == ["on"])
        simulation.advance(by: .milliseconds(3_900))
        #expect(seen(bob, of: alice) == ["on"])
        simulation.advance(by: .milliseconds(200))
        #expect(seen(bob, of: alice) == ["on", "off"])
        #expect(seen(alice, of: alice).isEmpty)
    }

    @Test func `a minute of keys is one beginning, one end, and a payload every 3 s`() {
        simulation.advance(by: .seconds(10))
        let before = alice.counter("payloads_sent")
        for _ in 0..<60 { type(alice) }
        #expect(seen(bob, of: alice) == ["on"])
        let sent = (alice.counter("payloads_sent") - before) / 2
        #expect((20...21).contains(sent))
        simulation.advance(by: .seconds(10))
        #expect(seen(bob, of: alice) == ["on", "off"])
    }

    @Test func `a typing peer that falls silent has stopped after 6 s`() {
        type(alice)
        simulation.partition([alice], [bob, carol])
        simulation.advance(by: .milliseconds(4_900))
        #expect(seen(bob, of: alice) == ["on"])
        simulation.advance(by: .milliseconds(200))
        #expect(seen(bob, of: alice) == ["on", "off"])
        #expect(bob.isOnline(alice))
    }

    @Test func `a message ends it without a payload of its own`() throws {
        type(alice)
        let before = alice.counter("payloads_sent")
        try alice.say("typed")
        simulation.advance(by: .seconds(10))
        #expect(alice.counter("payloads_sent") == before + 2)
        #expect(seen(bob, of: alice) == ["on", "off"])
    }

    @Test func `a message that is refused ends nothing`() throws {
        type(alice)
        #expect(throws: ChatError.self) { try alice.say(String(repeating: "x", count: 241)) }
        simulation.advance(by: .seconds(1))
        #expect(seen(bob, of: alice) == ["on"])
    }

    @Test func `a discarded line ends the typing at once`() {
        type(alice)
        alice.discard()
        simulation.advance(by: .seconds(1))
        #expect(seen(bob, of: alice) == ["on", "off"])
    }

    @Test func `in a direct conversation only its peer sees it, and only once it is accepted`() throws {
        try alice.say("may I?", to: bob)
        simulation.advance(by: .seconds(1))
        alice.open(.direct(bob.key))
        type(alice)
        #expect(seen(bob, of: alice).isEmpty)
        try bob.accept(alice)
        simulation.advance(by: .seconds(1))
        for _ in 0..<3 { type(alice) }
        #expect(seen(bob, of: alice) == ["direct on"])
        #expect(seen(carol, of: alice).isEmpty)
    }

    @Test func `looking at another conversation ends it in the one before`() throws {
        try befriend()
        alice.open(.direct(bob.key))
        type(alice)
        alice.open(.publicRoom)
        simulation.advance(by: .seconds(1))
        #expect(seen(bob, of: alice) == ["direct on", "direct off"])
        type(alice)
        alice.open(.direct(bob.key))
        simulation.advance(by: .seconds(1))
        #expect(seen(bob, of: alice) == ["direct on", "direct off", "on", "off"])
        #expect(seen(carol, of: alice) == ["on", "off"])
    }

    @Test func `leaving the direct conversation, or the room, ends it`() throws {
        try befriend()
        alice.open(.direct(bob.key))
        type(alice)
        try alice.leaveConversation(with: bob)
        simulation.advance(by: .seconds(1))
        #expect(seen(bob, of: alice) == ["direct on", "direct off"])
        type(carol)
        carol.leave()
        simulation.advance(by: .seconds(1))
        #expect(seen(bob, of: carol) == ["on", "off"])
        carol.type()
        #expect(carol.hasStopped)
    }

    @Test func `of the muted and the blocked it is not shown, and they are not told`() {
        type(alice)
        bob.mute(alice)
        simulation.advance(by: .seconds(1))
        #expect(seen(bob, of: alice) == ["on", "off"])
        type(alice)
        #expect(seen(bob, of: alice) == ["on", "off"])
        #expect(seen(carol, of: alice) == ["on"])
        bob.block(carol)
        type(carol)
        #expect(seen(bob, of: carol).isEmpty)
        type(bob)
        #expect(seen(alice, of: bob) == ["on"])
    }
}
