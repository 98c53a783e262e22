import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// Direct conversations across runs of an identity that is kept.
@Suite struct RememberedDirectTests {
    private let simulation = Simulation(seed: 91)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer

    init() throws {
        alice = simulation.node("alice", identitySeed: 7)
        bob = simulation.node("bob", identitySeed: 8)
        try #require(simulation.meet(alice, bob))
        try alice.say("may I?", to: bob)
        simulation.advance(by: .seconds(1))
        try bob.accept(alice)
        simulation.advance(by: .seconds(1))
    }

    private func kill(_ peer: SimulatedPeer) {
        peer.kill()
        simulation.forget(peer)
        simulation.advance(by: .seconds(5))
    }

    private func hasRequest(_ peer: SimulatedPeer) -> Bool {
        peer.events.contains { if case .request = $0 { true } else { false } }
    }

    @Test func `a text that waited comes once as a message with its edit, and its sender sees it delivered`() throws {
        #expect(alice.accepted == [bob.key])
        #expect(bob.accepted == [alice.key])
        kill(alice)
        bob.open(.direct(alice.key))
        try bob.say("helo")
        try bob.with { node throws(ChatError) in try node.perform(.edit(nil, "hello")) }
        let again = simulation.node("alice", identitySeed: 7, accepted: alice.accepted, minimumEpoch: 1)
        try #require(simulation.meet(again, bob))
        simulation.advance(by: .seconds(2))
        #expect(again.messages.filter { $0.conversation.isAbout(.direct(bob.key)) }.count == 1)
        #expect(again.texts(.direct(bob.key)) == ["hello"])
        #expect(!hasRequest(again))
        #expect(bob.with { node in node.chat.messages(in: .direct(again.key)) }.last?.delivery == .delivered)
    }

    @Test func `two that were both away go on without a request`() throws {
        for peer in [alice, bob] { kill(peer) }
        let second = simulation.node("alice", identitySeed: 7, accepted: alice.accepted, minimumEpoch: 1)
        let other = simulation.node("bob", identitySeed: 8, accepted: bob.accepted, minimumEpoch: 1)
        try #require(simulation.meet(second, other))
        try second.say("again", to: other)
        try other.say("indeed", to: second)
        simulation.advance(by: .seconds(2))
        #expect(Set(second.texts(.direct(other.key))) == ["again", "indeed"])
        #expect(Set(other.texts(.direct(second.key))) == ["again", "indeed"])
        #expect(!hasRequest(second) && !hasRequest(other))
    }

    @Test func `leaving, on either side, and blocking end the remembering`() throws {
        try alice.with { [key = bob.key] node throws(ChatError) in try node.perform(.leave(key)) }
        simulation.advance(by: .seconds(1))
        #expect(alice.accepted == [])
        #expect(bob.accepted == [])
        try bob.say("once more?", to: alice)
        simulation.advance(by: .seconds(1))
        try alice.accept(bob)
        simulation.advance(by: .seconds(1))
        #expect(alice.accepted == [bob.key])
        alice.with { [key = bob.key] node in node.change(.blocked(key, true)) }
        simulation.advance(by: .seconds(1))
        #expect(alice.accepted == [])
    }
}
