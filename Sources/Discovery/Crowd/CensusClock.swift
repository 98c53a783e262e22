import Wire

/// When a node of a crowd announces itself again, so that all nodes together announce two a second and each node hears all
/// others in time (Protocol.md section 10).
struct CensusClock {
    /// The next announcement comes after a random part of the interval between these.
    static let parts = 0.5...1.5

    private(set) var nextDue: Instant
    private var since: Instant
    private var part: Double
    private var known: Int

    /// - Parameter now: the time of the last announcement.
    init(known: Int, now: Instant, using generator: inout some RandomNumberGenerator) {
        (self.known, since) = (known, now)
        part = .random(in: Self.parts, using: &generator)
        nextDue = now + Self.interval(known) * part
    }

    /// The room has another size: the rest of the wait becomes that of the new interval.
    mutating func roomChanged(known: Int) {
        guard known != self.known else { return }
        self.known = known
        nextDue = since + Self.interval(known) * part
    }

    /// True if an announcement is due; the next one is drawn then.
    mutating func due(now: Instant, using generator: inout some RandomNumberGenerator) -> Bool {
        guard nextDue <= now else { return false }
        self = CensusClock(known: known, now: now, using: &generator)
        return true
    }

    private static func interval(_ known: Int) -> Duration {
        max(Limits.censusInterval, .seconds(1) * (Double(known) / Limits.censusPerSecond))
    }
}

extension Limits {
    /// Announcements of all nodes of a crowd together, per second. More cost every node's reader; with fewer,
    /// `crowdMemory` ends before a large crowd has announced itself.
    static let censusPerSecond = 2.0
    /// Between two announcements of one node, at least on average. A shorter one costs a small crowd traffic; a longer
    /// one makes new nodes known later.
    static let censusInterval = Duration.seconds(60)
}
