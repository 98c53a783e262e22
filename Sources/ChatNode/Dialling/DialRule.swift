import Wire

/// The order of dials where not all can be under way at once.
///
/// Candidates with the fewest failures go first; of those never tried, the oldest and the newest take turns, so that a crowd
/// keeps neither waiting.
struct DialTurns {
    struct DueCandidate {
        let failures: Int
        let deadline: Instant
        let instance: String
    }

    private var isTurnOfNewest = false

    /// The instances of `candidates` in the order in which they are dialled; a seed reproduces it.
    mutating func order(_ candidates: [DueCandidate]) -> [String] {
        let sorted = candidates.sorted {
            ($0.failures, $0.deadline, $0.instance) < ($1.failures, $1.deadline, $1.instance)
        }
        let untried = sorted.prefix { $0.failures == 0 }
        var (first, last) = (0, untried.count - 1)
        var order: [String] = []
        while first <= last {
            order.append(sorted[isTurnOfNewest ? last : first].instance)
            if isTurnOfNewest { last -= 1 } else { first += 1 }
            isTurnOfNewest.toggle()
        }
        return order + sorted[untried.endIndex...].map(\.instance)
    }
}

/// The dial rule (Protocol.md section 10): a random 0-50 ms after a candidate is seen, or 300 ms more where the other side is
/// to dial first, its addresses in turn, 250 ms apart, until one connects; after a failure again with growing, jittered
/// pauses, for ever while discovery names it, and for 10 minutes after that if it was linked once. A peer that is shut out
/// is not dialled, and no peer is while all links are taken.
extension Dialler {
    package static let firstWait = 0...50
    /// The longer wait where the other side is to dial: for its dial, and for the handshake.
    package static let yieldingWait = Duration.milliseconds(300)
    /// Our name is new for this long: a peer found meanwhile has found us too, or does so now.
    package static let newness = Duration.seconds(3)
    package static let addressInterval = Duration.milliseconds(250)
    package static let memoryOfTheLost = Duration.seconds(600)
    package static let parallelDials = 64
    /// The wait of a candidate whose address was dialled too often.
    package static let crowdedAddressPause = Duration.seconds(1)
    /// Peers that are shut out and known by name; a further one costs a handshake for each of its names.
    package static let mostShutOut = 256
}
