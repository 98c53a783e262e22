import Chat
@testable import ChatNode
import Simulator
import Testing
import Wire

/// Nodes that meet and talk, in virtual time.
@Suite struct ConversationTests {
    @Test(arguments: 1...5) func `three nodes find each other and hear every public line`(seed: UInt64) throws {
        let simulation = Simulation(seed: seed)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol, within: .seconds(5)))
        try alice.say("hello")
        simulation.advance(by: .seconds(1))
        try bob.say("안녕하세요")
        simulation.advance(by: .seconds(1))
        for peer in [alice, bob, carol] {
            #expect(peer.texts() == ["hello", "안녕하세요"])
        }
    }

    @Test func `a message is reported once as a message from its sender, and to the sender as its own`() throws {
        let simulation = Simulation(seed: 11)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        try alice.say("hello")
        simulation.advance(by: .seconds(1))
        let atBob = bob.messages
        #expect(atBob.count == 1)
        #expect(atBob.first?.from.key == alice.key)
        #expect(atBob.first?.from.nickname == "alice")
        #expect(atBob.first?.isFromCurrentUser == false)
        #expect(alice.messages.map(\.isFromCurrentUser) == [true])
        #expect(alice.messages.map(\.id) == atBob.map(\.id))
    }

    @Test func `between two peers one link is left, however both dialled`() throws {
        let simulation = Simulation(seed: 3, latency: .milliseconds(30)...(.milliseconds(60)))
        let (alice, bob) = simulation.strangers()
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(10))
        #expect(alice.counter("handshakes_done") == 2)
        #expect(alice.counter("connections") == 1)
        #expect(bob.counter("connections") == 1)
    }

    @Test(arguments: 1...40) func `nothing said while links are being replaced is lost or doubled`(seed: UInt64) throws
    {
        let simulation = Simulation(seed: seed, latency: .milliseconds(1)...(.milliseconds(80)))
        let (alice, bob) = simulation.strangers { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob))
        let lines = (1...60).map { "line \($0)" }
        for line in lines {
            try alice.say(line)
            simulation.advance(by: .milliseconds(7))
        }
        simulation.advance(by: .seconds(5))
        #expect(bob.texts().sorted() == lines.sorted())
        #expect(bob.messages.count == lines.count)
    }

    @Test(arguments: 1...20) func `a killed node is gone at once, and back under its new identity`(seed: UInt64) throws
    {
        let simulation = Simulation(seed: seed)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        bob.kill()
        #expect(simulation.run(atMost: .seconds(2)) { !alice.isOnline(bob) })
        let again = simulation.node("bob")
        #expect(simulation.meet(alice, again))
        #expect(!alice.isOnline(bob))
    }

    @Test(arguments: [10, 60, 200]) func `a partition heals`(seconds: Int) throws {
        let simulation = Simulation(seed: UInt64(seconds))
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        simulation.partition([alice], [bob, carol])
        simulation.advance(by: .seconds(seconds))
        try bob.say("can you hear me, carol?")
        simulation.advance(by: .seconds(1))
        #expect(carol.texts() == ["can you hear me, carol?"])
        simulation.heal()
        // Connections closed on the other side of the partition end first.
        simulation.advance(by: .seconds(3))
        try #require(simulation.meet(alice, bob, carol, within: .seconds(90)))
        try alice.say("I am back")
        simulation.advance(by: .seconds(2))
        #expect(bob.texts().contains("I am back"))
        #expect(carol.texts().contains("I am back"))
    }

    @Test func `a peer that reads nothing is let go and slows no other peer`() throws {
        let simulation = Simulation(seed: 6)
        let alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        let bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        let stuck = simulation.node("stuck")
        try #require(simulation.meet(alice, bob, stuck))
        simulation.network.setReading(false, at: stuck.host)
        let line = String(repeating: "x", count: 240)
        for _ in 0..<2_000 {
            try alice.say(line)
            simulation.advance(by: .milliseconds(1))
        }
        simulation.advance(by: .seconds(1))
        #expect(bob.messages.count == 2_000)
        #expect(!alice.isOnline(stuck))
        #expect(alice.counter("link_too_slow") == 1)
    }

    @Test func `a fast sender is held up by a full queue, an occasional sender is not`() throws {
        let simulation = Simulation(seed: 7)
        let alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        let stuck = simulation.node("stuck")
        func obstacle(isFast: Bool) -> Conversations.Obstacle? {
            alice.with { node in
                node.act { $0.conversations.obstacle(.messages(1), isFast: isFast, &$0.links, $1, &$2) }
            }
        }
        try #require(simulation.meet(alice, stuck))
        simulation.advance(by: .seconds(3))
        simulation.network.setReading(false, at: stuck.host)
        let line = String(repeating: "x", count: 240)
        // The network's window, and more than half of what a link may queue.
        for _ in 0..<850 {
            try alice.say(line)
            simulation.advance(by: .milliseconds(1))
        }
        try #require(alice.isOnline(stuck))
        #expect(obstacle(isFast: true) == .fullQueue)
        #expect(obstacle(isFast: false) == nil)
        // Nor does it hold up a fast sender for ever.
        simulation.advance(by: .seconds(1))
        #expect(obstacle(isFast: true) == nil)
    }

    @Test func `a silent link is dead after 75 s, a living one is not`() throws {
        let simulation = Simulation(seed: 8)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(300))
        #expect(alice.isOnline(bob))
        simulation.partition([alice], [bob])
        #expect(simulation.run(atMost: .seconds(120)) { !alice.isOnline(bob) })
        #expect(alice.counter("link_silent") == 1)
    }

    @Test func `leaving says everything first`() throws {
        let simulation = Simulation(seed: 9)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        try alice.say("bye")
        alice.leave()
        #expect(simulation.run(atMost: .seconds(5)) { alice.hasStopped })
        #expect(bob.texts() == ["bye"])
        #expect(!bob.isOnline(alice))
    }

    @Test func `rooms do not see each other`() throws {
        let simulation = Simulation(seed: 10)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob") { $0.room = Room(openNamed: "attic") }
        simulation.advance(by: .seconds(30))
        #expect(!alice.isOnline(bob))
        #expect(alice.counter("dials") == 0)
    }

    @Test func `two runs with one seed are equal`() throws {
        func run() throws -> [Int] {
            let simulation = Simulation(seed: 77)
            let peers = (1...6).map { simulation.node("peer-\($0)") }
            simulation.advance(by: .seconds(3))
            for peer in peers { try peer.say("hello from \(peer.key.hexadecimal)") }
            simulation.advance(by: .seconds(60))
            return peers.flatMap { peer in
                [simulation.network.bytesReceived(by: peer.host), peer.counter("dials"), peer.messages.count]
                    + peer.texts().map(\.hashValue)
            }
        }
        #expect(try run() == run())
    }
}
