import Wire

/// Pauses that double from one to the next, for ever.
package struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    /// How many pauses there were since the last reset, up to 30.
    package private(set) var doublings = 0

    package init(from first: Duration, to longest: Duration) {
        self.first = first
        self.longest = longest
    }

    package mutating func reset() {
        doublings = 0
    }

    /// The next pause.
    package mutating func next() -> Duration {
        defer { doublings = min(doublings + 1, 30) }
        return min(first * (1 << doublings), longest)
    }

    /// The next pause, half of it random, so that those who failed together do not try again together.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let half = Duration.nanoseconds(next().nanoseconds / 2)
        return half + .random(in: .zero...half, using: &generator)
    }
}
