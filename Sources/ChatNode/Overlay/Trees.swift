import Chat
import Noise
import Wire

/// The eight trees over which payloads spread: which neighbour gives each, and which are pushed to (Protocol.md section 13).
///
/// A tree is a set of links, each used in both directions: payloads of any author go along it. Its root is the author of the wide payload
/// that made it last, or a node that found all its neighbours below it, and each other node has one parent. So there are hardly more
/// links in it than nodes, however many payloads are under way; with links that a repeated copy prunes, as in Plumtree, each of two payloads may prune another link of one circle,
/// which parts the tree.
struct Trees: Sendable {
    static let count = 8
    static let all = TreeMask.max

    /// The tree of an author: one author, one path, so that the order of what it says is kept.
    static func index(of author: PeerID) -> Int { Int(author.words.3 & 7) }

    static func bit(_ tree: Int) -> TreeMask { 1 << TreeMask(tree) }

    /// The trees for which a condition holds.
    static func mask(where holds: (Int) -> Bool) -> TreeMask {
        (0..<count).reduce(into: 0) { mask, tree in mask |= holds(tree) ? bit(tree) : 0 }
    }

    /// A graft to send.
    struct Graft: Hashable, Sendable {
        let peer: PeerID
        let mask: TreeMask
    }

    /// The neighbours that may become parents, each list in the order of their keys.
    private struct Candidates {
        let all: [PeerID]
        /// Those without a strike that nothing else speaks against.
        let good: [PeerID]
        /// Those of them that give something.
        let giving: [PeerID]

        init(_ neighbours: Neighbours, _ strikes: Strikes, _ now: Instant) {
            all = neighbours.peers.filter { neighbours[$0]?.isInTrees ?? false }
            good = all.filter { peer in
                guard !strikes.has(peer, now: now), let neighbour = neighbours[peer] else { return false }
                return !neighbour.isLeaving && neighbour.avoidedUntil.map { $0 <= now } ?? true
            }
            giving = good.filter { neighbours[$0]?.isIdle(at: now) == false }
        }

        /// The good ones for which a condition holds: those that give something, if there are any.
        func good(where holds: (PeerID) -> Bool) -> [PeerID] {
            let fit = giving.filter(holds)
            return fit.isEmpty ? good.filter(holds) : fit
        }
    }

    /// Payloads of a tree that had to be asked for.
    private struct Misses: Sendable {
        var count = 0
        private var last: (id: UInt64, at: Instant)?
        private var movedAt: Instant?

        mutating func record(_ id: UInt64, now: Instant, wanted: Int) -> Bool {
            count = last.map { now < $0.at + Limits.missTime } ?? false ? count + 1 : 1
            last = (id, now)
            guard count >= wanted, movedAt.map({ now >= $0 + Limits.movePause }) ?? true else { return false }
            (count, movedAt) = (0, now)
            return true
        }

        mutating func forgive(_ id: UInt64) {
            guard count > 0, last?.id == id else { return }
            (count, last) = (count - 1, nil)
        }
    }

    /// The neighbour that gave the wide payload of each tree, or was grafted for it since.
    private var parents = [PeerID?](repeating: nil, count: Trees.count)
    /// The trees of which this node is the root.
    private var roots: TreeMask = 0
    /// The trees whose parents were drawn, and may be below this node.
    private var drawn: TreeMask = 0
    /// The trees whose parents were grafted again, since they gave payloads only when asked.
    private var graftedAgain: TreeMask = 0
    /// The links from the root of each tree to this node.
    private(set) var distances = TreeDistances.unknown
    private var misses = [Misses](repeating: Misses(), count: Trees.count)
    /// The loops that may still end the choice of a parent; nil before the first.
    private var loops = [TokenBucket?](repeating: nil, count: Trees.count)
    /// The parents of each tree that were left last because they are below this node, and until when they are not to be drawn.
    private var left = [[(peer: PeerID, until: Instant)]](repeating: [], count: Trees.count)
    /// Parents whose links end soon, each with the trees that it gives until the parent in its place does.
    private var leaving: [Graft] = []
    /// When trees without a parent are grafted.
    private(set) var nextDeadline: Instant?

    func parent(of tree: Int) -> PeerID? { parents[tree] }

    /// The parents of some trees, each with those that it gives, in the order of their keys.
    func parents(of mask: TreeMask) -> [Graft] {
        var masks: [PeerID: TreeMask] = [:]
        for tree in parents.indices where mask & Trees.bit(tree) != 0 {
            if let parent = parents[tree] { masks[parent, default: 0] |= Trees.bit(tree) }
        }
        return Trees.grafts(masks)
    }

    func isRoot(of tree: Int) -> Bool { roots & Trees.bit(tree) != 0 }

    private func lacksParent(_ tree: Int) -> Bool { parents[tree] == nil && !isRoot(of: tree) }

    /// How many trees a neighbour gives.
    func count(from peer: PeerID) -> Int { parents.count { $0 == peer } }

    /// A neighbour may give trees from now on, or gives one no more: at `instant` trees without a parent get one, and trees whose
    /// parent is leaving another.
    mutating func graft(at instant: Instant) {
        nextDeadline = nextDeadline.map { min($0, instant) } ?? instant
    }

    /// The link that gives these trees is gone, or gives them no more.
    mutating func lose(_ peer: PeerID, _ mask: TreeMask = Trees.all, now: Instant, after pause: Duration = .zero) {
        for tree in parents.indices where parents[tree] == peer && mask & Trees.bit(tree) != 0 { parents[tree] = nil }
        forgetLeaving(mask, peer)
        graft(at: now + pause)
    }

    /// The parent of a tree gives it.
    ///
    /// - Returns: the neighbours that gave it until now, since their links end soon: they are to stop.
    mutating func recordGift(of tree: Int, from peer: PeerID) -> [PeerID] {
        guard !leaving.isEmpty, parents[tree] == peer else { return [] }
        let bit = Trees.bit(tree)
        let old = leaving.filter { $0.mask & bit != 0 && $0.peer != peer }.map(\.peer)
        forgetLeaving(bit)
        return old
    }

    /// The trees that a neighbour gives although another is their parent now.
    func leavingTrees(of peer: PeerID) -> TreeMask { leaving.first { $0.peer == peer }?.mask ?? 0 }

    /// A neighbour is no leaving parent of these trees any more.
    ///
    /// - Parameter peer: nil for all neighbours.
    mutating func forgetLeaving(_ mask: TreeMask, _ peer: PeerID? = nil) {
        guard !leaving.isEmpty else { return }
        leaving = leaving.map { entry in
            peer == nil || entry.peer == peer ? Graft(peer: entry.peer, mask: entry.mask & ~mask) : entry
        }.filter { $0.mask != 0 }
    }

    private mutating func recordLeaving(_ peer: PeerID, _ tree: Int) {
        let mask = leavingTrees(of: peer) | Trees.bit(tree)
        leaving.removeAll { $0.peer == peer }
        leaving.append(Graft(peer: peer, mask: mask))
    }

    /// This neighbour gives these trees from now on.
    ///
    /// - Parameter distance: the links from the root of the trees that a wide payload made to this node; nil where the neighbour was grafted
    ///   otherwise.
    mutating func setParent(of mask: TreeMask, to peer: PeerID, distance: UInt8? = nil) {
        roots &= ~mask
        drawn &= ~mask
        graftedAgain &= ~mask
        for tree in parents.indices where mask & Trees.bit(tree) != 0 {
            parents[tree] = peer
            misses[tree].count = 0
        }
        forgetLeaving(mask, distance == nil ? peer : nil)
        if let distance { distances.set(mask, to: distance) }
    }

    /// An own wide payload made these trees, or all neighbours are below this node.
    mutating func becomeRoot(of mask: TreeMask) {
        roots |= mask
        for tree in parents.indices where mask & Trees.bit(tree) != 0 { parents[tree] = nil }
        distances.set(mask, to: 0)
        forgetLeaving(mask)
    }

    /// A payload of a tree came because it was asked for, and not along the tree.
    ///
    /// - Returns: true if the tree is broken, so that its next payloads are to come from the neighbour that gave this one: at once if its
    ///   parent was drawn, else at the second within `Limits.missTime`, since the first may only be late, or at the fourth at its
    ///   root; and once in `Limits.movePause`, since all that was said meanwhile is missing too.
    mutating func recordMiss(_ tree: Int, _ id: UInt64, now: Instant) -> Bool {
        let wanted = isRoot(of: tree) ? Limits.missesOfRoot : drawn & Trees.bit(tree) != 0 ? 1 : Limits.misses
        return misses[tree].record(id, now: now, wanted: wanted)
    }

    /// The parent of a tree gave the payload that another had to be asked for last: it is only slow.
    mutating func forgiveMiss(_ tree: Int, _ id: UInt64) { misses[tree].forgive(id) }

    /// The parent of some trees is below this node, as a loop check shows: the trees get another after a pause. Of a tree that had many loops
    /// lately this node becomes the root, since all neighbours seem to be below it, as where the root has left the room.
    ///
    /// - Returns: the trees that have left the neighbour.
    mutating func breakLoops(
        _ mask: TreeMask, with parent: PeerID, now: Instant, after pause: Duration
    ) -> TreeMask {
        var (broken, rooted): (TreeMask, TreeMask) = (0, 0)
        for tree in parents.indices where mask & Trees.bit(tree) != 0 && parents[tree] == parent {
            var bucket =
                loops[tree] ?? TokenBucket(Rate(perSecond: Limits.loopsPerSecond, burst: Limits.loopsBurst), now: now)
            if bucket.takeTokens(now: now) {
                broken |= Trees.bit(tree)
                left[tree].removeAll { $0.until <= now || $0.peer == parent }
                if left[tree].count == Limits.leftParents { left[tree].removeFirst() }
                left[tree].append((parent, now + Limits.loopMemory))
            } else {
                rooted |= Trees.bit(tree)
            }
            loops[tree] = bucket
        }
        if broken != 0 { lose(parent, broken, now: now, after: pause) }
        if rooted != 0 { becomeRoot(of: rooted) }
        return broken | rooted
    }

    /// A loop check showed lately that this neighbour is below this node.
    func wasLeft(_ peer: PeerID, of tree: Int, now: Instant) -> Bool {
        left[tree].contains { $0.peer == peer && now < $0.until }
    }

    /// The parent of a tree gives what it is asked for and nothing else: perhaps it lost the graft.
    ///
    /// - Returns: false if it was grafted again already, so that another is to be chosen.
    mutating func graftAgain(_ tree: Int) -> Bool {
        defer { graftedAgain |= Trees.bit(tree) }
        return graftedAgain & Trees.bit(tree) == 0
    }

    /// Forgets all parents.
    mutating func reset() { self = Trees() }

    /// Chooses a parent for each tree without one, and for each whose parent's link ends soon: of two neighbours drawn at random the one
    /// that gives fewer trees.
    mutating func due(
        now: Instant, neighbours: inout Neighbours, strikes: Strikes, using randomness: inout Randomness
    ) -> [Graft] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        nextDeadline = nil
        let missing = parents.indices.filter { tree in
            lacksParent(tree) || parents[tree].flatMap { neighbours[$0]?.isLeaving } ?? false
        }
        guard !missing.isEmpty else { return [] }
        let candidates = Candidates(neighbours, strikes, now)
        var masks: [PeerID: TreeMask] = [:]
        for tree in missing {
            let good = candidates.good { !wasLeft($0, of: tree, now: now) }
            var safe = notBelow(good.isEmpty ? candidates.all : good, tree, neighbours)
            let old = parents[tree]
            if old != nil { safe.removeAll { !Trees.mayReplace($0, tree, neighbours) } }
            guard let peer = choose(among: safe, neighbours, now, using: &randomness) else { continue }
            takeDrawn(peer, tree, neighbours, &masks)
            if let old { recordLeaving(old, tree) }
        }
        return Trees.grafts(masks, &neighbours)
    }

    /// False for a neighbour that is below this node or whose link ends soon too: the present parent stays rather than this one comes.
    private static func mayReplace(_ peer: PeerID, _ tree: Int, _ neighbours: Neighbours) -> Bool {
        neighbours[peer].map { !$0.isLeaving && !$0.isPushed(tree) } ?? false
    }

    /// A neighbour that was drawn becomes the parent of a tree: this node is a link further from the root than the neighbour, if that one is known
    /// to have a distance.
    private mutating func takeDrawn(
        _ peer: PeerID, _ tree: Int, _ neighbours: Neighbours, _ masks: inout [PeerID: TreeMask]
    ) {
        setParent(of: Trees.bit(tree), to: peer)
        let distance = neighbours[peer]?.distances[tree] ?? .max
        if distance < Limits.distanceMost { distances[tree] = distance + 1 }
        drawn |= Trees.bit(tree)
        masks[peer, default: 0] |= Trees.bit(tree)
    }

    private static func grafts(_ masks: [PeerID: TreeMask], _ neighbours: inout Neighbours) -> [Graft] {
        for (peer, mask) in masks { neighbours.update(peer) { $0.pushes |= mask } }
        return grafts(masks)
    }

    /// In the order of the keys.
    private static func grafts(_ masks: [PeerID: TreeMask]) -> [Graft] {
        masks.map { Graft(peer: $0.key, mask: $0.value) }.sorted { $0.peer < $1.peer }
    }

    /// Those that are not below this node, as far as it knows: the payloads of those below come from here. Where all choose parents that are
    /// nearer to the root than themselves, nothing leads back; one that is as near may have chosen another such.
    private func notBelow(_ candidates: [PeerID], _ tree: Int, _ neighbours: Neighbours) -> [PeerID] {
        let others = candidates.filter { neighbours[$0]?.isPushed(tree) == false }
        return others.isEmpty ? candidates : nearest(others, tree, neighbours)
    }

    /// Those that are nearer to the root than this node; else those that are as near; else all.
    private func nearest(_ candidates: [PeerID], _ tree: Int, _ neighbours: Neighbours) -> [PeerID] {
        let known = candidates.map { (peer: $0, distance: neighbours[$0]?.distances[tree] ?? .max) }
        let nearer = known.filter { $0.distance < distances[tree] }
        if !nearer.isEmpty { return nearer.map(\.peer) }
        let asNear = known.filter { $0.distance == distances[tree] }
        return asNear.isEmpty ? candidates : asNear.map(\.peer)
    }

    /// The parent of trees grafts them, since it has lost its own parent and has no neighbour but those below it: it is to be below this
    /// node. This node takes another neighbour as parent that it does not push to, the nearest to the root; whether that one is below
    /// the old parent, and so below this node, a loop check tells.
    ///
    /// - Returns: the grafts to send, and the trees of which there is no such neighbour.
    mutating func turn(
        _ mask: TreeMask, from parent: PeerID, _ neighbours: inout Neighbours, _ strikes: Strikes, now: Instant,
        using randomness: inout Randomness
    ) -> (grafts: [Graft], refused: TreeMask) {
        let grafted = parents.indices.filter { mask & Trees.bit($0) != 0 && parents[$0] == parent }
        guard !grafted.isEmpty else { return ([], 0) }
        var (masks, refused): ([PeerID: TreeMask], TreeMask) = ([:], 0)
        let candidates = Candidates(neighbours, strikes, now)
        for tree in grafted {
            func isFit(_ peer: PeerID) -> Bool {
                peer != parent && neighbours[peer]?.isPushed(tree) == false && !wasLeft(peer, of: tree, now: now)
            }
            let good = candidates.good(where: isFit)
            let nearest = nearest(good.isEmpty ? candidates.all.filter(isFit) : good, tree, neighbours)
            guard let peer = choose(among: nearest, neighbours, now, using: &randomness) else {
                refused |= Trees.bit(tree)
                continue
            }
            takeDrawn(peer, tree, neighbours, &masks)
        }
        return (Trees.grafts(masks, &neighbours), refused)
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
    /// The longest distance from a root that is believed. With a longer one, an own distance runs over; with a shorter one, long
    /// branches choose their parents blindly.
    static let distanceMost: UInt8 = 200
    /// Payloads of a tree that had to be asked for, within `missTime`, at which it gets another parent. With more, a broken tree delays
    /// more payloads; at the first, a payload that is only late makes the tree worse.
    static let misses = 2
    /// As many at the root of the tree. With more, two halves of a room that were parted keep a tree each for longer; with fewer, a room
    /// loses its roots where payloads are late.
    static let missesOfRoot = 4
    /// How long one counts. A longer one moves trees because of chance; with a shorter one, trees of a quiet room stay broken.
    static let missTime = Duration.seconds(60)
    /// The least time between two moves of a tree. A longer one leaves a wrong choice for longer; with a shorter one, each of the
    /// payloads that are missing when a tree breaks moves it.
    static let movePause = Duration.seconds(0.5)
    /// Trees that an idle neighbour gets. More serve attackers that only listen; with fewer, an honest newcomer, idle
    /// at first, gets too little to serve others.
    static let treesOfIdleNeighbour = 3
    /// Links from which on this holds. With more, the rule rarely applies; with fewer, a node with few links leaves
    /// some trees without a branch.
    static let linksForIdleRule = 8
}
