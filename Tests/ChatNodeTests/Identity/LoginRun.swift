import Chat
import Noise
import Simulator
import Testing
import Wire

/// A simulated network on which several sessions of one identity start one after the other, drawn from a seed.
struct LoginRun {
    private let simulation: Simulation
    private let others: [SimulatedPeer]
    /// The sessions of the identity, in the order in which they started.
    let logins: [SimulatedPeer]
    /// Whether all others heard the last message of the session that is left.
    let isLastHeard: Bool

    /// - Parameter gap: between two starts, in milliseconds.
    init(seed: UInt64, gap: ClosedRange<Int> = 20_000...22_000) throws {
        var randomness = Randomness.seeded(seed)
        let latency = Duration.milliseconds(Int.random(in: 1...200, using: &randomness))
        let simulation = Simulation(seed: seed, latency: .milliseconds(1)...latency)
        let count = [1, 1, 1, 2, 4].randomElement(using: &randomness) ?? 1
        let others = (0..<count).map { number in
            simulation.node("other-\(number)", clockError: LoginRun.clockError(&randomness))
        }
        let isParted = Bool.random(using: &randomness)
        var logins: [SimulatedPeer] = []
        for _ in 0..<(Int.random(in: 0..<4, using: &randomness) == 0 ? 3 : 2) {
            let login = simulation.node("login", clockError: LoginRun.clockError(&randomness), identitySeed: 7)
            if isParted { LoginRun.part(login, from: logins, others, on: simulation, &randomness) }
            logins.append(login)
            simulation.advance(by: .milliseconds(Int.random(in: gap, using: &randomness)))
        }
        _ = simulation.run(atMost: .seconds(30)) { logins.count { !$0.hasStopped } == 1 }
        simulation.advance(by: .seconds(3))
        try? logins.last { !$0.hasStopped }?.say("it is me")
        simulation.advance(by: .seconds(2))
        isLastHeard = others.allSatisfy { $0.texts() == ["it is me"] }
        self.simulation = simulation
        self.others = others
        self.logins = logins
    }

    /// The indices of the sessions that still run.
    var survivors: [Int] { logins.indices.filter { !logins[$0].hasStopped } }

    private static func clockError(_ randomness: inout Randomness) -> Duration {
        .milliseconds(Int.random(in: -3_600_000...3_600_000, using: &randomness))
    }

    /// A new session reaches no other session of its identity, ever, or only one of the others at first.
    private static func part(
        _ login: SimulatedPeer, from logins: [SimulatedPeer], _ others: [SimulatedPeer], on simulation: Simulation,
        _ randomness: inout Randomness
    ) {
        if Bool.random(using: &randomness) {
            for earlier in logins { simulation.part(login, earlier) }
        } else if let friend = others.randomElement(using: &randomness) {
            simulation.partition([login, friend])
            simulation.advance(by: .milliseconds(Int.random(in: 0...5_000, using: &randomness)))
            simulation.heal()
        }
    }
}
