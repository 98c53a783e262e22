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

    @Test(arguments: [(false, 10), (true, 1)])
    func `a wiped node waits a second for a peer that is silent, and another ten`(isWiped: Bool, seconds: Int) throws {
        let simulation = Simulation(seed: 1)
        let (alice, bob) = (simulation.node("alice"), simulation.node("bob"))
        try #require(simulation.meet(alice, bob))
        bob.vanish()
        alice.with { $0.beginLeaving(isWiped: isWiped) }
        simulation.advance(by: .seconds(seconds) - .milliseconds(1))
        #expect(!alice.hasStopped)
        simulation.advance(by: .milliseconds(10))
        #expect(alice.hasStopped)
    }
}
