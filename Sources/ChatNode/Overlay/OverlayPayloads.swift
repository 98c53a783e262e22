import Chat
import Noise
import Wire

/// How payloads travel: said here, come from a neighbour, come again (Protocol.md section 13).
extension Overlay {
    /// An own payload, or one that came over a bridge.
    ///
    /// - Parameter hops: as the neighbours get it.
    mutating func say(
        _ payload: VerifiedPayload, hops: UInt8, now: Instant, using randomness: inout Randomness
    ) -> [Effect] {
        let tree = Trees.index(of: payload.author)
        let made = mode == .overlay && wide.isDue(tree) ? wide.accept(tree, now: now) : 0
        let isWide = made != 0
        if isWide { clear(made) } else { wide.note(tree) }
        let eager = neighbours.peers.filter { isPushed(tree, to: $0) || isMeshLink($0) }
        let hasTree = eager.contains { neighbours[$0]?.isOverlay ?? false }
        let receivers = isWide || !hasTree ? neighbours.peers : eager
        return spread(payload, hops: hops, to: receivers, from: nil, isWide: isWide, now: now, using: &randomness)
    }

    /// A payload that was new came from a neighbour.
    mutating func took(
        _ payload: VerifiedPayload, hops: UInt8, from peer: PeerID, now: Instant, using randomness: inout Randomness
    ) -> [Effect] {
        let (tree, id) = (Trees.index(of: payload.author), payload.id.prefix)
        guard recent[id] == nil, let neighbour = neighbours[peer] else { return [] }
        let wasMissing = news.isMissing(id)
        news.settle(id)
        let made = neighbour.wide == id ? wide.accept(tree, now: now) : 0
        let isWide = made != 0
        if !isWide { wide.note(tree) }
        let parent = trees.parent(of: tree)
        var effects: [Effect] = []
        if isWide {
            clear(made)
            effects.append(.send(TreeFrame.graft(made, ids: []).bytes, to: peer))
        }
        neighbours.update(peer) { neighbour in
            (neighbour.servedAt, neighbour.gaveAt) = (now, now)
        }
        // A node of a small room sends its own payloads on all its links: that makes none of them a part of the tree.
        if neighbour.isInTrees, mode == .overlay || hops > 1 {
            trees.took(made | Trees.bit(tree), from: peer)
            neighbours.update(peer) { $0.pushes |= made | Trees.bit(tree) }
        }
        let receivers = neighbours.peers.filter { $0 != peer && (isWide || isPushed(tree, to: $0)) }
        effects += spread(payload, hops: hops, to: receivers, from: peer, isWide: isWide, now: now, using: &randomness)
        if wasMissing, let parent, parent != peer { effects += suspect(parent, now) }
        return effects
    }

    /// A payload that is here already came again, or an own one came back: that link is no part of the tree.
    mutating func repeated(_ id: UInt64, of author: PeerID, hops: UInt8, from peer: PeerID) -> [Effect] {
        guard let neighbour = neighbours[peer] else { return [] }
        recent.note(id, knownAt: neighbour.slot)
        if neighbour.wide == id {
            neighbours.update(peer) { $0.wide = nil }
            return []
        }
        // An own payload of a mesh node, or to one, comes in any case.
        guard hops > 0 || (mode == .overlay && neighbour.isOverlay) else { return [] }
        let tree = Trees.index(of: author)
        // The parent brings the authors without a link in this tree, and with them those that have one.
        guard !isRelaying || neighbours[author] == nil || trees.parent(of: tree) != peer else { return [] }
        let bit = Trees.bit(tree)
        neighbours.update(peer) { $0.pushes &= ~bit }
        return [.send(TreeFrame.prune(bit).bytes, to: peer)]
    }

    /// A payload was refused for good: it is not asked for again.
    mutating func refused(_ id: UInt64) { news.settle(id) }

    /// A payload came: its neighbour keeps its promise, whatever admission makes of it.
    mutating func arrived(_ body: Span<UInt8>, from peer: PeerID) {
        guard news.awaits(peer), let id = SignedPayload.id(inFrame: body)?.prefix else { return }
        news.kept(id, by: peer)
    }

    /// A payload that was refused may be right by now.
    mutating func reopen(_ id: UInt64) { news.reopen(id) }

    private mutating func spread(
        _ payload: VerifiedPayload, hops: UInt8, to receivers: [PeerID], from peer: PeerID?, isWide: Bool, now: Instant,
        using randomness: inout Randomness
    ) -> [Effect] {
        var entry = RecentPayloads.Entry(payload: payload, hops: hops, at: now)
        for known in receivers + [peer].compactMap(\.self) {
            if let slot = neighbours[known]?.slot { entry.known.insert(slot) }
        }
        recent.insert(entry)
        news.settle(entry.id)
        news.gather(entry.id, now: now, using: &randomness)
        lastPayloadAt = now
        latest.hasten(now: now, using: &randomness)
        return receivers.isEmpty ? [] : [.push(entry, to: receivers, isWide: isWide)]
    }

    private func isPushed(_ tree: Int, to peer: PeerID) -> Bool {
        guard let neighbour = neighbours[peer], isOn || neighbour.isOverlay else { return false }
        return neighbour.pushes & Trees.bit(tree) != 0
    }

    /// On such a link a node says all that it says itself.
    private func isMeshLink(_ peer: PeerID) -> Bool { mode != .overlay || neighbours[peer]?.isOverlay == false }

    /// A wide payload makes these trees anew. A neighbour in mesh mode passes nothing on to such as itself and gets no news:
    /// it keeps its trees until it prunes them, so that it misses nothing meanwhile.
    private mutating func clear(_ mask: TreeMask) {
        neighbours.updateAll { neighbour in
            if neighbour.isOverlay { neighbour.pushes &= ~mask }
            neighbour.offered = mask
        }
    }
}
