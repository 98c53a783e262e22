import Chat
import ChatNode
import Simulator
import Synchronization
import Wire

/// The simulated network. Its time passes only while a test waits.
final class SimulatedWorld: World {
    private let timeline: Timeline
    private let make: Mutex<Simulation>

    init(seed: UInt64) {
        let simulation = Simulation(seed: seed)
        timeline = simulation.timeline
        make = Mutex(simulation)
    }

    func person(_ nickname: String, configure: @Sendable (inout NodeConfiguration) -> Void) async throws -> any Person {
        make.withLock { simulation in SimulatedPerson(simulation.node(nickname, configure: configure)) }
    }

    func wait(atMost limit: Duration, until condition: @escaping @Sendable () -> Bool) async -> Bool {
        timeline.advance(atMost: limit, until: condition)
    }

    func close() async {}
}

final class SimulatedPerson: Person {
    private let peer: SimulatedPeer

    init(_ peer: SimulatedPeer) {
        self.peer = peer
    }

    var key: PeerID { peer.key }

    var told: Told {
        let told = Told()
        told.append(peer.events)
        return told
    }

    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Node) throws(ChatError) -> Result
    ) async throws(ChatError) -> Result {
        try peer.with(body)
    }

    func leave() async {
        peer.leave()
    }
}
