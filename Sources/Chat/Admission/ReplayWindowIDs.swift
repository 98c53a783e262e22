internal import Wire

/// What was heard under each number of an author's window: the first 8 bytes of the id.
///
/// As short as it can be while no two numbers of the window share a place: most who are met say little, and begin at any number.
struct ReplayWindowIDs: Sendable {
    /// Somebody who only listens says hardly more.
    private static let least = 4

    /// By the number modulo the count, a power of two up to the window's size.
    private var prefixes: [UInt64] = []

    var capacity: Int { prefixes.count }

    /// For a number that the window has seen.
    subscript(sequence: UInt64) -> UInt64 { prefixes[place(of: sequence)] }

    /// Notes what a number stands for that was put into the window just now.
    mutating func note(_ prefix: UInt64, under sequence: UInt64, in window: SequenceWindow) {
        if prefixes.isEmpty { prefixes = [UInt64](repeating: 0, count: ReplayWindowIDs.least) }
        while prefixes.count < Limits.sequenceWindow, isTaken(sequence, in: window) { grow(for: sequence, in: window) }
        prefixes[place(of: sequence)] = prefix
    }

    private func place(of sequence: UInt64) -> Int { Int(sequence % UInt64(prefixes.count)) }

    /// Whether another number of the window has the same place.
    private func isTaken(_ sequence: UInt64, in window: SequenceWindow) -> Bool {
        let numbers = window.numbers
        let first = (sequence - numbers.lowerBound) % UInt64(prefixes.count)
        // Counted from the window's beginning: a number itself may be the highest there is.
        return stride(from: first, through: numbers.upperBound - numbers.lowerBound, by: prefixes.count).contains {
            let number = numbers.lowerBound + $0
            return number != sequence && window.place(of: number) == .seen
        }
    }

    private mutating func grow(for sequence: UInt64, in window: SequenceWindow) {
        let old = self
        prefixes = [UInt64](repeating: 0, count: old.prefixes.count * 2)
        for number in window.numbers where number != sequence && window.place(of: number) == .seen {
            prefixes[place(of: number)] = old[number]
        }
    }
}
