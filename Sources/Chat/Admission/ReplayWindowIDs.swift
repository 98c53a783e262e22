internal import Wire

/// The numbers that were seen among the latest 256 of one stream of payloads, each with its payload's id.
struct ReplayWindow: Sendable {
    private var window = SequenceWindow()
    private var ids = ReplayWindowIDs()

    func novelty(of sequence: UInt64) -> SequenceWindow.Novelty { window.novelty(of: sequence) }

    /// The first 8 bytes of the id under a number that was seen.
    subscript(sequence: UInt64) -> UInt64 { ids[sequence] }

    /// Notes a number as seen, unless it was before or is too old.
    mutating func record(_ prefix: UInt64, under sequence: UInt64) {
        if window.insert(sequence) { ids.record(prefix, under: sequence, in: window) }
    }
}

/// The first 8 bytes of the id of the payload under each number of an author's window.
///
/// A hand-made table because it is kept for every author, up to 16,384 of them: it grows only as far as the seen numbers collide, since
/// most authors say little and begin at any number. For an author of one payload it takes 40 bytes, a `Dictionary` 136.
struct ReplayWindowIDs: Sendable {
    /// By the number modulo the count, a power of two up to the window's size.
    private var prefixes: [UInt64] = []

    var capacity: Int { prefixes.count }

    /// For a number that the window has seen.
    subscript(sequence: UInt64) -> UInt64 { prefixes[place(of: sequence)] }

    /// Notes the id of a number that was inserted into the window just now.
    mutating func record(_ prefix: UInt64, under sequence: UInt64, in window: SequenceWindow) {
        if prefixes.isEmpty { prefixes = [0] }
        while prefixes.count < Limits.sequenceWindow, isTaken(sequence, in: window) { grow(for: sequence, in: window) }
        prefixes[place(of: sequence)] = prefix
    }

    private func place(of sequence: UInt64) -> Int { Int(sequence % UInt64(prefixes.count)) }

    /// True if another number of the window has the same place.
    private func isTaken(_ sequence: UInt64, in window: SequenceWindow) -> Bool {
        let numbers = window.numbers
        let first = (sequence - numbers.lowerBound) % UInt64(prefixes.count)
        // Counted from the window's start: a number itself may be the highest of its type.
        return stride(from: first, through: numbers.upperBound - numbers.lowerBound, by: prefixes.count).contains {
            let number = numbers.lowerBound + $0
            return number != sequence && window.novelty(of: number) == .seen
        }
    }

    private mutating func grow(for sequence: UInt64, in window: SequenceWindow) {
        let old = self
        prefixes = [UInt64](repeating: 0, count: old.prefixes.count * 2)
        for number in window.numbers where number != sequence && window.novelty(of: number) == .seen {
            prefixes[place(of: number)] = old[number]
        }
    }
}
