import Chat
package import Wire

/// Keys and addresses that are kept out for a while because they did what no honest node does (Protocol.md section 7).
package struct BanList {
    private var keys = RecentTable<PeerID, Instant>(capacity: Limits.bans)
    private var sources = RecentTable<[UInt8], Instant>(capacity: Limits.bans)

    package init() {}

    /// Keeps a key and the address it came from out for 10 minutes. Loopback is never banned: it is everybody's on this machine.
    package mutating func ban(_ key: PeerID?, at endpoint: Endpoint, now: Instant) {
        let end = now + Limits.banTime
        if let key { ban(key, now: now) }
        if !endpoint.isLoopback { sources.set(end, for: endpoint.source) }
    }

    /// Keeps a key out that is nowhere now.
    package mutating func ban(_ key: PeerID, now: Instant) {
        keys.set(now + Limits.banTime, for: key)
    }

    package func isBanned(_ key: PeerID, now: Instant) -> Bool {
        keys[key].map { now < $0 } ?? false
    }

    package func isBanned(_ endpoint: Endpoint, now: Instant) -> Bool {
        sources[endpoint.source].map { now < $0 } ?? false
    }
}
