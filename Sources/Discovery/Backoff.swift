/// Pauses that double from one to the next.
struct Backoff {
    private let first: Duration
    private let last: Duration
    private var doublings = 0

    init(from first: Duration, to last: Duration) {
        self.first = first
        self.last = last
    }

    mutating func next() -> Duration {
        defer { doublings = min(doublings + 1, 30) }
        return min(first * (1 << doublings), last)
    }
}
