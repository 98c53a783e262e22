import Wire

/// An instance that a browser has heard of, and how long that holds.
struct KnownPointer {
    /// When a record that nobody has refreshed is asked for again, in parts of its life (RFC 6762 section 5.2).
    private static let refreshes = [0.80, 0.85, 0.90, 0.95]
    /// What is added to those at random, so that not all who have heard it at once ask at once.
    private static let refreshJitter = 0.02
    /// What is said for a shorter time is not asked for again: no node says such things, and who has no end of them would have
    /// everybody ask without end.
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

    /// It was asked for, by whomever: the next time is for when nobody answers.
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
