import Wire

/// Which requests for a direct conversation are reported live: a peer that asks, withdraws and asks again is reported once in
/// minutes, and the peers of one giver no faster than a user could look at them. The others are only listed.
struct RequestReports: Sendable {
    private static let rate = Rate(
        perSecond: 1 / Double(Limits.requestInterval.nanoseconds) * 1e9, burst: Limits.requestsBurst)

    private var reportedAt = RecentTable<PeerID, Instant?>(capacity: Limits.requestsRemembered)
    private var paces = RecentTable<Giver, TokenBucket>(capacity: Limits.requestsRemembered)

    /// Counts a request; false if it is not to be reported.
    mutating func recordRequest(of peer: PeerID, from giver: Giver, now: Instant) -> Bool {
        if let last = reportedAt[peer] ?? nil, now < last + Limits.requestPause { return false }
        let isTaken = paces.update(giver, orNew: { TokenBucket(RequestReports.rate, now: now) }) {
            $0.takeTokens(now: now)
        }
        if isTaken { reportedAt.set(now, for: peer) }
        return isTaken
    }

    /// The user has agreed with the peer: what it asks for after the end of that is news.
    mutating func reset(_ peer: PeerID) {
        if reportedAt[peer] != nil { reportedAt.set(nil, for: peer) }
    }
}

extension Limits {
    /// From one live report of a peer's request to the next. A longer one hides that an honest peer asked again; a
    /// shorter one lets a peer that asks and withdraws disturb the user.
    static let requestPause = Duration.seconds(120)
    /// Live reports of the requests of one giver (an address) at once. More let one machine with many identities
    /// disturb the user; with fewer, requests of a group behind one relay are only listed.
    static let requestsBurst = 10.0
    /// The time for one more such report. A longer one leaves more requests to the list; a shorter one lets one machine
    /// disturb the user for longer.
    static let requestInterval = Duration.seconds(30)
    /// Peers, and givers, of which the last reports are remembered; the oldest goes. More cost memory; with fewer, an
    /// attacker makes a node forget its own reports, and is reported again.
    static let requestsRemembered = 1_024
}
