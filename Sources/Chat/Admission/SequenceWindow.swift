internal import Wire

/// Which of an author's latest 256 sequence numbers were heard, whatever the order they came in
/// (Protocol.md section 7, as in RFC 6479).
struct SequenceWindow: Sendable {
    enum Place: Sendable {
        case new
        case seen
        /// Too far behind the newest to tell.
        case tooOld
    }

    private var newest: UInt64?
    /// A ring: the bit of a number is the number modulo 256.
    private var bits: InlineArray<4, UInt64> = [0, 0, 0, 0]

    /// Those that it can tell of.
    var numbers: ClosedRange<UInt64> {
        let newest = newest ?? 0
        return newest - min(newest, Limits.sequenceWindow - 1)...newest
    }

    /// Where a number stands; nothing changes.
    func place(of sequence: UInt64) -> Place {
        guard let newest, sequence <= newest else { return .new }
        guard newest - sequence < Limits.sequenceWindow else { return .tooOld }
        return isSet(sequence) ? .seen : .new
    }

    /// Notes that a number was heard; one that is too old is not noted.
    ///
    /// - Returns: whether it is new.
    @discardableResult
    mutating func insert(_ sequence: UInt64) -> Bool {
        guard place(of: sequence) == .new else { return false }
        if let newest, sequence > newest { forget(between: newest, and: sequence) }
        newest = max(newest ?? 0, sequence)
        let (word, mask) = SequenceWindow.bit(sequence)
        bits[word] |= mask
        return true
    }

    /// The numbers that were skipped take over the bits of those that fall out.
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
