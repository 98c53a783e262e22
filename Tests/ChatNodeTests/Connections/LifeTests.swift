import Chat
import ChatNode
import Noise
import Simulator
import Synchronization
import Testing
import Wire

/// The start and the end of a node.
@Suite struct LifeTests {
    @Test(.timeLimit(.minutes(1))) func `a node that never started has left at once`() async {
        let simulation = Simulation(seed: 1)
        var randomness = Randomness.seeded(1)
        let node = Node(
            configuration: NodeConfiguration(), identity: Identity.generate(using: &randomness),
            randomness: randomness, scheduler: SimulatedScheduler(timeline: simulation.timeline),
            transport: InMemoryTransport(network: simulation.network, host: simulation.network.addHost()),
            discoveries: [], deliver: { _ in })
        let hasLeft = Mutex(false)
        Task {
            await node.leave()
            hasLeft.withLock { $0 = true }
        }
        while !hasLeft.withLock({ $0 }), !Task.isCancelled {
            simulation.advance(by: .seconds(1))
            await Task.yield()
        }
        #expect(hasLeft.withLock { $0 })
    }
}
