import Wire

/// An instance that a browser has heard of, and how long that holds.
struct KnownPointer {
    /// The times of queries for a record that was not refreshed, in parts of its life (RFC 6762 section 5.2).
    private static let refreshes = [0.80, 0.85, 0.90, 0.95]
    /// Random part added to those times, so that hosts that heard a record together do not query it together.
    private static let refreshJitter = 0.02
    /// Shorter-lived records are not queried again: no node announces them, and an attacker with endless ones would make
    /// all nodes query without end.
    private static let shortestRefreshed: UInt32 = 60
    /// As long as a record of DNS-SD lives by default (RFC 6762 section 10).
    private static let longestTimeToLive: UInt32 = 75 * 60

    /// Smaller for those that came earlier.
    let serial: Int
    let expires: Instant
    /// When it is to be asked for; nil where that is of no use any more.
    private(set) var refreshAt: Instant?
    private let timeToLive: UInt32
    private let jitter: Double
    private var refreshCount = 0

    init(serial: Int, timeToLive: UInt32, now: Instant, using generator: inout some RandomNumberGenerator) {
        self.serial = serial
        self.timeToLive = min(timeToLive, Self.longestTimeToLive)
        jitter = Double.random(in: 0..<Self.refreshJitter, using: &generator)
        expires = now + .seconds(Int64(self.timeToLive))
        if timeToLive >= Self.shortestRefreshed { refreshAt = instant(of: Self.refreshes[0]) }
    }

    /// It was taken back, and goes soon.
    private init(_ pointer: KnownPointer, expires: Instant) {
        (serial, timeToLive, jitter) = (pointer.serial, pointer.timeToLive, pointer.jitter)
        self.expires = expires
    }

    func ending(at instant: Instant) -> KnownPointer {
        KnownPointer(self, expires: min(expires, instant))
    }

    /// Whole seconds that are left, where those are more than half of its life: then its owner need not say it again
    /// (RFC 6762 section 7.1).
    func secondsToList(now: Instant) -> UInt32? {
        let left = (expires - now).nanoseconds / 1_000_000_000
        return left > Int64(timeToLive / 2) ? UInt32(left) : nil
    }

    /// A query for it was sent, by any host: schedules the next one, for the case of silence.
    mutating func asked(now: Instant) {
        while let instant = refreshAt, instant <= now {
            refreshCount += 1
            refreshAt = refreshCount < Self.refreshes.count ? self.instant(of: Self.refreshes[refreshCount]) : nil
        }
    }

    private func instant(of part: Double) -> Instant {
        let life = Double(timeToLive)
        return expires + .nanoseconds(-Int64(life * (1 - part - jitter) * 1e9))
    }
}
