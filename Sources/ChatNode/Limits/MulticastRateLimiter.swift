import Chat
package import Wire

/// How much of what crosses the network by multicast is looked at, of each sender (Protocol.md section 11): who announces
/// a thousand names keeps nobody from hearing the others.
package struct MulticastRateLimiter: Sendable {
    private var buckets = RecentTable<[UInt8], TokenBucket>(capacity: Limits.knownPeers)

    package init() {}

    /// False, and nothing is taken, where a sender has had too much looked at lately.
    ///
    /// - Parameter cost: records, about; no single message costs more than there can be.
    package mutating func take(_ cost: Int, of sender: [UInt8], now: Instant) -> Bool {
        let rate = Rate(perSecond: Limits.multicastRecordsPerSecond, burst: Limits.multicastRecordsBurst)
        return buckets.update(sender, orNew: { TokenBucket(rate, now: now) }) { bucket in
            bucket.take(min(Double(cost), rate.burst), now: now)
        }
    }
}
