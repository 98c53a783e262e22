import Wire

/// The reading of the wall clock at a request for history.
struct RequestTime {
    private var last: (request: Instant, wallClock: Timestamp)?

    /// Milliseconds. The wall clock goes on during a turn, the time of the turn does not.
    private static let longestTurn: UInt64 = 1_000

    /// - Parameter request: when it was made.
    /// - Returns: the reading of that moment, if the clock was not set since: the same for all answers to one request, which
    ///   differences of readings are not.
    mutating func wallClock(at request: Instant, _ now: Moment) -> Timestamp {
        let ago = UInt64(max(0, (now.instant - request).nanoseconds) / 1_000_000)
        let reading = now.wallClock.milliseconds
        let wallClock = Timestamp(milliseconds: reading - min(reading, ago))
        if let last, last.request == request, last.wallClock.distance(to: wallClock) <= Self.longestTurn {
            return last.wallClock
        }
        last = (request, wallClock)
        return wallClock
    }
}
