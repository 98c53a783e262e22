package import Wire

/// What is asked of whom: what others offer and is lacking here, of one neighbour at a time (Protocol.md section 7).
package struct IWant {
    private struct Peer {
        /// What it offers, oldest first, at most 300.
        var order: [UInt64] = []
        /// How often each was asked for.
        var tries: [UInt64: Int] = [:]
        /// When how much was asked for, within the last interval.
        var asked: [(at: Instant, count: Int)] = []
        /// It has left something unanswered since it last answered: others are asked first.
        var isSilent = false
    }

    private struct Asked {
        let peer: PeerID
        let at: Instant
    }

    /// A little more than a neighbour needs to answer the next, so that no want meets a closed door.
    private static let interval = Limits.historyAnswerInterval + .milliseconds(500)

    private var peers: [PeerID: Peer] = [:]
    /// What is asked for and has not come yet. Bounded by what each peer offers.
    private var underWay: [UInt64: Asked] = [:]
    package private(set) var nextDeadline: Instant?

    package init() {}

    /// A peer offers something that is lacking here.
    package mutating func offered(_ lacking: [UInt64], by peer: PeerID, now: Instant) {
        guard !lacking.isEmpty else { return }
        var entry = peers[peer] ?? Peer()
        // What has come since the last look at it stands there still.
        let listed = Set(entry.order)
        for id in lacking {
            if entry.tries[id] == nil, !listed.contains(id) { entry.order.append(id) }
            // What was asked for before is still welcome.
            entry.tries[id] = min(entry.tries[id] ?? 0, 1)
        }
        for id in entry.order.prefix(max(0, entry.order.count - Limits.offeredPayloads)) { entry.tries[id] = nil }
        entry.order = entry.order.suffix(Limits.offeredPayloads)
        peers[peer] = entry
        wake(at: now)
    }

    /// Whether a payload that came from a peer was asked of it.
    package func isAwaited(_ id: UInt64, from peer: PeerID) -> Bool {
        (peers[peer]?.tries[id] ?? 0) > 0
    }

    /// Whether anything was asked of a peer, or is to be.
    package func isAwaitingAnything(from peer: PeerID) -> Bool { !(peers[peer]?.tries.isEmpty ?? true) }

    /// A payload that was asked of a peer came.
    ///
    /// - Returns: when it was asked for last; nil if that request was given up.
    @discardableResult
    package mutating func arrived(_ id: UInt64, from peer: PeerID) -> Instant? {
        peers[peer]?.isSilent = false
        peers[peer]?.tries[id] = nil
        return underWay.removeValue(forKey: id)?.at
    }

    /// The last link to a peer has ended: others are asked.
    package mutating func closed(to peer: PeerID, now: Instant) {
        guard peers.removeValue(forKey: peer) != nil else { return }
        underWay = underWay.filter { $0.value.peer != peer }
        wake(at: now)
    }

    /// What is to be asked now, in the order of the peers' keys: of each the newest that it offers, oldest first.
    ///
    /// - Parameter lacking: tells which ids are still lacking.
    package mutating func due(now: Instant, lacking: ([UInt64]) -> [UInt64]) -> [(peer: PeerID, ids: [UInt64])] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        noteSilence(now)
        for peer in peers.keys { prune(peer, lacking) }
        var wants: [(peer: PeerID, ids: [UInt64])] = []
        for peer in peers.keys.sorted() {
            let ids = choose(from: peer, now)
            if !ids.isEmpty { wants.append((peer, ids)) }
        }
        nextDeadline = soonest(now)
        return wants
    }

    /// What is overdue is free to be asked of others.
    private mutating func noteSilence(_ now: Instant) {
        for (id, asked) in underWay where asked.at + Limits.historyPatience <= now {
            underWay[id] = nil
            peers[asked.peer]?.isSilent = true
        }
    }

    /// Forgets what is here by now, and what a peer was asked for in vain often enough.
    private mutating func prune(_ peer: PeerID, _ lacking: ([UInt64]) -> [UInt64]) {
        guard var entry = peers[peer] else { return }
        let offered = entry.order.filter { id in
            guard let tries = entry.tries[id] else { return false }
            return tries < Limits.historyTries || underWay[id]?.peer == peer
        }
        entry.order = lacking(offered)
        // All that is in order was counted, so that where there are as many of both nothing has to go.
        if entry.tries.count != entry.order.count {
            let left = Set(entry.order)
            entry.tries = entry.tries.filter { left.contains($0.key) }
        }
        peers[peer] = entry.order.isEmpty && entry.asked.isEmpty && !entry.isSilent ? nil : entry
    }

    private mutating func choose(from peer: PeerID, _ now: Instant) -> [UInt64] {
        guard var entry = peers[peer] else { return [] }
        entry.asked.removeAll { $0.at + IWant.interval <= now }
        let room = Limits.wantedPayloads - entry.asked.reduce(0) { $0 + $1.count }
        let free = entry.order.filter { underWay[$0] == nil && (!entry.isSilent || !isOffered($0, besides: peer)) }
        let ids = Array(free.suffix(max(0, room)))
        for id in ids {
            entry.tries[id, default: 0] += 1
            underWay[id] = Asked(peer: peer, at: now)
        }
        if !ids.isEmpty { entry.asked.append((now, ids.count)) }
        peers[peer] = entry
        return ids
    }

    /// Whether somebody who answers offers it too.
    private func isOffered(_ id: UInt64, besides silent: PeerID) -> Bool {
        peers.contains { $0.key != silent && !$0.value.isSilent && $0.value.tries[id] != nil }
    }

    /// When something asked for is overdue, or more may be asked of a peer that offers more.
    private func soonest(_ now: Instant) -> Instant? {
        let overdue = underWay.values.map { $0.at + Limits.historyPatience }
        let free = peers.values.compactMap { entry in
            entry.order.contains { underWay[$0] == nil } ? entry.asked.first.map { $0.at + IWant.interval } : nil
        }
        return (overdue + free).min()
    }

    private mutating func wake(at instant: Instant) {
        nextDeadline = nextDeadline.map { min($0, instant) } ?? instant
    }
}
