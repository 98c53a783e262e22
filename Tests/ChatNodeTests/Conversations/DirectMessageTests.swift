import Chat
import ChatNode
import Simulator
import Testing
import Wire

@Suite struct DirectMessageTests {
    private let simulation: Simulation
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer
    private let carol: SimulatedPeer

    init() throws {
        simulation = Simulation(seed: 21)
        alice = simulation.node("alice")
        bob = simulation.node("bob")
        carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
    }

    private func direct(_ from: SimulatedPeer, _ to: SimulatedPeer, _ text: String) throws {
        try from.say(text, to: to)
        simulation.advance(by: .seconds(1))
    }

    @Test func `a request, its acceptance and a reply, and no other peer hears of it`() throws {
        try direct(alice, bob, "may I?")
        #expect(bob.with { $0.requests() }.map(\.text) == ["may I?"])
        #expect(bob.unread(.direct(alice.key)) == 0)
        try bob.accept(alice)
        simulation.advance(by: .seconds(1))
        try direct(bob, alice, "of course")
        try direct(alice, bob, "thank you")
        #expect(alice.texts(.direct(bob.key)) == ["may I?", "of course", "thank you"])
        #expect(bob.texts(.direct(alice.key)) == ["may I?", "of course", "thank you"])
        #expect(carol.with { $0.chat.summaries }.count == 1)
        #expect(carol.messages.isEmpty)
    }

    @Test func `before it is accepted a second message is refused with not_accepted`() throws {
        try direct(alice, bob, "may I?")
        #expect(throws: ChatError.self) { try direct(alice, bob, "hello?") }
    }

    @Test func `a peer without a link is not_connected`() throws {
        bob.kill()
        simulation.advance(by: .seconds(3))
        do {
            try direct(alice, bob, "still there?")
            Issue.record("a message to nobody was accepted")
        } catch let error as ChatError {
            #expect(error.code == .notConnected)
        }
    }

    @Test func `a decline is silent, and a later request is not shown`() throws {
        try direct(alice, bob, "may I?")
        try bob.decline(alice)
        simulation.advance(by: .seconds(1))
        #expect(bob.with { $0.requests() }.isEmpty)
        #expect(!alice.events.contains { if case .direct = $0 { true } else { false } })
    }

    @Test func `a request that was taken back is not sent again, and accepts nothing`() throws {
        let simulation = Simulation(seed: 24)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        try alice.say("one", to: bob)
        simulation.advance(by: .seconds(1))
        try alice.with { [key = bob.key] node throws(ChatError) in try node.perform(.leave(key)) }
        simulation.advance(by: .seconds(1))
        try bob.say("two", to: alice)
        simulation.advance(by: .seconds(1))
        simulation.network.breakConnections(between: alice.host, and: bob.host)
        simulation.advance(by: .seconds(30))
        try #require(alice.isOnline(bob))
        #expect(bob.texts(.direct(alice.key)) == ["two"])
        #expect(alice.with { node in node.requests() }.map(\.text) == ["two"])
        for peer in [alice, bob] {
            let accepted = peer.events.contains { if case .direct(.accepted, _) = $0 { true } else { false } }
            #expect(!accepted)
        }
    }
}
