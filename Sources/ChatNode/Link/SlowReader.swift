package import Wire

/// A peer whose link's queue is held up, and how long it has read nothing (Protocol.md section 11).
///
/// Its machine acknowledges bytes as long as it reads, however slow the network is; with a window of zero it acknowledges none.
package struct SlowReader: Hashable, Sendable {
    private static let lookInterval = Duration.seconds(2)

    private var acknowledged: Int
    private var since: Instant
    package private(set) var lookAt: Instant

    /// - Parameter acknowledged: the bytes that the peer's machine has acknowledged so far.
    package init(acknowledged: Int, now: Instant) {
        self.acknowledged = acknowledged
        since = now
        lookAt = now + SlowReader.lookInterval
    }

    /// - Returns: false if nothing was acknowledged for `Limits.slowReaderTime`.
    package mutating func look(acknowledged: Int, at now: Instant) -> Bool {
        guard acknowledged == self.acknowledged else {
            self = SlowReader(acknowledged: acknowledged, now: now)
            return true
        }
        lookAt = now + SlowReader.lookInterval
        return now < since + Limits.slowReaderTime
    }
}

extension Limits {
    /// How long a peer with waiting records may acknowledge nothing; with the last look 2 s later at most, the node
    /// notices it within 10 s. A longer one lets messages go to a peer that does not read them; a shorter one ends
    /// links in a short outage.
    static let slowReaderTime = Duration.seconds(8)
}
