import Wire

/// Pauses that double from one to the next, for ever.
package struct Backoff: Sendable {
    // In nanoseconds and few bytes, as there is one for each candidate of a crowd.
    private let first: Int64
    private let longest: Int64
    private var pauses: UInt8 = 0

    /// How many pauses there were since the last reset, up to 30.
    package var doublings: Int { Int(pauses) }

    package init(from first: Duration, to longest: Duration) {
        self.first = first.nanoseconds
        self.longest = longest.nanoseconds
    }

    package mutating func reset() {
        pauses = 0
    }

    /// The next pause.
    package mutating func next() -> Duration {
        defer { pauses = min(pauses + 1, 30) }
        return min(.nanoseconds(first) * (1 << doublings), .nanoseconds(longest))
    }

    /// The next pause, half of it random, so that nodes whose dials failed together do not dial again together.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let half = Duration.nanoseconds(next().nanoseconds / 2)
        return half + .random(in: .zero...half, using: &generator)
    }
}
