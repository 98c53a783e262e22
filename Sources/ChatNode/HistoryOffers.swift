package import Chat
package import Wire

/// What is offered to whom, and when: everything on a new link, then what is new, the more seldom the less it is wanted
/// (Protocol.md section 7).
package struct HistoryOffers {
    private struct Peer {
        /// What came later was not offered yet.
        var cursor: UInt64
        /// From something new to the offer of it.
        var pause: Duration
        var newsDue: Instant?
        /// The oldest news that waits for that, while there is any.
        var oldest: HistoryNews.Entry?
        var newsOfferedAt: Instant?
        var allDue: Instant?
        var allOfferedAt: Instant?
        /// Nothing was wanted of the last offer so far.
        var isIgnored = false
        /// What the peer offered itself.
        var known = RecentTable<UInt64, Bool>(capacity: 2 * Limits.offeredPayloads)

        var nextDue: Instant? { Instant.earlier(newsDue, allDue) }

        /// Tells whether some of the ids were known.
        mutating func learn(_ ids: [UInt64]) -> Bool {
            let isRepeated = ids.contains { known[$0] != nil }
            for id in ids { known.set(true, for: id) }
            return isRepeated
        }
    }

    /// How much is taken in between two looks whether news wait too long.
    private static let lookInterval: UInt64 = 10

    private let me: PeerID
    private var peers: [PeerID: Peer] = [:]
    private var recent = HistoryNews()
    private var archived: UInt64 = 0
    /// Whether each peer has a time for its next offer: then something new costs nothing.
    private var isEverybodyDue = false
    package private(set) var nextDeadline: Instant?

    package init(me: PeerID) {
        self.me = me
    }

    /// A link stands: everything is offered, now.
    package mutating func opened(to peer: PeerID, now: Instant) {
        var entry = peers[peer] ?? Peer(cursor: recent.end, pause: Limits.newsPause)
        entry.pause = Limits.newsPause
        entry.allDue = now
        peers[peer] = entry
        isEverybodyDue = false
        wake(at: now)
    }

    /// The last link to a peer has ended. If it was lost, the others are shown what came until then.
    package mutating func closed(to peer: PeerID, isLost: Bool, now: Instant) {
        guard peers.removeValue(forKey: peer) != nil, isLost else { return }
        for other in peers.keys {
            let earliest = peers[other]?.allOfferedAt.map { $0 + Limits.historyAnswerInterval } ?? now
            peers[other]?.allDue = max(now, earliest)
            wake(at: max(now, earliest))
        }
    }

    /// Something was taken in. What is ours everybody who has a link got from us at once.
    package mutating func note(_ item: Archive.Item, now: Instant) {
        archived += 1
        if archived.isMultiple(of: HistoryOffers.lookInterval) { hasten(now) }
        guard item.neighbour != nil else { return }
        let news = HistoryNews.Entry(item: item, at: now, archived: archived)
        recent.append(news)
        guard !isEverybodyDue else { return }
        isEverybodyDue = true
        for peer in peers.keys where peers[peer]?.newsDue == nil { schedule(peer, since: news) }
    }

    /// Where so much has come since that news could be replaced before their offer is due, it comes sooner; but not where they
    /// are replaced before anything is offered at all, in a flood.
    private mutating func hasten(_ now: Instant) {
        for index in peers.indices {
            guard let oldest = peers.values[index].oldest, let due = peers.values[index].newsDue,
                oldest.at + Limits.newsPause <= now
            else { continue }
            let waiting = archived - oldest.archived
            guard waiting >= yielding(Limits.crowdedNews, to: peers.keys[index]),
                waiting <= UInt64(Limits.messagesPerConversation)
            else { continue }
            let last = max(oldest.at, peers.values[index].newsOfferedAt ?? oldest.at)
            let earliest = max(now, last + Limits.newsPause)
            guard earliest < due else { continue }
            peers.values[index].newsDue = earliest
            wake(at: earliest)
        }
    }

    /// A peer offers something.
    ///
    /// - Parameter isUseful: whether some of it is lacking here.
    package mutating func offered(_ ids: [UInt64], by peer: PeerID, isUseful: Bool) {
        // Changed where it is: taken out, what the peer offered would be copied first.
        guard let index = peers.index(forKey: peer) else { return }
        // An honest peer repeats itself only in an offer of everything, after it lost a link.
        let isAll = peers.values[index].learn(ids)
        if isUseful || isAll { peers.values[index].pause = min(peers.values[index].pause, Limits.newsPause) }
        // What it told us by this is no news to it.
        reschedule(peer)
    }

    /// A peer wants some of what was offered.
    package mutating func wanted(by peer: PeerID) {
        peers[peer]?.isIgnored = false
        peers[peer]?.pause = Limits.shortestNewsPause
        reschedule(peer)
    }

    /// The offers that are due, in the order of the peers' keys.
    ///
    /// - Parameter all: what there is to offer, in order; asked for only where something is due.
    package mutating func due(now: Instant, all: () -> [UInt64]) -> [(peer: PeerID, ids: [UInt64])] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        var offers: [(peer: PeerID, ids: [UInt64])] = []
        var everything: [UInt64]?
        for peer in peersDue(now) {
            guard let wish = take(peer, now) else { continue }
            let all = everything ?? all()
            everything = all
            let ids = wish.map { news in all.filter { news.contains($0) } } ?? all
            guard !ids.isEmpty else {
                rest(peer, now)
                continue
            }
            peers[peer]?.isIgnored = true
            offers.append((peer, ids))
        }
        nextDeadline = peers.indices.reduce(nil) { .earlier($0, peers.values[$1].nextDue) }
        return offers
    }

    /// All that was new to a peer has been replaced by now. In a flood the next will be too, and is not looked at as soon as it is
    /// due: that would be for each message.
    private mutating func rest(_ peer: PeerID, _ now: Instant) {
        guard let due = peers[peer]?.newsDue else { return }
        peers[peer]?.newsDue = max(due, now + Limits.newsPause)
    }

    /// For whom something is due, in the order of their keys. All are looked at where they are, which copies none.
    private func peersDue(_ now: Instant) -> [PeerID] {
        let due = peers.indices.filter { peers.values[$0].nextDue.map { $0 <= now } ?? false }
        return due.map { peers.keys[$0] }.sorted()
    }

    /// What is due for a peer: nil for nothing, nothing inside for everything, else what is new.
    private mutating func take(_ peer: PeerID, _ now: Instant) -> Set<UInt64>?? {
        guard var entry = peers[peer], let due = entry.nextDue, due <= now else { return .none }
        if let allDue = entry.allDue, allDue <= now {
            entry.cursor = recent.end
            entry.allDue = nil
            entry.allOfferedAt = now
            peers[peer] = entry
            reschedule(peer)
            return .some(.none)
        }
        // What came just now may still be on its author's own way to the peer.
        let age = min(entry.pause, Limits.newsPause)
        // The oldest that came since may not be remembered any more.
        let first = recent.firstRemembered(from: entry.cursor)
        let ripe = recent.since(first).prefix { $0.at + age <= now }
        let news = ripe.filter { isNews($0.item, to: peer, entry) }
        entry.cursor = first + UInt64(ripe.count)
        if !news.isEmpty { entry.newsOfferedAt = now }
        if entry.isIgnored && !news.isEmpty {
            entry.pause = min(entry.pause + entry.pause, Limits.longestNewsPause)
        }
        peers[peer] = entry
        reschedule(peer)
        return news.isEmpty ? .none : Set(news.map(\.item.id))
    }

    private func isNews(_ item: Archive.Item, to peer: PeerID, _ entry: Peer) -> Bool {
        item.author != peer && item.neighbour != peer && entry.known[item.id] == nil
    }

    /// Sets when a peer is offered what waits for that longest; never, if nothing does.
    private mutating func reschedule(_ peer: PeerID) {
        guard let entry = peers[peer] else { return }
        peers[peer]?.newsDue = nil
        peers[peer]?.oldest = nil
        guard let first = recent.since(entry.cursor).first(where: { isNews($0.item, to: peer, entry) }) else {
            isEverybodyDue = false
            return
        }
        schedule(peer, since: first)
    }

    private mutating func schedule(_ peer: PeerID, since oldest: HistoryNews.Entry) {
        guard let pause = peers[peer]?.pause else { return }
        let due = oldest.at + (me < peer ? pause : pause + pause / 4)
        peers[peer]?.newsDue = due
        peers[peer]?.oldest = oldest
        wake(at: due)
    }

    /// Of the two ends of a link one waits longer, and has nothing left to offer once the other has.
    private func yielding(_ count: UInt64, to peer: PeerID) -> UInt64 { me < peer ? count : count + count / 4 }

    private mutating func wake(at instant: Instant) {
        nextDeadline = nextDeadline.map { min($0, instant) } ?? instant
    }
}
