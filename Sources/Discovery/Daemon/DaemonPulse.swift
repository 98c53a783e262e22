/// Whether the daemon still answers: a daemon that hangs says nothing by itself, and calls to it wait for 25 s.
struct DaemonPulse {
    static let interval = Duration.seconds(5)
    static let patience = Duration.milliseconds(1_500)

    private var asked = 0
    private var answered = 0
    private var isStopped = false

    /// The number of the next question; nil while one is open.
    mutating func next() -> Int? {
        guard asked == answered else { return nil }
        asked += 1
        return asked
    }

    /// Whether that question has no answer yet.
    func isOpen(_ number: Int) -> Bool { asked == number && answered < number }

    /// To be asked when the patience for a question ends.
    mutating func hasStopped(at number: Int) -> Bool {
        isStopped = isOpen(number)
        return isStopped
    }

    /// Returns whether the pulse is back after it had stopped.
    mutating func answered(_ number: Int) -> Bool {
        answered = number
        defer { isStopped = false }
        return isStopped
    }
}
