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
        nextDeadline =
            now
            + (isQuiet
                ? Limits.latestIntervalInSilence.spread(using: &randomness)
                : .random(in: Limits.latestIntervalLeast...Limits.latestIntervalMost, using: &randomness))
        let peers = neighbours.peers.filter { neighbours[$0]?.isInTrees ?? false }
        let outgoing = peers.filter { neighbours[$0]?.isOutgoing ?? false }
        return (outgoing.isEmpty ? peers : outgoing).randomElement(using: &randomness)
    }
}

extension Limits {
    /// The least pause between two comparisons of the latest payloads with a neighbour. A shorter one costs lists of up
    /// to 100 ids; a longer one lets a payload that all trees lost arrive later.
    static let latestIntervalLeast = Duration.seconds(1.6)
    /// The most. The difference keeps nodes from comparing in step; larger values delay the repair.
    static let latestIntervalMost = Duration.seconds(2.4)
    /// The pause where nothing came for `latestTime`; up to a fifth more or less, at random. A longer one delays the first payload after silence if the trees
    /// lose it; a shorter one costs quiet rooms traffic.
    static let latestIntervalInSilence = Duration.seconds(10)
}
