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

    /// A count of tokens that a full bucket has; a higher cost is all of it.
    package func atMostBurst(_ count: Double) -> Double { min(count, burst) }
}

/// A token bucket: each event takes a token, and tokens return with time, up to the burst.
package struct TokenBucket: Hashable, Sendable {
    /// The longest time that `wait` reports: no timer has to look further ahead.
    package static let longestWait = Duration.seconds(86_400)

    private let rate: Rate
    private var tokens: Tokens

    /// Starts full.
    package init(_ rate: Rate, now: Instant) {
        self.rate = rate
        tokens = Tokens(rate, now: now)
    }

    /// Takes tokens. False, and nothing is taken, if there are fewer.
    package mutating func takeTokens(_ count: Double = 1, now: Instant) -> Bool {
        tokens.takeTokens(count, at: rate, now: now)
    }

    /// The time until as many tokens are there, at most `longestWait`; zero if they are.
    package func wait(for count: Double = 1, now: Instant) -> Duration {
        guard !rate.isUnlimited else { return .zero }
        var tokens = tokens
        tokens.refill(at: rate, now)
        guard !(tokens.count >= count) else { return .zero }
        let nanoseconds = (count - tokens.count) / rate.perSecond * 1e9
        guard nanoseconds < Double(TokenBucket.longestWait.nanoseconds) else { return TokenBucket.longestWait }
        // One nanosecond more, so that rounding leaves no part of the token missing.
        return .nanoseconds(Int64(nanoseconds) + 1)
    }
}

/// The tokens of a bucket whose rate is kept elsewhere: a table with a bucket for each peer has one rate for all.
struct Tokens: Hashable, Sendable {
    private(set) var count: Double
    private var updated: Instant

    /// Starts full.
    init(_ rate: Rate, now: Instant) {
        count = rate.burst
        updated = now
    }

    /// As `TokenBucket.takeTokens`.
    ///
    /// - Parameter rate: the same each time.
    mutating func takeTokens(_ wanted: Double = 1, at rate: Rate, now: Instant) -> Bool {
        guard !rate.isUnlimited else { return true }
        refill(at: rate, now)
        guard count >= wanted else { return false }
        count -= wanted
        return true
    }

    /// As `takeTokens`, but a full bucket suffices for any count, and owes the rest.
    mutating func takeOrOwe(_ wanted: Double, at rate: Rate, now: Instant) -> Bool {
        guard !rate.isUnlimited else { return true }
        refill(at: rate, now)
        guard count >= rate.atMostBurst(wanted) else { return false }
        count -= wanted
        return true
    }

    mutating func refill(at rate: Rate, _ now: Instant) {
        guard now > updated else { return }
        let (elapsed, isOverflow) = now.nanoseconds.subtractingReportingOverflow(updated.nanoseconds)
        let refilled = count + Double(isOverflow ? .max : elapsed) / 1e9 * rate.perSecond
        // False if the rate is not a number: such a rate returns no tokens.
        if refilled > count { count = min(rate.burst, refilled) }
        updated = now
    }
}
