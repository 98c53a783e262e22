import Chat
import Noise
import Wire

/// Frames of neighbours, and deadlines (Protocol.md section 13).
extension Overlay {
    mutating func received(
        _ frame: TreeFrame, from peer: PeerID, now: Instant, using randomness: inout Randomness
    ) -> [Effect] {
        switch frame {
        case .hello(let hello):
            return received(hello, from: peer, now: now, using: &randomness)
        case .graft(let mask, let ids):
            return grafted(mask, ids, by: peer, now: now)
        case .prune(let mask):
            let isParent = (0..<Trees.count).contains { mask & Trees.bit($0) != 0 && trees.parent(of: $0) == peer }
            neighbours.update(peer) { neighbour in
                neighbour.pushes &= ~mask
                if isParent { neighbour.avoidedUntil = now + Limits.refusedGraftPause }
            }
            if isParent { trees.lose(peer, mask, now: now, after: Limits.graftPause) }
        case .wide(let id):
            neighbours.update(peer) { $0.wide = id }
        case .lacking(let ids):
            news.refused(ids, by: peer, now: now)
        case .busy:
            break
        }
        return []
    }

    /// A neighbour tells ids of payloads that it has.
    mutating func announced(_ ids: [UInt64], by peer: PeerID, now: Instant) {
        guard let slot = neighbours[peer]?.slot else { return }
        for id in ids where !recent.note(id, knownAt: slot) && !news.isSettled(id) {
            news.announced(id, by: peer, now: now, patience: patience)
        }
    }

    /// A neighbour compares the latest payloads with ours.
    mutating func received(_ frame: LatestFrame, from peer: PeerID, now: Instant) -> [Effect] {
        announced(frame.ids, by: peer, now: now)
        guard frame.wantsAnswer, let slot = neighbours[peer]?.slot else { return [] }
        let theirs = Set(frame.ids)
        let lacking = recent.latest(at: now).filter { id in
            // A payload that came this moment may be on its way to the neighbour too.
            !theirs.contains(id) && recent[id].map { $0.at + Limits.latestAge <= now } ?? false
        }
        for id in lacking { recent.note(id, knownAt: slot) }
        return lacking.isEmpty ? [] : [.send(LatestFrame(wantsAnswer: false, ids: lacking).bytes, to: peer)]
    }

    /// False above the rate of a neighbour's frames.
    mutating func takeFrame(from peer: PeerID, now: Instant) -> Bool {
        neighbours.update(peer) { $0.frames.take(now: now) } ?? false
    }

    mutating func grafted(_ mask: TreeMask, _ ids: [UInt64], by peer: PeerID, now: Instant) -> [Effect] {
        guard let neighbour = neighbours[peer], !neighbour.isGuest, isOn || neighbour.isOverlay else { return [] }
        var (effects, wanted) = given(ids, to: peer, neighbour, now)
        wanted |= mask
        let offered = wanted & neighbour.offered
        let allowed = offered | allowance(wanted & ~offered, for: neighbour, now)
        neighbours.update(peer) { changed in
            changed.pushes |= allowed
            changed.offered &= ~offered
        }
        return effects + refuse(wanted & ~allowed, to: peer, neighbour, now)
    }

    /// The payloads that a neighbour grafts, with their trees. It learns which of them it does not get, so that it waits for none.
    private mutating func given(
        _ ids: [UInt64], to peer: PeerID, _ neighbour: Neighbour, _ now: Instant
    ) -> (effects: [Effect], trees: TreeMask) {
        var (effects, trees, lacking): ([Effect], TreeMask, [UInt64]) = ([], 0, [])
        for id in ids {
            guard let entry = recent[id], neighbours.update(peer, { $0.grafted.take(now: now) }) ?? false else {
                lacking.append(id)
                continue
            }
            recent.note(id, knownAt: neighbour.slot)
            trees |= Trees.bit(entry.tree)
            effects.append(.push(entry, to: [peer], isWide: false))
        }
        if !lacking.isEmpty { effects.append(.send(TreeFrame.lacking(lacking).bytes, to: peer)) }
        return (effects, trees)
    }

    /// Prunes what a neighbour grafted in vain; seldom, since one that does not give up would be answered without end.
    private mutating func refuse(
        _ mask: TreeMask, to peer: PeerID, _ neighbour: Neighbour, _ now: Instant
    ) -> [Effect] {
        let isRepeated = neighbour.refusedAt.map { now < $0 + Limits.refusedGraftPause } ?? false
        guard mask != 0, !isRepeated else { return [] }
        neighbours.update(peer) { $0.refusedAt = now }
        return [.send(TreeFrame.prune(mask).bytes, to: peer)]
    }

    /// The trees of `wanted` that a neighbour gets: few, where it gives nothing and others are there to give them.
    private func allowance(_ wanted: TreeMask, for neighbour: Neighbour, _ now: Instant) -> TreeMask {
        guard !isRelaying, neighbour.isIdle(at: now), neighbours.count >= Limits.linksForIdleRule else { return wanted }
        var allowed = wanted & neighbour.pushes
        for tree in 0..<Trees.count where wanted & Trees.bit(tree) != 0 {
            guard (allowed | neighbour.pushes).nonzeroBitCount < Limits.treesOfIdleNeighbour else { break }
            allowed |= Trees.bit(tree)
        }
        return allowed
    }

    /// Nothing came from a neighbour that is to give trees: others give them from now on.
    mutating func demote(_ peer: PeerID, now: Instant) {
        neighbours.update(peer) { neighbour in
            neighbour.pushes = 0
            neighbour.avoidedUntil = now + Limits.suspicionTime
        }
        trees.lose(peer, now: now)
    }

    mutating func suspect(_ peer: PeerID, _ now: Instant) -> [Effect] {
        guard neighbours[peer] != nil, !suspicions.contains(where: { $0.peer == peer }) else { return [] }
        suspicions.append(Suspicion(peer: peer, since: now, until: now + patience + patience))
        return [.probe(peer)]
    }

    /// Does what is due.
    mutating func tick(now: Instant, using randomness: inout Randomness) -> [Effect] {
        guard isEngaged else { return [] }
        var effects: [Effect] = []
        while let first = suspicions.first, first.until <= now {
            suspicions.removeFirst()
            effects.append(.demoteUnlessHeard(first.peer, since: first.since))
        }
        for (peer, ids) in news.announcements(now: now, neighbours: neighbours, recent: &recent) {
            effects += ids.chunked(Limits.newsPayloads).map { .send(NewsFrame(ids: $0).bytes, to: peer) }
        }
        let due = dueNews(now)
        for (peer, ids) in due.grafts where neighbours[peer] != nil {
            effects += ids.chunked(Limits.graftedPayloads).map { .send(TreeFrame.graft(0, ids: $0).bytes, to: peer) }
        }
        for peer in due.broken { effects += strike(peer, now) }
        // Behind the strikes, which take trees from their neighbours.
        for graft in trees.due(now: now, neighbours: &neighbours, strikes: strikes, using: &randomness) {
            effects.append(.send(TreeFrame.graft(graft.mask, ids: []).bytes, to: graft.peer))
        }
        return effects + compare(now, using: &randomness)
    }

    /// No neighbour is asked for more than it gives.
    private mutating func dueNews(_ now: Instant) -> News.Due {
        var neighbours = exchange(&self.neighbours, with: Neighbours())
        defer { self.neighbours = neighbours }
        return news.due(now: now, patience: patience) { peer in
            neighbours.update(peer) { $0.asked.take(now: now) } ?? false
        }
    }

    private mutating func compare(_ now: Instant, using randomness: inout Randomness) -> [Effect] {
        let isQuiet = lastPayloadAt.map { now >= $0 + Limits.latestTime } ?? true
        let peer = latest.due(now: now, neighbours: neighbours, isQuiet: isQuiet, using: &randomness)
        guard let peer else { return [] }
        return [.send(LatestFrame(wantsAnswer: true, ids: recent.latest(at: now)).bytes, to: peer)]
    }

    /// A neighbour broke a promise: no tree comes from it any more, and at the third its link ends.
    private mutating func strike(_ peer: PeerID, _ now: Instant) -> [Effect] {
        let isLast = strikes.note(peer, now: now)
        neighbours.update(peer) { $0.pushes = 0 }
        trees.lose(peer, now: now)
        return isLast ? [.end(peer)] : []
    }
}

extension Array {
    /// Its elements in order, in arrays of at most `count`.
    fileprivate func chunked(_ count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
