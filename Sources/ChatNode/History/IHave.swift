package import Chat
package import Wire

/// What is offered to whom, and when: everything on a new link, then what is new, the more seldom the less it is wanted
/// (Protocol.md section 7).
package struct IHave {
    private struct Peer {
        /// What came later was not offered yet.
        var cursor: UInt64
        /// From something new to the offer of it.
        var pause: Duration
        var newsDue: Instant?
        /// Of the oldest news that waits for that, while there is any.
        var oldest: GossipLog.Age?
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
    private var peers = PackedTable<PeerID, Peer>()
    private var recent = GossipLog()
    private var archived: UInt64 = 0
    /// Whether each peer has a time for its next offer: then something new costs nothing.
    private var isEverybodyDue = false
    package private(set) var nextDeadline: Instant?

    package init(me: PeerID) {
        self.me = me
    }

    /// A link stands: everything is offered, now.
    package mutating func opened(to peer: PeerID, now: Instant) {
        var entry = peers[peer] ?? Peer(cursor: recent.end, pause: Limits.gossipInterval)
        entry.pause = Limits.gossipInterval
        entry.allDue = now
        peers[peer] = entry
        isEverybodyDue = false
        wake(at: now)
    }

    /// The last link to a peer has ended. If it was lost, the others are shown what came until then.
    package mutating func closed(to peer: PeerID, isLost: Bool, now: Instant) {
        guard peers.removeValue(forKey: peer) != nil, isLost else { return }
        for index in peers.indices {
            let earliest = peers.values[index].allOfferedAt.map { $0 + Limits.historyAnswerInterval } ?? now
            peers.values[index].allDue = max(now, earliest)
            wake(at: max(now, earliest))
        }
    }

    package mutating func note(_ items: [Archive.Item], now: Instant) {
        for item in items { note(item, now: now) }
    }

    /// Something was taken in. What is ours everybody who has a link got from us at once.
    package mutating func note(_ item: Archive.Item, now: Instant) {
        archived += 1
        if archived.isMultiple(of: IHave.lookInterval) { scheduleSoon(now) }
        guard item.neighbour != nil else { return }
        let news = GossipLog.Entry(item: item, age: GossipLog.Age(at: now, archived: archived))
        recent.append(news)
        guard !isEverybodyDue else { return }
        isEverybodyDue = true
        for index in peers.indices where peers.values[index].newsDue == nil { schedule(index, since: news) }
    }

    /// Where so much has come since that news could be replaced before their offer is due, it comes sooner; but not where they
    /// are replaced before anything is offered at all, in a flood.
    private mutating func scheduleSoon(_ now: Instant) {
        for index in peers.indices {
            guard let oldest = peers.values[index].oldest, let due = peers.values[index].newsDue,
                oldest.at + Limits.gossipInterval <= now
            else { continue }
            let waiting = archived - oldest.archived
            guard waiting >= yielding(Limits.crowdedGossip, to: peers.keys[index]),
                waiting <= UInt64(Limits.messagesPerConversation)
            else { continue }
            let last = max(oldest.at, peers.values[index].newsOfferedAt ?? oldest.at)
            let earliest = max(now, last + Limits.gossipInterval)
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
        if isUseful || isAll { peers.values[index].pause = min(peers.values[index].pause, Limits.gossipInterval) }
        // What it told us by this is no news to it.
        reschedule(index)
    }

    /// A peer wants some of what was offered.
    package mutating func wanted(by peer: PeerID) {
        guard let index = peers.index(forKey: peer) else { return }
        peers.values[index].isIgnored = false
        peers.values[index].pause = Limits.shortestGossipInterval
        reschedule(index)
    }

    /// The offers that are due, in the order of the peers' keys.
    ///
    /// - Parameter all: what there is to offer, in order; asked for only where something is due, and once.
    package mutating func due(now: Instant, all: () -> [UInt64]) -> [(peer: PeerID, ids: [UInt64])] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        var offers: [(peer: PeerID, ids: [UInt64])] = []
        var made: HistoryList?
        for index in peersDue(now) {
            let list = made ?? HistoryList(all(), recent)
            made = list
            let ids = isEverythingDue(index, now) ? takeEverything(index, list, now) : takeNews(index, list, now)
            guard !ids.isEmpty else { continue }
            peers.values[index].isIgnored = true
            offers.append((peers.keys[index], ids))
        }
        nextDeadline = peers.indices.reduce(nil) { .earlier($0, peers.values[$1].nextDue) }
        return offers
    }

    /// For whom something is due, in the order of their keys. All are looked at where they are, which copies none.
    private func peersDue(_ now: Instant) -> [Int] {
        let due = peers.indices.filter { peers.values[$0].nextDue.map { $0 <= now } ?? false }
        return due.sorted { peers.keys[$0] < peers.keys[$1] }
    }

    private func isEverythingDue(_ index: Int, _ now: Instant) -> Bool {
        peers.values[index].allDue.map { $0 <= now } ?? false
    }

    private mutating func takeEverything(_ index: Int, _ list: HistoryList, _ now: Instant) -> [UInt64] {
        peers.values[index].cursor = recent.end
        peers.values[index].allDue = nil
        peers.values[index].allOfferedAt = now
        reschedule(index)
        return list.ids
    }

    /// What is news to a peer, as far as it is still kept.
    private mutating func takeNews(_ index: Int, _ list: HistoryList, _ now: Instant) -> [UInt64] {
        let pause = peers.values[index].pause
        // What came just now may still be on its author's own way to the peer.
        let age = min(pause, Limits.gossipInterval)
        let pending = recent.numbers(from: peers.values[index].cursor)
        var (ripe, keepsAny, places) = (pending.lowerBound, false, [Int]())
        while ripe < pending.upperBound, recent[ripe].at + age <= now {
            if let place = list.place(of: ripe) {
                keepsAny = true
                if isNews(recent[ripe].item, to: index) { places.append(place) }
            }
            ripe += 1
        }
        // The oldest that came since the last offer may not be remembered any more.
        peers.values[index].cursor = ripe
        let isReplaced = !keepsAny && ripe > pending.lowerBound
        if !places.isEmpty || isReplaced {
            peers.values[index].newsOfferedAt = now
            if peers.values[index].isIgnored { peers.values[index].pause = min(pause + pause, Limits.longestGossipInterval) }
        }
        reschedule(index)
        if isReplaced { rest(index, now) }
        return places.sorted().map { list.ids[$0] }
    }

    /// All that was new to a peer has been replaced by now. In a flood the next will be too, and is not looked at as soon as it is
    /// due: that would be for each message.
    private mutating func rest(_ index: Int, _ now: Instant) {
        guard let due = peers.values[index].newsDue else { return }
        peers.values[index].newsDue = max(due, now + Limits.gossipInterval)
    }

    private func isNews(_ item: Archive.Item, to index: Int) -> Bool {
        let peer = peers.keys[index]
        return item.author != peer && item.neighbour != peer && peers.values[index].known[item.id] == nil
    }

    /// Sets when a peer is offered what waits for that longest; never, if nothing does.
    private mutating func reschedule(_ index: Int) {
        peers.values[index].newsDue = nil
        peers.values[index].oldest = nil
        let pending = recent.numbers(from: peers.values[index].cursor)
        guard let first = pending.first(where: { isNews(recent[$0].item, to: index) }) else {
            isEverybodyDue = false
            return
        }
        schedule(index, since: recent[first])
    }

    private mutating func schedule(_ index: Int, since oldest: GossipLog.Entry) {
        let pause = peers.values[index].pause
        let due = oldest.at + (me < peers.keys[index] ? pause : pause + pause / 4)
        peers.values[index].newsDue = due
        peers.values[index].oldest = oldest.age
        wake(at: due)
    }

    /// Of the two ends of a link one waits longer, and has nothing left to offer once the other has.
    private func yielding(_ count: UInt64, to peer: PeerID) -> UInt64 { me < peer ? count : count + count / 4 }

    private mutating func wake(at instant: Instant) {
        nextDeadline = nextDeadline.map { min($0, instant) } ?? instant
    }
}
