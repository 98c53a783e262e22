import Wire

/// The reading of the wall clock at a request for history.
struct RequestTime {
    private var last: (request: Instant, wallClock: Timestamp)?

    /// - Parameter request: when it was made.
    /// - Returns: the reading of that moment, if the clock was not set since: the same for all answers to one request, although the wall
    ///   clock has whole milliseconds, so that a difference of two readings is off by up to one.
    mutating func wallClock(at request: Instant, _ now: Moment) -> Timestamp {
        let ago = UInt64(max(0, (now.instant - request).nanoseconds) / 1_000_000)
        let reading = now.wallClock.milliseconds
        let wallClock = Timestamp(milliseconds: reading - min(reading, ago))
        if let last, last.request == request, last.wallClock.distance(to: wallClock) <= 1 { return last.wallClock }
        last = (request, wallClock)
        return wallClock
    }
}
