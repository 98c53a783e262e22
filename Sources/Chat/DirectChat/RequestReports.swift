import Wire

/// Which requests for a direct conversation are reported live: a peer that asks, withdraws and asks again is reported once in
/// minutes, and the peers of one giver no faster than a user could look at them. The others are only listed.
struct RequestReports: Sendable {
    private static let rate = Rate(
        perSecond: 1 / Double(Limits.requestInterval.nanoseconds) * 1e9, burst: Limits.requestsBurst)

    private var reportedAt = RecentTable<PeerID, Instant?>(capacity: Limits.requestsRemembered)
    private var paces = RecentTable<Giver, TokenBucket>(capacity: Limits.requestsRemembered)

    /// Counts a request; false if it is not to be reported.
    mutating func take(_ peer: PeerID, from giver: Giver, now: Instant) -> Bool {
        if let last = reportedAt[peer] ?? nil, now < last + Limits.requestPause { return false }
        let isTaken = paces.update(giver, orNew: { TokenBucket(RequestReports.rate, now: now) }) { $0.take(now: now) }
        if isTaken { reportedAt.set(now, for: peer) }
        return isTaken
    }

    /// The user has agreed with the peer: what it asks for after the end of that is news.
    mutating func reset(_ peer: PeerID) {
        if reportedAt[peer] != nil { reportedAt.set(nil, for: peer) }
    }
}
