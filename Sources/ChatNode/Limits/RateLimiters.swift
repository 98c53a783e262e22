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
    package mutating func takeTokens(_ cost: Int, of sender: [UInt8], now: Instant) -> Bool {
        let rate = Rate(perSecond: Limits.multicastRecordsPerSecond, burst: Limits.multicastRecordsBurst)
        return buckets.update(sender, orNew: { TokenBucket(rate, now: now) }) { bucket in
            bucket.takeTokens(min(Double(cost), rate.burst), now: now)
        }
    }
}

/// Limits the links of one source that this node dials and that end before the peer has said anything, to the rate of the
/// handshakes that a source may begin (Protocol.md section 11): a stranger reads the node's certificate in each of them.
struct SilentLinkLimiter {
    private var buckets = RecentTable<Endpoint, TokenBucket>(capacity: Limits.knownPeers)

    /// Counts such a link. This machine is exempt.
    mutating func record(_ endpoint: Endpoint, now: Instant) {
        guard !endpoint.isLoopback else { return }
        let rate = Rate(perSecond: Limits.handshakesPerSourcePerSecond, burst: Limits.handshakesPerSourceBurst)
        var bucket = buckets[endpoint.source] ?? TokenBucket(rate, now: now)
        _ = bucket.takeTokens(now: now)
        buckets.set(bucket, for: endpoint.source)
    }

    /// False while a source has reached its rate.
    func mayDial(_ endpoint: Endpoint, now: Instant) -> Bool {
        buckets[endpoint.source].map { $0.wait(now: now) == .zero } ?? true
    }
}

/// Limits the dials of one address, under any number of names: an announcer can not turn all nodes against a machine of its
/// choice (Protocol.md section 10).
struct DialRateLimiter {
    private var buckets = RecentTable<[UInt8], TokenBucket>(capacity: Limits.knownPeers)

    /// False, and nothing is taken, above the rate of an address. This machine is exempt.
    mutating func takeTokens(_ endpoint: Endpoint, now: Instant) -> Bool {
        guard !endpoint.isLoopback else { return true }
        let rate = Rate(perSecond: Limits.dialsPerAddressPerSecond, burst: Limits.dialsPerAddressBurst)
        var bucket = buckets[endpoint.address] ?? TokenBucket(rate, now: now)
        defer { buckets.set(bucket, for: endpoint.address) }
        return bucket.takeTokens(now: now)
    }
}

extension Limits {
    /// Times that one address is dialled at once, under any number of names. More let an announcer turn all nodes
    /// against one machine; with fewer, a machine with many nodes is found slowly.
    static let dialsPerAddressBurst = 32.0
    /// Those per second in the long run, with the same consequences.
    static let dialsPerAddressPerSecond = 8.0
    /// mDNS records of one sender that are read at once: a starting node announces about ten, and as many for each
    /// query. More let one sender occupy the reader; with fewer, a machine with many nodes is heard in part.
    static let multicastRecordsBurst = 240.0
    /// Those per second in the long run, with the same consequences.
    static let multicastRecordsPerSecond = 40.0
}
