internal import Wire

/// The sequence numbers of an author that were seen, among the latest 256 (Protocol.md section 7; RFC 6479).
///
/// A bit set because there is one for each known author, and each live message is looked up in it.
struct SequenceWindow: Sendable {
    enum Novelty: Sendable {
        case new
        case seen
        /// Too far behind the newest number to be known.
        case tooOld
    }

    private var newest: UInt64?
    /// A ring of bits: that of a number is at the number modulo 256.
    private var bits: InlineArray<4, UInt64> = [0, 0, 0, 0]

    /// The numbers that the window covers.
    var numbers: ClosedRange<UInt64> {
        let newest = newest ?? 0
        return newest - min(newest, Limits.sequenceWindow - 1)...newest
    }

    /// Looks a number up; nothing changes.
    func novelty(of sequence: UInt64) -> Novelty {
        guard let newest, sequence <= newest else { return .new }
        guard newest - sequence < Limits.sequenceWindow else { return .tooOld }
        return isSet(sequence) ? .seen : .new
    }

    /// Notes a number as seen, unless it is too old.
    ///
    /// - Returns: whether it is new.
    @discardableResult
    mutating func insert(_ sequence: UInt64) -> Bool {
        guard novelty(of: sequence) == .new else { return false }
        if let newest, sequence > newest { forget(between: newest, and: sequence) }
        newest = max(newest ?? 0, sequence)
        let (word, mask) = SequenceWindow.bit(sequence)
        bits[word] |= mask
        return true
    }

    /// Clears the bits of skipped numbers, which numbers that left the window used.
    private mutating func forget(between newest: UInt64, and sequence: UInt64) {
        guard sequence - newest < Limits.sequenceWindow else {
            bits = [0, 0, 0, 0]
            return
        }
        var skipped = newest + 1
        while skipped < sequence {
            clear(skipped)
            skipped += 1
        }
        clear(sequence)
    }

    private mutating func clear(_ sequence: UInt64) {
        let (word, mask) = SequenceWindow.bit(sequence)
        bits[word] &= ~mask
    }

    private func isSet(_ sequence: UInt64) -> Bool {
        let (word, mask) = SequenceWindow.bit(sequence)
        return bits[word] & mask != 0
    }

    private static func bit(_ sequence: UInt64) -> (word: Int, mask: UInt64) {
        let position = sequence % Limits.sequenceWindow
        return (Int(position / 64), 1 << (position % 64))
    }
}

extension Limits {
    /// Sequence numbers behind an author's newest of which the node knows whether they came. A larger one costs a bit
    /// and up to 8 bytes for each in every known author; with a smaller one, a payload that many others overtook is
    /// refused as too old.
    static let sequenceWindow: UInt64 = 256
}
