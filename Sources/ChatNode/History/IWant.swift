package import Chat
package import Wire

/// Decides which missing payloads to request from which neighbour with `want` (Protocol.md section 7).
///
/// At any time a payload is requested from at most one neighbour.
package struct IWant {
    private struct Peer {
        /// Ids that the peer offers, oldest first, at most `Limits.offeredPayloads`. Ids that arrived since the last pass are
        /// still listed.
        var order: [UInt64] = []
        /// Requests sent to the peer, by offered id.
        var tries: [UInt64: Int] = [:]
        /// Requests sent within the last `requestInterval`, with their numbers of ids.
        var requests: [(at: Instant, count: Int)] = []
        /// The peer ignored our last request; ask others first.
        var isUnresponsive = false
        /// When its giver's rate lets more be asked; nil if all was asked that could be.
        var heldUntil: Instant?
    }

    private struct Request {
        let peer: PeerID
        let at: Instant
        /// When the series that it is of began.
        let seriesAt: Instant
    }

    /// Slightly longer than the rate window of the neighbour, so that it does not refuse a request that transit delayed.
    private static let requestInterval = Limits.historyAnswerInterval + .milliseconds(500)

    /// Minimum time between two passes over all peers: a pass checks every offered id, so a flood of offers must not cause
    /// one pass each.
    private static let passInterval = Duration.milliseconds(100)

    /// From a request that a giver's rate cut short to the next one.
    private static let holdingTime = Duration.seconds(1)

    /// A peer that offers more and more does not set back the places of what others said meanwhile.
    private static let longestSeries = Duration.seconds(60)

    private static let rate = Rate(perSecond: Limits.historyPerSecond, burst: Limits.historyBurst)

    private var peers: [PeerID: Peer] = [:]
    private var givers: [PeerID: Giver] = [:]
    /// Kept when a link closes, so that a new connection does not reset the limit.
    private var paces = RecentTable<Giver, TokenBucket>(capacity: Limits.historyGivers)
    /// Requested ids that have not arrived. Bounded by the ids that the peers offer.
    private var pending: [UInt64: Request] = [:]
    private var lastPassAt: Instant?
    /// Requests that follow each other closely are one series: their answers are placed as if all was asked for at once.
    private var series: (begunAt: Instant, lastAt: Instant)?
    /// When `due` has something to do; nil for never.
    package private(set) var nextDeadline: Instant?

    package init() {}

    /// A link to a peer was established. All links of a giver share one rate.
    package mutating func opened(to peer: PeerID, from giver: Giver) { givers[peer] = giver }

    /// Records ids that a peer offers.
    ///
    /// - Parameter lacking: the offered ids that this node lacks.
    package mutating func offered(_ lacking: [UInt64], by peer: PeerID, now: Instant) {
        guard !lacking.isEmpty else { return }
        var entry = peers[peer] ?? Peer()
        let listed = Set(entry.order)
        for id in lacking {
            if entry.tries[id] == nil, !listed.contains(id) { entry.order.append(id) }
            // An earlier request stays valid, so that its late answer is still accepted.
            entry.tries[id] = min(entry.tries[id] ?? 0, 1)
        }
        for id in entry.order.prefix(max(0, entry.order.count - Limits.offeredPayloads)) { entry.tries[id] = nil }
        entry.order = entry.order.suffix(Limits.offeredPayloads)
        peers[peer] = entry
        wake(at: now)
    }

    /// Returns true if a payload was requested from a peer.
    package func isAwaited(_ id: UInt64, from peer: PeerID) -> Bool {
        (peers[peer]?.tries[id] ?? 0) > 0
    }

    /// Returns true if the peer offers a payload that was requested from it or may be.
    package func isAwaitingAnything(from peer: PeerID) -> Bool { !(peers[peer]?.tries.isEmpty ?? true) }

    /// A requested payload arrived from a peer.
    ///
    /// - Returns: when the series of the last request began; nil if that request was given up.
    @discardableResult
    package mutating func arrived(_ id: UInt64, from peer: PeerID) -> Instant? {
        peers[peer]?.isUnresponsive = false
        peers[peer]?.tries[id] = nil
        return pending.removeValue(forKey: id)?.seriesAt
    }

    /// The last link to a peer closed: its pending requests go to other peers.
    package mutating func closed(to peer: PeerID, now: Instant) {
        givers[peer] = nil
        guard peers.removeValue(forKey: peer) != nil else { return }
        pending = pending.filter { $0.value.peer != peer }
        wake(at: now)
    }

    /// Returns the requests to send now, sorted by peer id: of each peer the newest ids that it offers, oldest first.
    ///
    /// - Parameter lacking: returns those of the given ids that this node still lacks.
    package mutating func due(now: Instant, lacking: ([UInt64]) -> [UInt64]) -> [(peer: PeerID, ids: [UInt64])] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        lastPassAt = now
        expireRequests(now)
        for peer in peers.keys { prune(peer, lacking) }
        let responsive = idsOfResponsivePeers()
        var wants: [(peer: PeerID, ids: [UInt64])] = []
        for peer in peers.keys.sorted() {
            let ids = request(from: peer, besides: responsive, now)
            if !ids.isEmpty { wants.append((peer, ids)) }
        }
        nextDeadline = nil
        if let next = nextChange() { wake(at: next) }
        return wants
    }

    /// Releases ids whose requests timed out, so that other peers are asked for them.
    private mutating func expireRequests(_ now: Instant) {
        for (id, request) in pending where request.at + Limits.historyTimeout <= now {
            pending[id] = nil
            peers[request.peer]?.isUnresponsive = true
        }
    }

    /// Forgets ids that this node has by now, and ids whose requests to the peer failed `Limits.historyTries` times.
    private mutating func prune(_ peer: PeerID, _ lacking: ([UInt64]) -> [UInt64]) {
        guard var entry = peers[peer] else { return }
        let offered = entry.order.filter { id in
            guard let tries = entry.tries[id] else { return false }
            return tries < Limits.historyTries || pending[id]?.peer == peer
        }
        entry.order = lacking(offered)
        // Every id in `order` has a count of tries, so equal counts mean that none is left over.
        if entry.tries.count != entry.order.count {
            let left = Set(entry.order)
            entry.tries = entry.tries.filter { left.contains($0.key) }
        }
        peers[peer] = entry.order.isEmpty && entry.requests.isEmpty && !entry.isUnresponsive ? nil : entry
    }

    /// The ids that responsive peers offer, for the ids of unresponsive peers to be compared with; empty if all respond.
    private func idsOfResponsivePeers() -> Set<UInt64> {
        guard peers.values.contains(where: \.isUnresponsive) else { return [] }
        var ids: Set<UInt64> = []
        for peer in peers.values where !peer.isUnresponsive { ids.formUnion(peer.tries.keys) }
        return ids
    }

    private mutating func request(from peer: PeerID, besides responsive: Set<UInt64>, _ now: Instant) -> [UInt64] {
        guard var entry = peers[peer] else { return [] }
        entry.requests.removeAll { $0.at + IWant.requestInterval <= now }
        let room = Limits.wantedPayloads - entry.requests.reduce(0) { $0 + $1.count }
        let free = entry.order.filter { pending[$0] == nil && (!entry.isUnresponsive || !responsive.contains($0)) }
        let wanted = free.suffix(max(0, room))
        let ids = Array(wanted.suffix(takeTokens(wanted.count, from: peer, now)))
        entry.heldUntil = ids.count < wanted.count ? now + IWant.holdingTime : nil
        let seriesAt = ids.isEmpty ? now : continueSeries(at: now)
        for id in ids {
            entry.tries[id, default: 0] += 1
            pending[id] = Request(peer: peer, at: now, seriesAt: seriesAt)
        }
        if !ids.isEmpty { entry.requests.append((now, ids.count)) }
        peers[peer] = entry
        return ids
    }

    /// - Returns: when the series of a request of now began.
    private mutating func continueSeries(at now: Instant) -> Instant {
        let begunAt =
            series.map { series in
                let isNext = now - series.lastAt <= IWant.requestInterval
                return isNext && now - series.begunAt < IWant.longestSeries ? series.begunAt : now
            } ?? now
        series = (begunAt, now)
        return begunAt
    }

    /// Takes as much of the rate of a peer's giver as there is, `count` at most.
    private mutating func takeTokens(_ count: Int, from peer: PeerID, _ now: Instant) -> Int {
        guard count > 0 else { return 0 }
        return paces.update(givers[peer] ?? Giver(peer), orNew: { TokenBucket(IWant.rate, now: now) }) { pace in
            (0..<count).prefix { _ in pace.takeTokens(now: now) }.count
        }
    }

    /// When the next request times out or a peer with more offered ids accepts another request.
    private func nextChange() -> Instant? {
        let timeouts = pending.values.map { $0.at + Limits.historyTimeout }
        let free = peers.values.compactMap { entry in
            entry.order.contains { pending[$0] == nil }
                ? Instant.earlier(entry.requests.first.map { $0.at + IWant.requestInterval }, entry.heldUntil) : nil
        }
        return (timeouts + free).min()
    }

    private mutating func wake(at instant: Instant) {
        let earliest = lastPassAt.map { max(instant, $0 + IWant.passInterval) } ?? instant
        nextDeadline = nextDeadline.map { min($0, earliest) } ?? earliest
    }
}

extension Limits {
    /// Payloads that are asked of one giver (an address) over all its links, per second in the long run: those that it
    /// may relay live. More let a giver of false history cost more checks of signatures; with fewer, real history comes
    /// slowly.
    static let historyPerSecond = 20.0
    /// As many at once: the ones that a newcomer gets of an honest giver. With fewer, the conversation is not there at
    /// the start; more help only a hostile giver.
    static let historyBurst = 100.0
    /// Givers of which that is counted; the oldest goes. More cost memory; with fewer, an attacker with many addresses
    /// makes a node forget the counts.
    static let historyGivers = 1_024
    /// After which a payload that was asked for is asked of another neighbour. A longer one lets a silent neighbour
    /// delay history; a shorter one asks twice where a link is slow.
    static let historyTimeout = Duration.seconds(5)
    /// Times that a neighbour is asked for the same payload. More waste requests on a neighbour that does not give it;
    /// with fewer, a payload that only a busy neighbour has is given up.
    package static let historyTries = 3
}
