import Chat
import Noise
import Simulator
import Synchronization
import Testing
import Wire

@testable import ChatNode

/// The time between the start of a node and its first sign on the network.
@Suite struct EntryTests {
    private let simulation = Simulation(seed: 1)
    private let alice: SimulatedPeer
    private let host: HostID
    private let node: Confined<Node>

    init() {
        alice = simulation.node("alice")
        simulation.advance(by: .seconds(5))
        let (host, timeline) = (simulation.network.addHost(), simulation.timeline)
        self.host = host
        var randomness = Randomness.seeded(2)
        node = Confined(
            Node(
                configuration: NodeConfiguration(), identity: Identity.generate(using: &randomness),
                randomness: randomness, scheduler: SimulatedScheduler(timeline: timeline),
                transport: InMemoryTransport(network: simulation.network, host: host),
                discoveries: [InMemoryDiscovery(directory: simulation.directory, host: host)], deliver: { _ in }))
    }

    private func with<Failure: Error>(_ body: (Node) throws(Failure) -> Void) throws(Failure) {
        try simulation.timeline.perform { () throws(Failure) in try body(node.value) }
    }

    private var isAnnounced: Bool { simulation.directory.announcement(of: host) != nil }

    /// The dials and links of the other node.
    private var contacts: Int { alice.counter("dials") + alice.counter("connections") }

    @Test func `a node that is to wait shows itself to no peer before, and meets them then`() throws {
        try with { try $0.start(after: .seconds(7)) }
        simulation.advance(by: .milliseconds(6_999))
        #expect(!isAnnounced && contacts == 0)
        simulation.advance(by: .milliseconds(1))
        #expect(isAnnounced)
        #expect(simulation.run(atMost: .seconds(2)) { alice.counter("connections") == 1 })
    }

    enum Act: CaseIterable { case look, watch, say }

    @Test(arguments: Act.allCases) func `a user that looks at the room or speaks in it does not wait`(act: Act) throws {
        try with {
            try $0.start(after: .seconds(7))
            $0.change(.lookAway)
            $0.change(.watch([]))
        }
        #expect(!isAnnounced)
        try with {
            switch act {
            case .look: $0.change(.open(.publicRoom))
            case .watch: $0.change(.watch([.publicRoom]))
            case .say: try $0.perform(.send("hello"))
            }
        }
        #expect(isAnnounced)
        #expect(simulation.run(atMost: .seconds(2)) { alice.counter("connections") == 1 })
    }

    @Test(.timeLimit(.minutes(5)))
    func `a paced text does not wait for the end of the pause, but for the first peers`() async throws {
        try with { try $0.start(after: .seconds(7)) }
        let (node, scheduler) = (node, SimulatedScheduler(timeline: simulation.timeline))
        let maySend = Flag()
        simulation.timeline.perform {
            scheduler.begin { _ in
                if await node.value.waitUntilMaySend() { maySend.set() }
            }
        }
        #expect(isAnnounced && !maySend.isSet)
        // The task goes on in true time, on a thread of its own at first.
        while !maySend.isSet {
            await Task.yield()
            simulation.advance(by: .milliseconds(1))
        }
        #expect(alice.counter("connections") == 1)
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }

    @Test func `a node that leaves before was never on the network`() throws {
        try with { try $0.start(after: .seconds(7)) }
        simulation.advance(by: .seconds(3))
        with { $0.beginLeaving() }
        simulation.advance(by: .seconds(10))
        #expect(!isAnnounced && contacts == 0)
        #expect(simulation.timeline.perform { node.value.parts.lifecycle.isStopped })
    }
}
