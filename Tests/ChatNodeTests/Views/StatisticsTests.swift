import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// The counters of a node.
@Suite struct StatisticsTests {
    private let simulation = Simulation(seed: 83)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer

    init() throws {
        alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(3))
    }

    private func kinds(_ prefix: String, of peer: SimulatedPeer) -> Int {
        let counters = peer.with { node in node.statistics() }
        return counters.reduce(0) { $0 + ($1.metric.name.hasPrefix(prefix) ? $1.value : 0) }
    }

    @Test func `payloads are counted by kind, sent once for each link and taken in once`() throws {
        let carol = simulation.node("carol") { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob, carol))
        simulation.advance(by: .seconds(3))
        try alice.say("one")
        try alice.say("two")
        try alice.say("psst", to: bob)
        simulation.advance(by: .seconds(1))
        #expect(alice.counter("sent_public_message") == 4)
        #expect(alice.counter("sent_dm_request") == 1)
        #expect(bob.counter("admitted_public_message") == 2)
        #expect(bob.counter("admitted_dm_request") == 1)
        #expect(carol.counter("admitted_dm_request") == 0)
        for peer in [alice, bob, carol] {
            #expect(kinds("admitted_", of: peer) == peer.counter("payloads_admitted"))
            #expect(kinds("sent_", of: peer) == peer.counter("payloads_sent") + peer.counter("history_sent"))
        }
    }

    @Test func `history is counted by what it is`() throws {
        try alice.say("one")
        try alice.with { node throws(ChatError) in try node.perform(.edit(nil, "two")) }
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        simulation.advance(by: .seconds(10))
        #expect(carol.texts() == ["two"])
        #expect(carol.counter("admitted_public_message") == 1)
        #expect(carol.counter("admitted_edit") == 1)
        #expect(kinds("admitted_", of: carol) == carol.counter("payloads_admitted"))
    }

    @Test func `a link to a peer that had one before is a reconnect`() throws {
        #expect(alice.counter("reconnects") == 0)
        simulation.partition([alice], [bob])
        simulation.advance(by: .seconds(120))
        #expect(!alice.isOnline(bob))
        simulation.heal()
        simulation.advance(by: .seconds(120))
        #expect(alice.isOnline(bob))
        #expect(alice.counter("reconnects") == 1)
    }

    @Test func `unread messages are counted in the room and in all direct conversations together`() throws {
        try alice.say("psst", to: bob)
        simulation.advance(by: .seconds(1))
        try bob.accept(alice)
        bob.open(.direct(alice.key))
        simulation.advance(by: .seconds(1))
        try alice.with { node throws(ChatError) in
            try node.perform(.send("in public", to: .publicRoom))
            try node.perform(.send("again", to: .publicRoom))
        }
        bob.open(.publicRoom)
        try alice.say("in private", to: bob)
        simulation.advance(by: .seconds(1))
        #expect(bob.counter("unread_public") == 0)
        #expect(bob.counter("unread_direct") == 1)
    }

    @Test func `a public message goes to the room whichever conversation is open`() throws {
        try alice.say("psst", to: bob)
        simulation.advance(by: .seconds(1))
        try bob.accept(alice)
        simulation.advance(by: .seconds(1))
        alice.open(.direct(bob.key))
        try alice.with { node throws(ChatError) in try node.perform(.send("to all", to: .publicRoom)) }
        simulation.advance(by: .seconds(1))
        #expect(bob.texts() == ["to all"])
        #expect(bob.texts(.direct(alice.key)) == ["psst"])
    }
}
