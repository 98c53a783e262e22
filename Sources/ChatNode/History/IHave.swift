package import Chat
package import Wire

/// Decides which payload ids to offer to which peer with `have`, and when (Protocol.md section 7).
///
/// A new link is offered all ids, then new ones only. Offers become rarer while the peer requests nothing.
package struct IHave {
    private struct Peer {
        /// Number in the log of the first entry that was not offered.
        var cursor: UInt64
        /// From the arrival of a new payload to its offer.
        var interval: Duration
        /// When new payloads are offered; nil if none is pending.
        var gossipDue: Instant?
        /// Age of the oldest pending payload.
        var oldest: GossipLog.Age?
        var gossipedAt: Instant?
        /// When all payloads are offered; nil for never.
        var fullOfferDue: Instant?
        var fullOfferAt: Instant?
        /// Both ends are in overlay mode: trees bring news, and offers are for what they missed.
        var isServedByTrees = false
        /// The peer has requested nothing of the last offer so far.
        var isIgnored = false
        /// Ids that the peer offered.
        var known = RecentTable<UInt64, Bool>(capacity: 2 * Limits.offeredPayloads)

        var nextDue: Instant? { Instant.earlier(gossipDue, fullOfferDue) }

        /// Records offered ids.
        ///
        /// - Returns: true if one of them was known.
        mutating func learn(_ ids: [UInt64]) -> Bool {
            let isRepeated = ids.contains { known[$0] != nil }
            for id in ids { known.set(true, for: id) }
            return isRepeated
        }
    }

    /// Payloads archived between two checks for pending payloads that could be evicted before their offer.
    private static let checkInterval: UInt64 = 10

    private let me: PeerID
    private var peers = PackedTable<PeerID, Peer>()
    private var log = GossipLog()
    private var archived: UInt64 = 0
    /// True if `gossipDue` is set for each peer: a new payload then changes nothing.
    private var isEachPeerDue = false
    /// When `due` has something to do; nil for never.
    package private(set) var nextDeadline: Instant?

    package init(me: PeerID) {
        self.me = me
    }

    /// A link to a peer was established: all payloads are offered at once.
    package mutating func opened(to peer: PeerID, now: Instant) {
        var entry = peers[peer] ?? Peer(cursor: log.end, interval: Limits.gossipInterval)
        entry.interval = Limits.gossipInterval
        entry.fullOfferDue = now
        peers[peer] = entry
        isEachPeerDue = false
        wake(at: now)
    }

    /// Whether trees bring new payloads to a peer, so that offers to it become rare.
    package mutating func setServedByTrees(_ isServed: Bool, _ peer: PeerID) {
        guard let index = peers.index(forKey: peer), peers.values[index].isServedByTrees != isServed else { return }
        peers.values[index].isServedByTrees = isServed
        reschedule(index)
    }

    /// The last link to a peer closed. If it was lost, all payloads are offered to the other peers, which may have missed some.
    package mutating func closed(to peer: PeerID, isLost: Bool, now: Instant) {
        guard peers.removeValue(forKey: peer) != nil, isLost else { return }
        for index in peers.indices where !peers.values[index].isServedByTrees {
            let earliest = peers.values[index].fullOfferAt.map { $0 + Limits.historyAnswerInterval } ?? now
            peers.values[index].fullOfferDue = max(now, earliest)
            wake(at: max(now, earliest))
        }
    }

    /// Records payloads that were archived.
    package mutating func recordArchived(_ items: [Archive.Item], now: Instant) {
        for item in items { recordArchived(item, now: now) }
    }

    /// Records a payload that was archived. Own payloads are never pending: each linked peer received them when they were sent.
    package mutating func recordArchived(_ item: Archive.Item, now: Instant) {
        archived += 1
        if archived.isMultiple(of: IHave.checkInterval) { scheduleSoon(now) }
        guard item.neighbour != nil else { return }
        let entry = GossipLog.Entry(item: item, age: GossipLog.Age(at: now, archived: archived))
        log.append(entry)
        guard !isEachPeerDue else { return }
        isEachPeerDue = true
        for index in peers.indices where peers.values[index].gossipDue == nil { schedule(index, since: entry) }
    }

    /// Advances offers whose payloads could be evicted before they are due, but not in a flood, which evicts payloads before any
    /// offer.
    private mutating func scheduleSoon(_ now: Instant) {
        for index in peers.indices {
            guard !peers.values[index].isServedByTrees, let oldest = peers.values[index].oldest,
                let due = peers.values[index].gossipDue, oldest.at + Limits.gossipInterval <= now
            else { continue }
            let waiting = archived - oldest.archived
            guard waiting >= yielded(Limits.crowdedGossip, to: peers.keys[index]),
                waiting <= UInt64(Limits.messagesPerConversation)
            else { continue }
            let last = max(oldest.at, peers.values[index].gossipedAt ?? oldest.at)
            let earliest = max(now, last + Limits.gossipInterval)
            guard earliest < due else { continue }
            peers.values[index].gossipDue = earliest
            wake(at: earliest)
        }
    }

    /// Records ids that a peer offers.
    ///
    /// - Parameter isUseful: whether this node lacks one of them.
    package mutating func offered(_ ids: [UInt64], by peer: PeerID, isUseful: Bool) {
        // Changed in place, because a copy of the entry would copy its table of known ids.
        guard let index = peers.index(forKey: peer) else { return }
        // An honest peer repeats ids only in a full offer, after it lost a link.
        let isFullOffer = peers.values[index].learn(ids)
        if isUseful || isFullOffer {
            peers.values[index].interval = min(peers.values[index].interval, Limits.gossipInterval)
        }
        // The offered ids are no longer pending for the peer.
        reschedule(index)
    }

    /// A peer requested some of the offered payloads.
    package mutating func wanted(by peer: PeerID) {
        guard let index = peers.index(forKey: peer) else { return }
        peers.values[index].isIgnored = false
        peers.values[index].interval = Limits.shortestGossipInterval
        reschedule(index)
    }

    /// Returns the offers to send now, sorted by peer id.
    ///
    /// - Parameter all: returns all ids that can be offered, in order. Called at most once, and only if an offer is due.
    package mutating func due(now: Instant, all: () -> [UInt64]) -> [(peer: PeerID, ids: [UInt64])] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        var offers: [(peer: PeerID, ids: [UInt64])] = []
        var made: HistoryList?
        for index in peersDue(now) {
            let list = made ?? HistoryList(all(), log)
            made = list
            let ids = isFullOfferDue(index, now) ? takeAll(index, list, now) : takePending(index, list, now)
            guard !ids.isEmpty else { continue }
            peers.values[index].isIgnored = true
            offers.append((peers.keys[index], ids))
        }
        nextDeadline = peers.indices.reduce(nil) { .earlier($0, peers.values[$1].nextDue) }
        return offers
    }

    /// Indices of the peers with a due offer, sorted by peer id. Entries are read in place, because a copy retains their tables.
    private func peersDue(_ now: Instant) -> [Int] {
        let due = peers.indices.filter { peers.values[$0].nextDue.map { $0 <= now } ?? false }
        return due.sorted { peers.keys[$0] < peers.keys[$1] }
    }

    private func isFullOfferDue(_ index: Int, _ now: Instant) -> Bool {
        peers.values[index].fullOfferDue.map { $0 <= now } ?? false
    }

    private mutating func takeAll(_ index: Int, _ list: HistoryList, _ now: Instant) -> [UInt64] {
        peers.values[index].cursor = log.end
        peers.values[index].fullOfferDue = nil
        peers.values[index].fullOfferAt = now
        reschedule(index)
        return list.ids
    }

    /// The ids of a peer's pending payloads that are still archived.
    private mutating func takePending(_ index: Int, _ list: HistoryList, _ now: Instant) -> [UInt64] {
        let interval = peers.values[index].interval
        // A newer payload may still be in transit from its author to the peer.
        let age = min(interval, Limits.gossipInterval)
        let pending = log.numbers(from: peers.values[index].cursor)
        var (ripe, keepsAny, places) = (pending.lowerBound, false, [Int]())
        while ripe < pending.upperBound, log[ripe].at + age <= now {
            if let place = list.place(of: ripe) {
                keepsAny = true
                if isNew(log[ripe].item, to: index) { places.append(place) }
            }
            ripe += 1
        }
        // The log may have dropped the oldest entries since the last offer.
        peers.values[index].cursor = ripe
        let isEvicted = !keepsAny && ripe > pending.lowerBound
        if !places.isEmpty || isEvicted {
            peers.values[index].gossipedAt = now
            if peers.values[index].isIgnored {
                peers.values[index].interval = min(interval + interval, Limits.longestGossipInterval)
            }
        }
        reschedule(index)
        if isEvicted { backOff(index, now) }
        return places.sorted().map { list.ids[$0] }
    }

    /// Delays the next check after all pending payloads were evicted: a flood evicts the next ones too, and would cause a check for
    /// each message.
    private mutating func backOff(_ index: Int, _ now: Instant) {
        guard let due = peers.values[index].gossipDue else { return }
        peers.values[index].gossipDue = max(due, now + Limits.gossipInterval)
    }

    private func isNew(_ item: Archive.Item, to index: Int) -> Bool {
        let peer = peers.keys[index]
        return item.author != peer && item.neighbour != peer && peers.values[index].known[item.id] == nil
    }

    /// Sets when the peer's oldest pending payload is offered; nil if none is pending.
    private mutating func reschedule(_ index: Int) {
        peers.values[index].gossipDue = nil
        peers.values[index].oldest = nil
        let pending = log.numbers(from: peers.values[index].cursor)
        guard let first = pending.first(where: { isNew(log[$0].item, to: index) }) else {
            isEachPeerDue = false
            return
        }
        schedule(index, since: log[first])
    }

    private mutating func schedule(_ index: Int, since oldest: GossipLog.Entry) {
        let interval = peers.values[index].isServedByTrees ? Limits.longestGossipInterval : peers.values[index].interval
        let due = max(
            oldest.at + (me < peers.keys[index] ? interval : interval + interval / 4),
            (peers.values[index].gossipedAt ?? oldest.at) + Limits.shortestGossipInterval)
        peers.values[index].gossipDue = due
        peers.values[index].oldest = oldest.age
        wake(at: due)
    }

    /// A quarter more for the node with the greater id: the two ends of a link do not offer each other the same payloads at once.
    private func yielded(_ count: UInt64, to peer: PeerID) -> UInt64 { me < peer ? count : count + count / 4 }

    private mutating func wake(at instant: Instant) {
        nextDeadline = nextDeadline.map { min($0, instant) } ?? instant
    }
}

extension Limits {
    /// From something new to the offer of it while the peer asks for offered payloads. A shorter one offers what is
    /// still on its way; a longer one delays what was lost.
    static let shortestGossipInterval = Duration.seconds(1)
    /// That interval at first, and the age from which a payload counts as missed. A longer one delays the repair of
    /// losses; a shorter one offers payloads that come by themselves.
    static let gossipInterval = Duration.seconds(2)
    /// That interval at most, while the peer asks for nothing: it doubles. A longer one leaves a loss unnoticed for
    /// longer; a shorter one costs idle pairs traffic.
    static let longestGossipInterval = Duration.seconds(32)
    /// Payloads behind a pending one after which it is offered at once, if the last offer was `gossipInterval` ago:
    /// half of those that are kept. With more, a payload is evicted before its offer; with fewer, a busy room sends an
    /// offer for little.
    static let crowdedGossip: UInt64 = 50
}
