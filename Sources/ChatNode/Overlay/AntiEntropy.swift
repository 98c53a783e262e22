import Chat
import Noise
import Wire

/// When a neighbour is asked to compare the latest payloads, and which (Protocol.md section 13).
struct AntiEntropy: Sendable {
    private(set) var nextDeadline: Instant?

    mutating func start(now: Instant, using randomness: inout Randomness) {
        guard nextDeadline == nil else { return }
        nextDeadline = now + .random(in: Limits.latestIntervalLeast...Limits.latestIntervalMost, using: &randomness)
    }

    /// A payload came: the silence is over.
    mutating func hasten(now: Instant, using randomness: inout Randomness) {
        guard let deadline = nextDeadline, deadline > now + Limits.latestIntervalMost else { return }
        nextDeadline = now + .random(in: Limits.latestIntervalLeast...Limits.latestIntervalMost, using: &randomness)
    }

    mutating func stop() { nextDeadline = nil }

    /// The neighbour to ask now, one that this node dialled if there is one; nil while nothing is due.
    ///
    /// - Parameter isQuiet: nothing came within 30 s.
    mutating func due(
        now: Instant, neighbours: Neighbours, isQuiet: Bool, using randomness: inout Randomness
    ) -> PeerID? {
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        let pause = Duration.random(in: Limits.latestIntervalLeast...Limits.latestIntervalMost, using: &randomness)
        nextDeadline = now + (isQuiet ? Limits.latestIntervalInSilence : pause)
        let peers = neighbours.peers.filter { neighbours[$0]?.isInTrees ?? false }
        let outgoing = peers.filter { neighbours[$0]?.isOutgoing ?? false }
        return (outgoing.isEmpty ? peers : outgoing).randomElement(using: &randomness)
    }
}
