package import Wire

/// A limit on events: an average rate, and a burst after a pause.
package struct Rate: Hashable, Sendable {
    package let perSecond: Double
    package let burst: Double

    package init(perSecond: Double, burst: Double) {
        self.perSecond = perSecond
        self.burst = burst
    }

    package static let unlimited = Rate(perSecond: 0, burst: 0)

    package var isUnlimited: Bool { perSecond <= 0 }
}

/// A token bucket: each event takes a token, and tokens return with time, up to the burst.
package struct TokenBucket: Hashable, Sendable {
    /// The longest time that `wait` reports: no timer has to look further ahead.
    package static let longestWait = Duration.seconds(86_400)

    private let rate: Rate
    private var tokens: Double
    private var updated: Instant

    /// Starts full.
    package init(_ rate: Rate, now: Instant) {
        self.rate = rate
        tokens = rate.burst
        updated = now
    }

    /// Takes tokens. False, and nothing is taken, if there are fewer.
    package mutating func take(_ count: Double = 1, now: Instant) -> Bool {
        guard !rate.isUnlimited else { return true }
        refill(now)
        guard tokens >= count else { return false }
        tokens -= count
        return true
    }

    /// The time until a token is there, at most `longestWait`; zero if one is.
    package func wait(now: Instant) -> Duration {
        guard !rate.isUnlimited else { return .zero }
        var bucket = self
        bucket.refill(now)
        guard !(bucket.tokens >= 1) else { return .zero }
        let nanoseconds = (1 - bucket.tokens) / rate.perSecond * 1e9
        guard nanoseconds < Double(TokenBucket.longestWait.nanoseconds) else { return TokenBucket.longestWait }
        // One nanosecond more, so that rounding leaves no part of the token missing.
        return .nanoseconds(Int64(nanoseconds) + 1)
    }

    private mutating func refill(_ now: Instant) {
        guard now > updated else { return }
        let (elapsed, isOverflow) = now.nanoseconds.subtractingReportingOverflow(updated.nanoseconds)
        let refilled = tokens + Double(isOverflow ? .max : elapsed) / 1e9 * rate.perSecond
        // False if the rate is not a number: such a rate returns no tokens.
        if refilled > tokens { tokens = min(rate.burst, refilled) }
        updated = now
    }
}
