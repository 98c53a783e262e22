import Chat
package import Wire

/// Keys and addresses that are refused for a while after an offence that no honest node commits (Protocol.md section 7).
package struct BanList {
    private var keys = RecentTable<PeerID, Instant>(capacity: Limits.bans)
    private var sources = RecentTable<Endpoint, Instant>(capacity: Limits.bans)

    package init() {}

    /// Refuses a key and its address for 10 minutes. Loopback is never banned: all nodes of this machine share it.
    package mutating func ban(_ key: PeerID?, at endpoint: Endpoint, now: Instant) {
        let end = now + Limits.banTime
        if let key { ban(key, now: now) }
        if !endpoint.isLoopback { sources.set(end, for: endpoint.source) }
    }

    /// Refuses a key that has no connection now.
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

extension Limits {
    /// Keys, and as many addresses, that are banned; the oldest goes. More cost memory; with fewer, an attacker with
    /// many keys frees its first ones.
    static let bans = 4_096
    /// How long a ban lasts. A longer one keeps an address out that has a new user by now; with a shorter one, an
    /// attacker is back sooner.
    static let banTime = Duration.seconds(600)
}
