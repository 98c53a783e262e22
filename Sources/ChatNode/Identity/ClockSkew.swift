import Chat
import Phrases
import Wire

/// Detects a wrong wall clock: at least three linked peers, and a majority of them, differ from it by over a minute in the
/// same direction (Protocol.md section 7).
///
/// A presence is signed when it is sent, so its timestamp is at most one round trip old.
struct ClockSkew {
    /// How far the peers' clocks are ahead of ours, in milliseconds.
    private var offsets = PackedTable<PeerID, Int64>()
    private var isTold = false

    /// Caps offsets, in milliseconds, so that hostile timestamps cannot overflow the arithmetic.
    private static let furthest: UInt64 = 1 << 52

    /// Records the time that a peer reported over its own link.
    ///
    /// - Returns: how far our clock is behind (ahead: negative) if the user needs a new warning, else nil.
    mutating func note(_ theirs: Timestamp, of peer: PeerID, wallClock: Timestamp) -> Duration? {
        let distance = Int64(min(theirs.distance(to: wallClock), ClockSkew.furthest))
        offsets[peer] = theirs < wallClock ? -distance : distance
        guard offsets.count >= Limits.clockWitnesses else { return nil }
        let error = Duration.milliseconds(median)
        guard isWrong(error) else {
            isTold = false
            return nil
        }
        guard !isTold else { return nil }
        isTold = true
        return error
    }

    /// The last link to a peer closed.
    mutating func forget(_ peer: PeerID) {
        offsets[peer] = nil
    }

    /// For an even count, the middle offset nearer to zero, so that half of the peers are never enough.
    private var median: Int64 {
        let sorted = offsets.values.sorted()
        let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
        return low.magnitude < high.magnitude ? low : high
    }

    private func isWrong(_ error: Duration) -> Bool {
        let limit = Limits.clockError
        let witnesses = offsets.values.count { offset in
            let theirs = Duration.milliseconds(offset)
            return error > .zero ? theirs > limit : theirs < .zero - limit
        }
        return (error > limit || error < .zero - limit) && witnesses >= Limits.clockWitnesses
    }

    /// Returns the warning for the user.
    static func warning(_ error: Duration) -> Sentence {
        Sentence(error > .zero ? .clockBehind : .clockAhead, text(error))
    }

    /// The two largest units of a duration, as "1 h 3 min".
    private static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds.magnitude
        let units: [(String, UInt64)] = [("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)]
        let first = units.firstIndex { seconds >= $0.1 } ?? units.count - 1
        var rest = seconds
        var words: [String] = []
        for (name, size) in units[first...].prefix(2) {
            if rest >= size { words.append("\(rest / size) \(name)") }
            rest %= size
        }
        return words.joined(separator: " ")
    }
}

/// Compares our clock with the clocks of peers (Protocol.md section 7).
extension Node {
    /// - Parameter payload: a presence. It is signed when it is sent; other payloads can have waited for a link.
    func compareClocks(with payload: VerifiedPayload) {
        guard case .direct(let peer) = payload.provenance,
            let error = clock.note(payload.payload.timestamp, of: peer, wallClock: scheduler.wallClock)
        else { return }
        emit(.notice(.clockSkew, ClockSkew.warning(error)))
    }
}
