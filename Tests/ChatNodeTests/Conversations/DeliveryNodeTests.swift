import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// Direct messages between nodes whose links break, in virtual time.
@Suite struct DeliveryNodeTests {
    private let simulation = Simulation(seed: 31)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer

    init() throws {
        alice = simulation.node("alice")
        bob = simulation.node("bob", identitySeed: 900)
        try #require(simulation.meet(alice, bob))
        try DeliveryNodeTests.befriend(alice, bob, in: simulation)
    }

    private static func befriend(_ alice: SimulatedPeer, _ bob: SimulatedPeer, in simulation: Simulation) throws {
        try alice.say("may I?", to: bob)
        simulation.advance(by: .seconds(1))
        try bob.accept(alice)
        simulation.advance(by: .seconds(1))
    }

    /// How far each own message came, the oldest first.
    private func states(_ peer: SimulatedPeer, with other: SimulatedPeer) -> [DeliveryState?] {
        let key = other.key
        return peer.with { $0.chat.messages(in: .direct(key)) }.filter(\.isFromCurrentUser).map(\.delivery)
    }

    private func failed(_ peer: SimulatedPeer) -> [[String]] {
        peer.events.compactMap { if case .failed(_, let messages) = $0 { messages.map(\.text) } else { nil } }
    }

    @Test func `a message is delivered, told once, and stays so in the history`() throws {
        try alice.say("hi", to: bob)
        #expect(alice.messages.last?.delivery == .sending)
        simulation.advance(by: .seconds(1))
        let id = try #require(alice.messages.last?.id)
        let told = alice.events.filter { if case .delivered(_, [id]) = $0 { true } else { false } }
        #expect(told.count == 1)
        #expect(states(alice, with: bob) == [.delivered, .delivered])
        #expect(bob.messages.allSatisfy { $0.delivery == nil })
    }

    @Test func `a message sent during a partition is delivered once when it heals`() throws {
        simulation.partition([alice], [bob])
        #expect(simulation.run(atMost: .seconds(120)) { !alice.isOnline(bob) && !bob.isOnline(alice) })
        for number in 1...5 { try alice.say("\(number)", to: bob) }
        #expect(states(alice, with: bob).suffix(5).allSatisfy { $0 == .sending })
        simulation.heal()
        try #require(simulation.meet(alice, bob, within: .seconds(90)))
        simulation.advance(by: .seconds(5))
        #expect(bob.texts(.direct(alice.key)) == ["may I?", "1", "2", "3", "4", "5"])
        #expect(bob.messages.filter { !$0.isFromCurrentUser }.map(\.text) == ["1", "2", "3", "4", "5"])
        #expect(bob.messages.map(\.id) == alice.messages.filter { $0.text != "may I?" }.map(\.id))
        #expect(states(alice, with: bob).allSatisfy { $0 == .delivered })
    }

    @Test(arguments: 1...20) func `a link that breaks in mid-conversation loses nothing and doubles nothing`(
        seed: UInt64
    ) throws {
        let simulation = Simulation(seed: seed, latency: .milliseconds(5)...(.milliseconds(60)))
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        try DeliveryNodeTests.befriend(alice, bob, in: simulation)
        for number in 1...12 {
            try alice.say("a\(number)", to: bob)
            try bob.say("b\(number)", to: alice)
            simulation.advance(by: .milliseconds(Int64(seed) * 9))
            if number % 3 == 0 { simulation.network.breakConnections(between: alice.host, and: bob.host) }
            simulation.advance(by: .milliseconds(600))
        }
        simulation.advance(by: .seconds(60))
        for (peer, other, name) in [(alice, bob, "b"), (bob, alice, "a")] {
            let heard = peer.messages.filter { !$0.isFromCurrentUser }.map(\.text)
            #expect(heard == (1...12).map { "\(name)\($0)" })
            #expect(states(peer, with: other).allSatisfy { $0 == .delivered })
            #expect(peer.counter("dropped_author_rate") == 0)
        }
    }

    @Test func `as many as wait are delivered, without breaking the rate`() throws {
        simulation.partition([alice], [bob])
        #expect(simulation.run(atMost: .seconds(120)) { !alice.isOnline(bob) })
        for number in 1...100 {
            try alice.say("\(number)", to: bob)
            simulation.advance(by: .milliseconds(600))
        }
        simulation.heal()
        try #require(simulation.meet(alice, bob, within: .seconds(120)))
        simulation.advance(by: .seconds(60))
        #expect(bob.messages.filter { !$0.isFromCurrentUser }.map(\.text) == (1...100).map(String.init))
        #expect(bob.counter("dropped_author_rate") == 0)
        #expect(failed(alice).isEmpty)
    }

    @Test func `the oldest of 101 that wait is failed`() throws {
        simulation.partition([alice], [bob])
        #expect(simulation.run(atMost: .seconds(120)) { !alice.isOnline(bob) })
        for number in 0...100 {
            try alice.say("\(number)", to: bob)
            simulation.advance(by: .milliseconds(600))
        }
        #expect(failed(alice) == [["0"]])
    }

    @Test func `an identity with a new run is asked again, and receives the waiting messages`() throws {
        bob.kill()
        #expect(simulation.run(atMost: .seconds(10)) { !alice.isOnline(bob) })
        try alice.say("are you back?", to: bob)
        try alice.say("and here?", to: bob)
        let again = simulation.node("bob", identitySeed: 900)
        #expect(again.key == bob.key)
        try #require(simulation.meet(alice, again))
        simulation.advance(by: .seconds(2))
        #expect(again.with { $0.requests() }.map(\.text) == ["are you back?"])
        #expect(again.messages.isEmpty)
        try again.accept(alice)
        simulation.advance(by: .seconds(2))
        #expect(again.texts(.direct(alice.key)) == ["are you back?", "and here?"])
        #expect(states(alice, with: again).allSatisfy { $0 == .delivered })
    }

    @Test func `bytes sent on a dead link go again on the link that replaces it`() throws {
        let replaced = alice.counter("links_replaced")
        simulation.partition([bob])
        try alice.say("anybody?", to: bob)
        let again = simulation.node("bob", identitySeed: 900)
        #expect(simulation.run(atMost: .seconds(5)) { !again.with { $0.requests() }.isEmpty })
        #expect(again.with { $0.requests() }.map(\.text) == ["anybody?"])
        #expect(alice.counter("links_replaced") > replaced)
    }

    @Test func `messages that can no longer be delivered fail before the node stops`() throws {
        bob.kill()
        #expect(simulation.run(atMost: .seconds(10)) { !alice.isOnline(bob) })
        try alice.say("lost", to: bob)
        alice.leave()
        #expect(simulation.run(atMost: .seconds(20)) { alice.hasStopped })
        #expect(failed(alice) == [["lost"]])
        guard case .stopped = alice.events.last else { throw Unexpected(what: "something after the end") }
    }

    @Test func `the last message is delivered before the node stops`() throws {
        try alice.say("bye", to: bob)
        alice.leave()
        #expect(simulation.run(atMost: .seconds(20)) { alice.hasStopped })
        #expect(bob.texts(.direct(alice.key)).last == "bye")
        #expect(failed(alice).isEmpty)
    }

    @Test func `an edit and a deletion reach who was away`() throws {
        try alice.say("drop", to: bob)
        try alice.say("helo", to: bob)
        simulation.advance(by: .seconds(1))
        simulation.partition([alice], [bob])
        #expect(simulation.run(atMost: .seconds(120)) { !alice.isOnline(bob) })
        alice.open(.direct(bob.key))
        try alice.with { node throws(ChatError) in try node.perform(.edit(nil, "hello")) }
        let dropped = try #require(alice.messages.first { $0.text == "drop" }?.id.hexadecimal)
        try alice.with { node throws(ChatError) in try node.perform(.delete(dropped)) }
        simulation.heal()
        try #require(simulation.meet(alice, bob, within: .seconds(90)))
        simulation.advance(by: .seconds(2))
        #expect(bob.texts(.direct(alice.key)) == ["may I?", "hello"])
    }

    @Test func `an honest sender's edits and deletions keep to its rate`() throws {
        var refused = 0
        for number in 1...40 {
            let command = number % 2 == 0
            do throws(ChatError) {
                if command {
                    try alice.say("x")
                } else {
                    try alice.with { node throws(ChatError) in try node.perform(.edit(nil, "y")) }
                }
            } catch {
                if error.code == .rateLimited { refused += 1 }
            }
        }
        simulation.advance(by: .seconds(1))
        #expect(refused >= 29)
        #expect(bob.counter("dropped_author_rate") == 0)
    }

    @Test func `read receipts pass only between peers that both wish it`() throws {
        let simulation = Simulation(seed: 32)
        let alice = simulation.node("alice") { $0.readReceipts = true }
        let bob = simulation.node("bob") { $0.readReceipts = true }
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        for other in [bob, carol] {
            try DeliveryNodeTests.befriend(alice, other, in: simulation)
            other.open(.direct(alice.key))
            try alice.say("seen?", to: other)
            simulation.advance(by: .seconds(1))
        }
        #expect(states(alice, with: bob) == [.read, .read])
        #expect(states(alice, with: carol) == [.delivered, .delivered])
    }
}

private struct Unexpected: Error { let what: String }
