import Chat
import Wire

/// How often one address is dialled, whatever is said to be there: nobody can turn all nodes against a machine of their
/// choice by announcing it under many names (Protocol.md section 10).
struct DialRateLimiter {
    private var buckets = RecentTable<[UInt8], TokenBucket>(capacity: Limits.knownPeers)

    /// False, and nothing is taken, where an address was dialled too often lately. This machine is exempt.
    mutating func take(_ endpoint: Endpoint, now: Instant) -> Bool {
        guard !endpoint.isLoopback else { return true }
        let rate = Rate(perSecond: Limits.dialsPerAddressPerSecond, burst: Limits.dialsPerAddressBurst)
        var bucket = buckets[endpoint.address] ?? TokenBucket(rate, now: now)
        defer { buckets.set(bucket, for: endpoint.address) }
        return bucket.take(now: now)
    }
}
