import Chat
import ChatNode
import Noise
import Simulator
import Testing
import Wire

/// The start and the end of a node.
@Suite struct LifeTests {
    @Test(.timeLimit(.minutes(5))) func `a node that never started has left at once`() async {
        let simulation = Simulation(seed: 1)
        var randomness = Randomness.seeded(1)
        let node = Node(
            configuration: NodeConfiguration(), identity: Identity.generate(using: &randomness),
            randomness: randomness, scheduler: SimulatedScheduler(timeline: simulation.timeline),
            transport: InMemoryTransport(network: simulation.network, host: simulation.network.addHost()),
            discoveries: [], deliver: { _ in })
        node.beginLeaving()
        await node.awaitEnd()
        #expect(simulation.now == Instant(nanoseconds: 0))
    }
}
