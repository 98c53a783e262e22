import Chat
package import Wire

/// Limits the multicast records that are read of each sender (Protocol.md section 11): a sender that announces a thousand
/// names does not keep others from being heard.
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

/// Limits the dials of one address, under any number of names: an announcer can not turn all nodes against a machine of its
/// choice (Protocol.md section 10).
struct DialRateLimiter {
    private var buckets = RecentTable<[UInt8], TokenBucket>(capacity: Limits.knownPeers)

    /// False, and nothing is taken, above the rate of an address. This machine is exempt.
    mutating func take(_ endpoint: Endpoint, now: Instant) -> Bool {
        guard !endpoint.isLoopback else { return true }
        let rate = Rate(perSecond: Limits.dialsPerAddressPerSecond, burst: Limits.dialsPerAddressBurst)
        var bucket = buckets[endpoint.address] ?? TokenBucket(rate, now: now)
        defer { buckets.set(bucket, for: endpoint.address) }
        return bucket.take(now: now)
    }
}
