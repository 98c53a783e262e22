import Chat
import Noise
import Wire

/// The eight trees over which payloads spread: which neighbour gives each, and which are pushed to (Protocol.md section 13).
///
/// A tree is a set of links, each used in both directions. It has no root: payloads of any author go along it.
struct Trees: Sendable {
    static let count = 8
    static let all = TreeMask.max

    /// The tree of an author: one author, one path, so that the order of what it says is kept.
    static func index(of author: PeerID) -> Int { Int(author.words.3 & 7) }

    static func bit(_ tree: Int) -> TreeMask { 1 << TreeMask(tree) }

    /// A graft to send.
    struct Graft: Hashable, Sendable {
        let peer: PeerID
        let mask: TreeMask
    }

    /// The neighbour that gave the last new payload of each tree, or was grafted for it.
    private var parents = [PeerID?](repeating: nil, count: Trees.count)
    /// When trees without a parent are grafted.
    private(set) var nextDeadline: Instant?

    func parent(of tree: Int) -> PeerID? { parents[tree] }

    /// How many trees a neighbour gives.
    func count(from peer: PeerID) -> Int { parents.count { $0 == peer } }

    /// A link was established, or one that gave a tree is lost: trees without a parent get one at `instant`.
    mutating func graft(at instant: Instant) {
        guard parents.contains(nil) else { return }
        nextDeadline = nextDeadline.map { min($0, instant) } ?? instant
    }

    /// The link that gives these trees is gone, or gives them no more.
    mutating func lose(_ peer: PeerID, _ mask: TreeMask = Trees.all, now: Instant, after pause: Duration = .zero) {
        for tree in parents.indices where parents[tree] == peer && mask & Trees.bit(tree) != 0 { parents[tree] = nil }
        graft(at: now + pause)
    }

    /// A payload came first from this neighbour, which gives these trees from now on.
    mutating func setParent(of mask: TreeMask, to peer: PeerID) {
        for tree in parents.indices where mask & Trees.bit(tree) != 0 { parents[tree] = peer }
    }

    /// Forgets all parents.
    mutating func reset() { self = Trees() }

    /// Chooses a parent for each tree without one: of two neighbours drawn at random the one that gives fewer trees.
    mutating func due(
        now: Instant, neighbours: inout Neighbours, strikes: Strikes, using randomness: inout Randomness
    ) -> [Graft] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        nextDeadline = nil
        let missing = parents.indices.filter { parents[$0] == nil }
        let candidates = Trees.candidates(neighbours, strikes, now)
        guard !missing.isEmpty, !candidates.isEmpty else { return [] }
        var masks: [PeerID: TreeMask] = [:]
        for tree in missing {
            guard let peer = choose(among: candidates, neighbours, now, using: &randomness) else { continue }
            parents[tree] = peer
            masks[peer, default: 0] |= Trees.bit(tree)
        }
        for (peer, mask) in masks { neighbours.update(peer) { $0.pushes |= mask } }
        return masks.map { Graft(peer: $0.key, mask: $0.value) }.sorted { $0.peer < $1.peer }
    }

    private static func candidates(_ neighbours: Neighbours, _ strikes: Strikes, _ now: Instant) -> [PeerID] {
        let all = neighbours.peers.filter { neighbours[$0]?.isInTrees ?? false }
        let good = all.filter { peer in
            !strikes.has(peer, now: now) && neighbours[peer]?.avoidedUntil.map { $0 <= now } ?? true
        }
        return good.isEmpty ? all : good
    }

    private func choose(
        among candidates: [PeerID], _ neighbours: Neighbours, _ now: Instant, using randomness: inout Randomness
    ) -> PeerID? {
        guard let first = candidates.randomElement(using: &randomness),
            let second = candidates.randomElement(using: &randomness)
        else { return nil }
        let better = count(from: second) < count(from: first) ? second : first
        let isIdle = neighbours[better]?.isIdle(at: now) ?? false
        guard isIdle, candidates.count >= Limits.linksForIdleRule, count(from: better) >= Limits.treesOfIdleNeighbour
        else { return better }
        return candidates.min { count(from: $0) < count(from: $1) }
    }
}

extension Limits {
    /// Trees that an idle neighbour gets. More serve attackers that only listen; with fewer, an honest newcomer, idle
    /// at first, gets too little to serve others.
    static let treesOfIdleNeighbour = 3
    /// Links from which on this holds. With more, the rule rarely applies; with fewer, a node with few links leaves
    /// some trees without a branch.
    static let linksForIdleRule = 8
}
