import Chat
import ChatNode
import Simulator
import Synchronization
import Testing
import Wire

/// Effects of the simulated network on its hosts.
@Suite struct NetworkTests {
    @Test func `a connection closed behind a partition ends when it heals, whatever was sent meanwhile`() throws {
        let simulation = Simulation(seed: 20)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        simulation.partition([alice], [bob])
        try alice.say("are you there?")
        bob.leave()
        simulation.advance(by: .seconds(15))
        #expect(alice.isOnline(bob))
        simulation.heal()
        simulation.advance(by: .seconds(1))
        #expect(!alice.isOnline(bob))
        #expect(alice.counter("connections") == 0)
    }

    @Test func `nothing comes from a killed node any more`() throws {
        let simulation = Simulation(seed: 21)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        bob.kill()
        simulation.advance(by: .seconds(1))
        let (handshakes, dials) = (alice.counter("handshakes_done"), bob.counter("dials"))
        simulation.advance(by: .seconds(300))
        #expect(bob.counter("dials") > dials)
        #expect(alice.counter("handshakes_done") == handshakes)
        #expect(!alice.isOnline(bob))
    }

    @Test(arguments: 1...10) func `a lost segment comes late, and nothing overtakes it`(seed: UInt64) throws {
        let simulation = Simulation(seed: seed, latency: .milliseconds(5)...(.milliseconds(5)), loss: 0.2)
        let (bob, lines) = try listener(in: simulation, to: 60, every: .milliseconds(100))
        #expect(bob.texts() == lines)
        let delays = NetworkTests.delays(at: bob)
        #expect(delays.contains { $0 >= 194 })
        #expect(delays.contains { $0 <= 6 })
    }

    @Test func `a lost segment comes early where the receiver acknowledges the one behind it`() throws {
        let conditions = Conditions(latency: .milliseconds(5)...(.milliseconds(5)), loss: 0.1, hasSACK: true)
        let simulation = Simulation(seed: 2, conditions: conditions)
        let (bob, lines) = try listener(in: simulation, to: 200, every: .milliseconds(20))
        #expect(bob.texts() == lines.suffix(Limits.messagesPerConversation))
        let delays = NetworkTests.delays(at: bob).sorted()
        // 20 ms until the next message, which is there after 5 ms more, and 12.5 ms for the acknowledgement and the repetition.
        #expect(delays[delays.count * 95 / 100] <= 40)
        #expect(delays.contains { (30...34).contains($0) })
    }

    @Test func `each direction of a link may have a latency of its own`() throws {
        let conditions = Conditions(latency: .milliseconds(10)...(.milliseconds(90)), isAsymmetric: true)
        let simulation = Simulation(seed: 3, conditions: conditions)
        let alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        let bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob))
        for _ in 0..<20 {
            try alice.say("there")
            try bob.say("back")
            simulation.advance(by: .milliseconds(200))
        }
        for peer in [alice, bob] { #expect(NetworkTests.delays(at: peer, received: true).allSatisfy { $0 <= 1 }) }
    }

    @Test func `a slow reader gets all, as late as it reads`() throws {
        let simulation = Simulation(seed: 4, latency: .milliseconds(5)...(.milliseconds(5)))
        let alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        let bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob))
        simulation.network.setReadingRate(5_000, of: bob.host)
        let before = simulation.network.bytesReceived(by: bob.host)
        let lines = (1...50).map { "line \($0)" }
        for line in lines { try alice.say(line) }
        simulation.advance(by: .seconds(2))
        #expect((9_000...10_000).contains(simulation.network.bytesReceived(by: bob.host) - before))
        #expect((15...20).contains(bob.texts().count))
        simulation.advance(by: .seconds(10))
        #expect(bob.texts() == lines)
    }

    /// How much longer than the fastest each message took, in milliseconds: their author's clock is shifted.
    /// One of two peers, to which the other says so many lines, and these lines, long after the last.
    private func listener(
        in simulation: Simulation, to count: Int, every pause: Duration
    ) throws -> (SimulatedPeer, lines: [String]) {
        let alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        let bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(5))
        let lines = (1...count).map { "line \($0)" }
        for line in lines {
            try alice.say(line)
            simulation.advance(by: pause)
        }
        simulation.advance(by: .seconds(60))
        return (bob, lines)
    }

    private static func delays(at peer: SimulatedPeer, received: Bool = false) -> [Int64] {
        let messages = peer.messages.filter { !received || !$0.isFromCurrentUser }
        let delays = messages.map { Int64($0.receivedAt.milliseconds) - Int64($0.sentAt.milliseconds) }
        return delays.map { $0 - (delays.min() ?? 0) }
    }

    @Test func `without loss nothing takes longer than the latency`() throws {
        let simulation = Simulation(seed: 22, latency: .milliseconds(30)...(.milliseconds(40)))
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        for _ in 0..<10 {
            try alice.say("hello")
            simulation.advance(by: .seconds(1))
        }
        #expect(bob.messages.count == 10)
        #expect(NetworkTests.delays(at: bob).allSatisfy { $0 <= 11 })
    }

    @Test(arguments: [(10, 2), (30, 4), (100, 7), (1_000, 20)])
    func `limited sight is mutual, connected, and as wide as was asked for`(places: Int, links: Int) {
        let topology = Topology.limited(places: places, links: links, seed: 7)
        var reached: Set = [0]
        var edge = [0]
        while let place = edge.popLast() {
            let seen = (0..<places).filter { topology.sees(place, $0) }
            #expect(seen.count == topology.degree(of: place, among: places))
            #expect((2...links).contains(seen.count))
            #expect(seen.allSatisfy { $0 != place && topology.sees($0, place) })
            let new = seen.filter { reached.insert($0).inserted }
            edge += new
        }
        #expect(reached.count == places)
        let total = (0..<places).reduce(0) { $0 + topology.degree(of: $1, among: places) }
        #expect(total >= places * links - 2 * links)
    }

    @Test func `only those in sight meet, and only they hear each other`() throws {
        let simulation = Simulation(seed: 23, topology: .limited(places: 6, links: 2, seed: 1))
        let peers = (0..<6).map { simulation.node("peer-\($0)") { $0.sharesHistory = false } }
        simulation.advance(by: .seconds(5))
        for place in 0..<6 {
            let met = (0..<6).filter { peers[place].isOnline(peers[$0]) }
            #expect(met == [(place + 1) % 6, (place + 5) % 6].sorted())
        }
        try peers[0].say("hello")
        simulation.advance(by: .seconds(1))
        #expect(peers.map(\.messages.count) == [1, 1, 0, 0, 0, 1])
    }

    @Test func `a newcomer to a crowd hears some of the others, and is heard by all`() {
        let simulation = Simulation(seed: 25)
        let heard = Mutex<[Int: Set<String>]>([:])
        func start(_ number: Int) -> InMemoryDiscovery {
            let host = simulation.network.addHost()
            let discovery = InMemoryDiscovery(directory: simulation.directory, host: host)
            let announcement = Announcement(instance: "\(number)", host: "h\(number)", port: 1, subtype: "_r")
            discovery.start(announcement) { event in
                guard case .found(let instance, _, _) = event else { return }
                heard.withLock { _ = $0[number, default: []].insert(instance) }
            }
            return discovery
        }
        let others = (0..<200).map(start)
        simulation.advance(by: .seconds(1))
        #expect(heard.withLock { $0[0]?.count } == 199)
        for other in others { other.crowdChanged(Crowd(isOverlay: true, known: 200)) }
        _ = start(200)
        simulation.advance(by: .seconds(1))
        #expect((30...90).contains(heard.withLock { $0[200]?.count ?? 0 }))
        #expect((0..<200).allSatisfy { number in heard.withLock { $0[number]?.contains("200") ?? false } })
    }
}
