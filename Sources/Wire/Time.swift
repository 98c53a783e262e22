/// A point on the monotonic clock, in nanoseconds from an arbitrary start. Never crosses the wire.
@usableFromInline package struct Instant: Hashable, Comparable, Sendable {
    @usableFromInline package let nanoseconds: Int64

    @inlinable package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    @inlinable package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant `duration` after this one; clamped at the end of the clock's range.
    @inlinable package static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return Instant(nanoseconds: overflow ? .max : sum)
    }

    /// The earlier of two deadlines, of which nil is never.
    @inlinable package static func earlier(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// The time from `earlier` to `later`.
    @inlinable package static func - (later: Instant, earlier: Instant) -> Duration {
        .nanoseconds(later.nanoseconds - earlier.nanoseconds)
    }
}

extension Duration {
    /// The duration in whole nanoseconds; clamped at 292 years.
    @inlinable package var nanoseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000)
    }

    /// One of the durations of a range, to the nanosecond.
    package static func random(
        in range: ClosedRange<Duration>, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        .nanoseconds(
            Int64.random(in: range.lowerBound.nanoseconds...range.upperBound.nanoseconds, using: &generator))
    }

    /// At random, up to a fifth shorter or longer: equal pauses have a phase, which distinguishes a node from others.
    package func spread(using generator: inout some RandomNumberGenerator) -> Duration {
        .random(in: self * 0.8...self * 1.2, using: &generator)
    }
}

/// Wall-clock time in milliseconds since 1970-01-01T00:00:00Z, as it crosses the wire (Protocol.md section 6).
@usableFromInline package struct Timestamp: Hashable, Comparable, Sendable {
    @usableFromInline package let milliseconds: UInt64

    @inlinable package init(milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    @inlinable package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// This time moved by a number of milliseconds; clamped at both ends of what can be said.
    @inlinable package func moved(by milliseconds: Int64) -> Timestamp {
        let distance = milliseconds.magnitude
        guard milliseconds < 0 else {
            let (sum, overflow) = self.milliseconds.addingReportingOverflow(distance)
            return Timestamp(milliseconds: overflow ? .max : sum)
        }
        return Timestamp(milliseconds: self.milliseconds - min(distance, self.milliseconds))
    }

    /// How far apart two times are, whichever is later, in milliseconds.
    @inlinable package func distance(to other: Timestamp) -> UInt64 {
        max(milliseconds, other.milliseconds) - min(milliseconds, other.milliseconds)
    }
}

/// A point in time on each clock, taken once for an input and passed to all that handles it.
@usableFromInline package struct Moment: Hashable, Sendable {
    /// The monotonic clock, for deadlines.
    @usableFromInline package let instant: Instant
    /// The clock of this machine: users see times of arrival beside it.
    @usableFromInline package let wallClock: Timestamp
    /// Of the wall clock by the neighbours' clocks, in milliseconds.
    @usableFromInline package let correction: Int64

    @inlinable package init(instant: Instant, wallClock: Timestamp, correction: Int64 = 0) {
        self.instant = instant
        self.wallClock = wallClock
        self.correction = correction
    }

    /// The wall clock with its correction: signed times are compared with it.
    @inlinable package var roomClock: Timestamp { wallClock.moved(by: correction) }
}
