import Chat
import Wire

/// Exchange of public history with linked peers: offers, requests, answers and their rate limits (Protocol.md section 7).
struct HistorySync {
    /// A `have` or `want` to send to a peer.
    struct Listing {
        let type: FrameType
        let peer: PeerID
        let ids: [UInt64]
    }

    private static let haveRate = Rate(perSecond: Limits.havesPerSecond, burst: Limits.havesBurst)

    private var offers: IHave
    private var wants = IWant()
    private var answers = HistoryAnswers()
    private var untimely = UntimelyRefusals()
    /// Kept when a link closes, so that a new connection does not reset the limit.
    private var haveRates = RecentTable<PeerID, TokenBucket>(capacity: Limits.knownPeers)

    init(me: PeerID) { offers = IHave(me: me) }

    /// When `due` has something to return; nil for never.
    var nextDeadline: Instant? {
        .earlier(.earlier(offers.nextDeadline, wants.nextDeadline), untimely.nextDeadline)
    }

    /// - Parameter giver: from where the peer's link comes.
    mutating func linkOpened(to peer: PeerID, from giver: Giver, now: Instant) {
        offers.opened(to: peer, now: now)
        wants.opened(to: peer, from: giver)
    }

    /// Trees bring news to a peer from now on, or no more.
    mutating func setTold(_ isTold: Bool, _ peer: PeerID) { offers.setTold(isTold, peer) }

    /// The last link to a peer closed.
    mutating func linkClosed(to peer: PeerID, _ end: LinkEnd, now: Instant) {
        offers.closed(to: peer, isLost: end != .goodbye, now: now)
        wants.closed(to: peer, now: now)
        answers.closed(to: peer)
        untimely.closed(to: peer)
    }

    /// Records payloads that were archived, to offer them.
    mutating func note(_ items: [Archive.Item], now: Instant) { offers.note(items, now: now) }

    /// Handles the body of a `have`.
    ///
    /// - Parameter lacking: returns those of the given ids that this node lacks.
    mutating func receiveHave(
        _ body: Span<UInt8>, from peer: PeerID, now: Instant, counts: inout NodeStatistics,
        lacking: ([UInt64]) -> [UInt64]
    ) {
        let isAllowed = haveRates.update(peer, orNew: { TokenBucket(HistorySync.haveRate, now: now) }) {
            $0.take(now: now)
        }
        guard isAllowed else {
            counts.havesRefused += 1
            return
        }
        guard let ids = IDList.read(body, limit: Limits.offeredPayloads) else {
            counts.idListsMalformed += 1
            return
        }
        untimely.recordListing(of: ids, by: peer)
        let missing = lacking(ids).filter { !untimely.contains($0) }
        offers.offered(ids, by: peer, isUseful: !missing.isEmpty)
        wants.offered(missing, by: peer, now: now)
    }

    /// Handles the body of a `want`: queues the answers for `nextAnswer`.
    ///
    /// - Parameter isArchived: returns true if this node can send the payload with that id.
    mutating func receiveWant(
        _ body: Span<UInt8>, from peer: PeerID, now: Instant, counts: inout NodeStatistics,
        isArchived: (UInt64) -> Bool
    ) {
        guard let ids = IDList.read(body, limit: Limits.wantedPayloads) else {
            counts.idListsMalformed += 1
            return
        }
        let archived = ids.filter(isArchived)
        counts.wantedInVain += ids.count - archived.count
        guard answers.wanted(archived, by: peer, now: now) else {
            counts.wantsRefused += 1
            return
        }
        if !archived.isEmpty { offers.wanted(by: peer) }
    }

    func hasAnswers(for peer: PeerID) -> Bool { answers.hasSomething(for: peer) }

    /// Removes the next id to send to a peer and counts it as sent; nil if none is queued.
    mutating func nextAnswer(for peer: PeerID, now: Instant) -> UInt64? { answers.next(for: peer, now: now) }

    /// Returns the id of the payload in a payload frame if it was requested from the peer, else nil.
    ///
    /// Mutating, though it changes nothing: each payload asks, and would ask a copy of all tables.
    mutating func awaitedID(inFrame body: Span<UInt8>, from peer: PeerID) -> UInt64? {
        guard wants.isAwaitingAnything(from: peer), let id = SignedPayload.id(inFrame: body)?.prefix else { return nil }
        return wants.isAwaited(id, from: peer) ? id : nil
    }

    /// A requested payload arrived from a peer.
    ///
    /// - Returns: the time of the last request; nil if that request was given up.
    mutating func arrived(_ id: UInt64, from peer: PeerID) -> Instant? { wants.arrived(id, from: peer) }

    /// Records a payload that was refused for its time alone.
    ///
    /// - Parameter wait: until its time has come; nil for one that is too old.
    mutating func refuseForTime(_ id: UInt64, from peer: PeerID, wait: Duration?, now: Instant) {
        untimely.refuse(id, from: peer, wait: wait, now: now)
    }

    /// Asks again for payloads that were refused for their time: for those whose time has come, or for all once the clock has moved.
    ///
    /// - Returns: their ids.
    mutating func reopenRefused(isAll: Bool, now: Instant) -> [UInt64] {
        let open = isAll ? untimely.takeAll() : untimely.takeDue(now: now)
        for (id, peers) in open { for peer in peers { wants.offered([id], by: peer, now: now) } }
        return open.map(\.id)
    }

    /// Returns the offers and requests to send now.
    mutating func due(now: Instant, archive: borrowing PublicChat) -> [Listing] {
        let haves = offers.due(now: now, all: { archive.offer })
        let missing = wants.due(now: now, lacking: { archive.lacking($0) })
        return haves.map { Listing(type: .have, peer: $0.peer, ids: $0.ids) }
            + missing.map { Listing(type: .want, peer: $0.peer, ids: $0.ids) }
    }
}
