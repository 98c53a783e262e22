import Chat
import Noise
import Wire

/// Broadcast of public payloads over a few links to all nodes of a large room (Protocol.md section 13). It knows no link and no clock:
/// each call returns the actions that it asks for.
///
/// It follows Plumtree (Leitão, Pereira and Rodrigues, 2007): payloads go along a tree, and ids that are announced later (`LazyPush`)
/// lead to grafts where a tree lost a payload. It deviates where a neighbour may be hostile or a tree grows bad:
/// - Eight trees, chosen by the author's key, carry the payloads of all authors; Plumtree has one, or one for each source.
/// - A payload that its author marks as wide takes all links, and the neighbour that gives it first becomes the parent (`TreeReset`).
///   In Plumtree each payload makes parents, and each copy prunes a link: where several are under way at once, they prune several
///   links of one circle, and the tree falls apart. Here a copy prunes no link of a parent or a child.
/// - An announcement is a promise, and broken ones are counted (`Strikes`), as gossipsub 1.1 does with its IHAVE and IWANT.
/// - A neighbour that gave nothing new for long gets few trees, as gossipsub's mesh prefers peers that deliver first.
/// - From time to time one neighbour compares the latest payloads (`AntiEntropy`), as in epidemic algorithms; gossipsub has its
///   heartbeat for that.
///
/// The links are not those of HyParView's active view, which shuffles: `LinkChoice` draws them by the samplers of Brahms
/// (Bortnikov and others, 2009), so that an attacker gains nothing by frequent announcements.
struct TreeSpread: Sendable {
    enum Action: Sendable {
        /// A frame for a neighbour.
        case send([UInt8], to: PeerID)
        /// A payload for neighbours; a wide one is announced as such first, with the trees that it is to make.
        case push(RecentPayloads.Entry, to: [PeerID], wide: TreeMask)
        /// Ask a neighbour for a sign of life; without one its link is dead after `Limits.suspicionTime`.
        case probe(PeerID)
        /// Call `demote` unless something came from the neighbour since.
        case demoteUnlessHeard(PeerID, since: Instant)
        /// End the link with a neighbour that broke promises.
        case end(PeerID)
    }

    private struct Suspicion: Sendable {
        let peer: PeerID
        let since: Instant
        let until: Instant
    }

    private(set) var mode = RoomMode.mesh
    /// How long an announced payload may take before it is asked for: four median round trips, within bounds.
    var patience = Limits.announcementPatience
    private(set) var neighbours = Neighbours()
    private(set) var trees = Trees()
    private(set) var recent = RecentPayloads()
    private var strikes = Strikes()
    private var lazyPush = LazyPush()
    private var antiEntropy = AntiEntropy()
    private var treeReset = TreeReset()
    private var loopChecks = LoopChecks()
    private var suspicions: [Suspicion] = []
    private var lastPayloadAt: Instant?
    /// The payload that came last because it was asked for.
    private var askedFor: UInt64?
    /// The neighbours that are in overlay mode.
    private var overlayNeighbours = 0

    /// This node passes payloads on.
    var isOn: Bool { mode != .mesh }

    /// The room is small: own payloads go over all links, and others' are passed on.
    var isRelaying: Bool { mode == .relaying }

    /// False in a mesh room, which nothing here touches.
    var isEngaged: Bool { isOn || overlayNeighbours > 0 }

    /// When `tick` has something to do.
    var nextDeadline: Instant? {
        guard isEngaged else { return nil }
        let first = Instant.earlier(trees.nextDeadline, lazyPush.nextDeadline)
        return Instant.earlier(Instant.earlier(first, antiEntropy.nextDeadline), suspicions.first?.until)
    }

    /// The kind of the link with a neighbour, which decides the rates of payloads that the neighbour relays.
    func linkKind(of peer: PeerID) -> RelayLink {
        switch mode {
        case .mesh: isEngaged && neighbours[peer]?.isOverlay ?? false ? .overlay : .mesh
        case .relaying: .smallRoom
        case .overlay: .overlay
        }
    }
}

/// Links and modes.
extension TreeSpread {
    /// The mode of this node changes.
    mutating func setMode(_ mode: RoomMode, now: Instant, using randomness: inout Randomness) {
        guard self.mode != mode else { return }
        self.mode = mode
        neighbours.updateAll { $0.isLeaving = false }
        trees.reset()
        treeReset = TreeReset()
        loopChecks = LoopChecks()
        modeChanged(now, using: &randomness)
    }

    /// A neighbour has a link that frames are sent on: the first, or one that replaced another.
    ///
    /// - Parameters:
    ///   - isGuest: true if this node dialled it for direct messages alone.
    ///   - witness: where it is, of which all neighbours there have one vote about the room; nil for a place of its own.
    mutating func opened(
        _ peer: PeerID, isOutgoing: Bool, isGuest: Bool = false, witness: LinkSource? = nil, now: Instant,
        using randomness: inout Randomness
    ) {
        if neighbours[peer] != nil { closed(peer, now: now) }
        guard neighbours.open(peer, isOutgoing: isOutgoing, witness: witness, now: now) else { return }
        neighbours.update(peer) { $0.isOurGuest = isGuest }
        treeReset.recordChange()
        modeChanged(now, using: &randomness)
    }

    /// The digests of a neighbour tell how many nodes it counts; in overlay mode alone, since those of a small room count others.
    mutating func recordSize(_ known: Int, by peer: PeerID) {
        if mode == .overlay { neighbours.update(peer) { $0.known = known } }
    }

    /// A neighbour gave something that was new here.
    mutating func recordGift(of peer: PeerID, now: Instant) { neighbours.update(peer) { $0.gaveAt = now } }

    /// The last link with a neighbour ended.
    mutating func closed(_ peer: PeerID, now: Instant) {
        if neighbours[peer]?.isOverlay == true { overlayNeighbours -= 1 }
        guard let slot = neighbours.close(peer) else { return }
        recent.forget(slot)
        treeReset.recordChange()
        lazyPush.close(peer)
        suspicions.removeAll { $0.peer == peer }
        trees.lose(peer, now: now)
    }

    /// The link with a neighbour ends soon, because neither end has chosen it, or stays after all. Other neighbours give its trees from now
    /// on, and it gives them until they do, so that nothing is missing in between.
    mutating func setLeaving(_ peer: PeerID, _ isLeaving: Bool, now: Instant) -> [Action] {
        neighbours.update(peer) { $0.isLeaving = isLeaving }
        trees.graft(at: now)
        let mask = isLeaving ? 0 : trees.leavingTrees(of: peer)
        guard mask != 0 else { return [] }
        trees.forgetLeaving(mask, peer)
        return [prune(mask, of: peer)]
    }

    private mutating func modeChanged(_ now: Instant, using randomness: inout Randomness) {
        guard isEngaged else {
            trees.reset()
            antiEntropy.stop()
            return neighbours.updateAll { $0.pushes = 0 }
        }
        trees.graft(at: now + Limits.graftPause)
        antiEntropy.start(now: now, using: &randomness)
    }

    mutating func received(
        _ hello: Hello, from peer: PeerID, now: Instant, using randomness: inout Randomness
    ) -> [Action] {
        guard let neighbour = neighbours[peer] else { return [] }
        overlayNeighbours += (hello.isOverlay ? 1 : 0) - (neighbour.isOverlay ? 1 : 0)
        neighbours.update(peer) { neighbour in
            neighbour.hello = hello
            neighbour.known = Int(hello.known)
        }
        if !hello.isOverlay || hello.isGuest {
            neighbours.update(peer) { $0.pushes = 0 }
            trees.lose(peer, now: now)
        }
        modeChanged(now, using: &randomness)
        let grafted = hello.mask == 0 ? [] : grafted(hello.mask, [], by: peer, now: now, using: &randomness)
        return distances(for: hello, of: peer) + grafted
    }

    /// A new neighbour learns how near to the roots this node is, for the day on which it lacks a parent: it was no neighbour yet when the wide
    /// payloads told it.
    private func distances(for hello: Hello, of peer: PeerID) -> [Action] {
        guard mode == .overlay, hello.isOverlay, !hello.isGuest, trees.distances != .unknown else { return [] }
        return [.send(TreeFrame.distances(trees.distances).bytes, to: peer)]
    }
}

/// How payloads travel: signed here, received from a neighbour, received again.
extension TreeSpread {
    /// An own payload, or one that came over a bridge.
    ///
    /// - Parameter hops: as the neighbours get it.
    mutating func say(
        _ payload: VerifiedPayload, hops: UInt8, now: Instant, using randomness: inout Randomness
    ) -> [Action] {
        let tree = Trees.index(of: payload.author)
        let due = mode == .overlay ? treeReset.due(tree, payload.id.prefix, links: neighbours.count, now: now) : 0
        let made = due == 0 ? 0 : treeReset.accept(due, TreeReset.Wide(payload), now: now)
        let isWide = made != 0
        if isWide {
            clear(made)
            trees.becomeRoot(of: made)
        } else {
            treeReset.count(tree, now: now)
        }
        let eager = neighbours.peers.filter { isPushed(tree, to: $0, now) || isMeshLink($0) }
        let hasTree = eager.contains { neighbours[$0]?.isOverlay ?? false }
        let receivers = isWide || !hasTree ? neighbours.peers.filter { neighbours[$0]?.isGuest == false } : eager
        return spread(
            payload, hops: hops, to: receivers, from: nil, wide: isWide ? due : 0, now: now, using: &randomness)
    }

    /// A payload that was new came from a neighbour.
    mutating func receiveNew(
        _ payload: VerifiedPayload, hops: UInt8, from peer: PeerID, now: Instant, using randomness: inout Randomness
    ) -> [Action] {
        let (tree, id) = (Trees.index(of: payload.author), payload.id.prefix)
        guard recent[id] == nil, let neighbour = neighbours[peer] else { return [] }
        let wasMissing = lazyPush.isMissing(id)
        lazyPush.settle(id)
        // An own payload of an earlier run comes back as history, with no links passed: its mark would make this node its own child.
        let isMarked = mode == .overlay && neighbour.wide?.id == id && neighbour.isInTrees && hops > 0
        let mark = isMarked ? Trees.bit(tree) | (neighbour.wide?.mask ?? 0) : 0
        let made = mark == 0 ? 0 : treeReset.accept(mark, TreeReset.Wide(payload), now: now)
        let isWide = made != 0
        if made & Trees.bit(tree) == 0 { treeReset.count(tree, now: now) }
        let (parent, wasAsked) = (trees.parent(of: tree), askedFor == id)
        var actions: [Action] = []
        neighbours.update(peer) { neighbour in
            (neighbour.servedAt, neighbour.gaveAt) = (now, now)
        }
        actions +=
            isWide
            ? follow(peer, made, hops: hops) : link(peer, tree, id, hops: hops, now: now, using: &randomness)
        if !wasAsked { actions += relieve(of: tree, by: peer) }
        // Perhaps it is a parent from now on, and its link ends soon.
        if neighbour.isLeaving { trees.graft(at: now + Limits.wideContest) }
        let receivers = neighbours.peers.filter { other in
            other != peer && (isWide ? neighbours[other]?.isGuest == false : isPushed(tree, to: other, now))
        }
        actions += spread(
            payload, hops: hops, to: receivers, from: peer, wide: isWide ? mark : 0, now: now, using: &randomness)
        if wasMissing, let parent, parent != peer { actions += suspect(parent, now) }
        return actions
    }

    /// A wide payload came first from a neighbour, the parent of these trees from now on.
    private mutating func follow(_ peer: PeerID, _ made: TreeMask, hops: UInt8) -> [Action] {
        clear(made)
        neighbours.update(peer) { neighbour in
            neighbour.offered &= ~made
            neighbour.distances.set(made, to: hops - 1)
            neighbour.pushes |= made
        }
        trees.setParent(of: made, to: peer, distance: hops)
        loopChecks.forget(made)
        return [.send(TreeFrame.graft(made, ids: []).bytes, to: peer)]
    }

    /// A new payload came from a neighbour along a link of its tree, because it was asked for, or along a link that only the neighbour
    /// counts as one of the tree.
    private mutating func link(
        _ peer: PeerID, _ tree: Int, _ id: UInt64, hops: UInt8, now: Instant, using randomness: inout Randomness
    ) -> [Action] {
        guard let neighbour = neighbours[peer], neighbour.isInTrees else { return [] }
        let bit = Trees.bit(tree)
        guard mode == .overlay else {
            // A node of a small room sends its own payloads on all its links: that makes none of them a part of the tree.
            if hops > 1 { setParent(peer, of: tree) }
            return []
        }
        if askedFor == id {
            let parent = trees.parent(of: tree)
            guard !trees.wasLeft(peer, of: tree, now: now), trees.recordMiss(tree, id, now: now) else { return [] }
            if parent == peer { return graftAgain(peer, tree, now, using: &randomness) }
            let moved = move(tree, to: peer, using: &randomness)
            return moved + (parent.map { [prune(bit, of: $0)] } ?? [])
        }
        guard !isPushed(tree, to: peer, now) else { return [] }
        // A root without a child is none to the others: it spoke before it had heard of their tree.
        let isRoot = trees.isRoot(of: tree) && neighbours.peers.contains { isPushed(tree, to: $0, now) }
        if trees.parent(of: tree) == nil, !isRoot, !trees.wasLeft(peer, of: tree, now: now) {
            return move(tree, to: peer, using: &randomness)
        }
        // An author without a tree of its own sends its payloads on all its links.
        guard hops > 1, !treeReset.isInTransition(tree, now: now) else { return [] }
        return [prune(bit, of: peer)]
    }

    /// The parent of a tree gives payloads only when it is asked for them: it is grafted again, and at the next time another in its place.
    private mutating func graftAgain(
        _ peer: PeerID, _ tree: Int, _ now: Instant, using randomness: inout Randomness
    ) -> [Action] {
        let bit = Trees.bit(tree)
        guard !trees.graftAgain(tree) else {
            neighbours.update(peer) { $0.pushes |= bit }
            return graft([Trees.Graft(peer: peer, mask: bit)], using: &randomness)
        }
        neighbours.update(peer) { $0.avoidedUntil = now + Limits.refusedGraftPause }
        trees.lose(peer, bit, now: now)
        return [prune(bit, of: peer)]
    }

    /// The parent of a tree has given a payload: the neighbours that gave the tree meanwhile, whose links end soon, need not any more.
    private mutating func relieve(of tree: Int, by peer: PeerID) -> [Action] {
        trees.recordGift(of: tree, from: peer).map { prune(Trees.bit(tree), of: $0) }
    }

    /// A neighbour becomes the parent of a tree.
    ///
    /// - Returns: the graft that tells it so, with a loop check.
    private mutating func move(_ tree: Int, to peer: PeerID, using randomness: inout Randomness) -> [Action] {
        setParent(peer, of: tree)
        return graft([Trees.Graft(peer: peer, mask: Trees.bit(tree))], using: &randomness)
    }

    private mutating func setParent(_ peer: PeerID, of tree: Int) {
        trees.setParent(of: Trees.bit(tree), to: peer)
        neighbours.update(peer) { $0.pushes |= Trees.bit(tree) }
    }

    /// Tells neighbours that they are parents, and begins checks that none of them is below this node.
    private mutating func graft(_ grafts: [Trees.Graft], using randomness: inout Randomness) -> [Action] {
        grafts.flatMap { graft -> [Action] in
            let frame = Action.send(TreeFrame.graft(graft.mask, ids: []).bytes, to: graft.peer)
            // In relay mode an author's payloads go over all of its links, whatever the trees; and a tree that has carried nothing is
            // made by the next payload.
            let checked = graft.mask & treeReset.carrying
            guard mode == .overlay, checked != 0 else { return [frame] }
            let check = loopChecks.begin(checked, with: graft.peer, using: &randomness)
            return [frame, .send(TreeFrame.loopCheck(check).bytes, to: graft.peer)]
        }
    }

    /// These trees go no longer to a neighbour.
    ///
    /// - Returns: the prune that tells it so.
    private mutating func prune(_ mask: TreeMask, of peer: PeerID) -> Action {
        neighbours.update(peer) { neighbour in
            neighbour.pushes &= ~mask
            neighbour.offered &= ~mask
        }
        return .send(TreeFrame.prune(mask).bytes, to: peer)
    }

    /// A payload that is here already came again, or an own one came back: that link is no part of the tree, unless it is one of a parent
    /// or a child.
    mutating func repeated(_ id: UInt64, of author: PeerID, hops: UInt8, from peer: PeerID, now: Instant) -> [Action] {
        guard let neighbour = neighbours[peer] else { return [] }
        recent.record(id, knownAt: neighbour.slot)
        if neighbour.wide?.id == id {
            neighbours.update(peer) { neighbour in
                neighbour.wide = nil
                let made = treeReset.mask(of: id)
                neighbour.offered &= ~made
                neighbour.distances.set(made, to: hops)
            }
            return []
        }
        // An own payload of a mesh node, or to one, comes in any case.
        guard hops > 0 || (mode == .overlay && neighbour.isOverlay) else { return [] }
        let tree = Trees.index(of: author)
        let (bit, isParent) = (Trees.bit(tree), trees.parent(of: tree) == peer)
        if mode == .overlay {
            if isParent { trees.forgiveMiss(tree, id) }
            // A copy that came through this node has passed more links, and shows that the new parent is below it.
            let relief = hops <= recent[id]?.hops ?? 0 ? relieve(of: tree, by: peer) : []
            guard relief.isEmpty else { return relief }
            guard neighbour.pushes & bit == 0, !treeReset.isInTransition(tree, now: now) else { return [] }
        }
        // The parent brings the authors without a link in this tree, and with them those that have one.
        guard !isRelaying || neighbours[author] == nil || !isParent else { return [] }
        return [prune(bit, of: peer)]
    }

    /// A payload was refused for good: it is not asked for again.
    mutating func refused(_ id: UInt64) { lazyPush.settle(id) }

    /// A payload came: its neighbour keeps its promise, whatever admission makes of it.
    mutating func arrived(_ id: UInt64, from peer: PeerID) {
        guard lazyPush.awaits(peer) else { return }
        if lazyPush.kept(id, by: peer) { askedFor = id }
    }

    /// A payload that was refused may be right by now.
    mutating func reopen(_ id: UInt64) { lazyPush.reopen(id) }

    private mutating func spread(
        _ payload: VerifiedPayload, hops: UInt8, to receivers: [PeerID], from peer: PeerID?, wide: TreeMask,
        now: Instant, using randomness: inout Randomness
    ) -> [Action] {
        var entry = RecentPayloads.Entry(payload: payload, hops: hops, at: now)
        for known in receivers + [peer].compactMap(\.self) {
            if let slot = neighbours[known]?.slot { entry.known.insert(slot) }
        }
        recent.insert(entry)
        lazyPush.settle(entry.id)
        lazyPush.gather(entry.id, now: now, using: &randomness)
        lastPayloadAt = now
        antiEntropy.hasten(now: now, using: &randomness)
        return receivers.isEmpty ? [] : [.push(entry, to: receivers, wide: wide)]
    }

    /// True for a parent or a child, and for a neighbour that may become a child by a wide payload under way: later payloads come there
    /// behind it.
    private func isPushed(_ tree: Int, to peer: PeerID, _ now: Instant) -> Bool {
        guard let neighbour = neighbours[peer], isOn || neighbour.isOverlay else { return false }
        guard !neighbour.isPushed(tree) else { return true }
        return neighbour.offered & Trees.bit(tree) != 0 && treeReset.isOffered(tree, now: now, patience: patience)
    }

    /// On such a link a node says all that it says itself.
    private func isMeshLink(_ peer: PeerID) -> Bool { mode != .overlay || neighbours[peer]?.isOverlay == false }

    /// A wide payload makes these trees anew. A neighbour in mesh mode passes nothing on to such as itself and gets no news:
    /// it keeps its trees until it prunes them, so that it misses nothing meanwhile.
    private mutating func clear(_ mask: TreeMask) {
        neighbours.updateAll { neighbour in
            if neighbour.isOverlay { neighbour.pushes &= ~mask }
            if !neighbour.isGuest { neighbour.offered |= mask }
            neighbour.distances.set(mask, to: .max)
        }
    }
}

/// Frames of neighbours, and deadlines.
extension TreeSpread {
    mutating func received(
        _ frame: TreeFrame, from peer: PeerID, now: Instant, using randomness: inout Randomness
    ) -> [Action] {
        switch frame {
        case .hello(let hello):
            return received(hello, from: peer, now: now, using: &randomness)
        case .graft(let mask, let ids):
            return grafted(mask, ids, by: peer, now: now, using: &randomness)
        case .prune(let mask):
            let isParent = (0..<Trees.count).contains { mask & Trees.bit($0) != 0 && trees.parent(of: $0) == peer }
            neighbours.update(peer) { neighbour in
                neighbour.pushes &= ~mask
                neighbour.offered &= ~mask
                if isParent { neighbour.avoidedUntil = now + Limits.refusedGraftPause }
            }
            trees.forgetLeaving(mask, peer)
            if isParent { trees.lose(peer, mask, now: now, after: Limits.graftPause) }
        case .wide(let id, let mask):
            neighbours.update(peer) { $0.wide = (id, mask) }
        case .lacking(let ids):
            lazyPush.refused(ids, by: peer, now: now)
        case .loopCheck(let check):
            return received(check, from: peer, now: now, using: &randomness)
        case .distances(let distances):
            neighbours.update(peer) { $0.distances = distances }
        case .busy:
            break
        }
        return []
    }

    /// A loop check came from a child. One of another node goes on to the parents. An own one shows that the parent which it went to is
    /// below this node: its trees get another.
    private mutating func received(
        _ check: LoopCheck, from child: PeerID, now: Instant, using randomness: inout Randomness
    ) -> [Action] {
        guard mode == .overlay, let neighbour = neighbours[child], neighbour.isInTrees else { return [] }
        var check = check
        check.mask &= neighbour.pushes
        if let (parent, mask) = loopChecks.returned(check) {
            let pause = Limits.graftPause + Limits.loopPause * Double.random(in: 0...1, using: &randomness)
            let broken = trees.breakLoops(mask, with: parent, now: now, after: pause)
            loopChecks.forget(mask)
            return broken == 0 ? [] : [prune(broken, of: parent)]
        }
        guard check.mask != 0, check.linksLeft > 0,
            neighbours.update(child, { $0.loopChecks.takeTokens(now: now) }) ?? false
        else { return [] }
        let linksLeft = min(check.linksLeft, Limits.loopCheckLinksMost) - 1
        return trees.parents(of: loopChecks.takeNew(check)).filter { parent in
            parent.peer != child && neighbours.update(parent.peer) { $0.sentLoopChecks.takeTokens(now: now) } ?? false
        }.map { parent in
            let next = LoopCheck(id: check.id, mask: parent.mask, linksLeft: linksLeft)
            return .send(TreeFrame.loopCheck(next).bytes, to: parent.peer)
        }
    }

    /// A neighbour announces ids of payloads that it has.
    mutating func announced(_ ids: [UInt64], by peer: PeerID, now: Instant) {
        guard let slot = neighbours[peer]?.slot else { return }
        for id in ids where !recent.record(id, knownAt: slot) && !lazyPush.isSettled(id) {
            lazyPush.announced(id, by: peer, now: now, patience: patience)
        }
    }

    /// A neighbour compares the latest payloads with ours.
    mutating func received(_ frame: LatestFrame, from peer: PeerID, now: Instant) -> [Action] {
        announced(frame.ids, by: peer, now: now)
        guard frame.wantsAnswer, let slot = neighbours[peer]?.slot else { return [] }
        let theirs = Set(frame.ids)
        let lacking = recent.latest(at: now).filter { id in
            // A payload that came this moment may be on its way to the neighbour too.
            !theirs.contains(id) && recent[id].map { $0.at + Limits.latestAge <= now } ?? false
        }
        for id in lacking { recent.record(id, knownAt: slot) }
        return lacking.isEmpty ? [] : [.send(LatestFrame(wantsAnswer: false, ids: lacking).bytes, to: peer)]
    }

    /// News for a neighbour to which a record goes in any case.
    ///
    /// - Parameter room: in the record for the frame, in bytes.
    mutating func news(for peer: PeerID, within room: Int, now: Instant) -> NewsFrame? {
        guard let neighbour = neighbours[peer], neighbour.isInTrees, room >= NewsFrame.size(of: 1),
            neighbour.toldAt.map({ now >= $0 + Limits.newsRidePause }) ?? true
        else { return nil }
        let most = min(Limits.newsPayloads, 1 + (room - NewsFrame.size(of: 1)) / ShortIDList.idBytes)
        let ids = lazyPush.riders(for: neighbour, atMost: most, now: now, recent: &recent)
        if ids.isEmpty { return nil }
        neighbours.update(peer) { $0.toldAt = now }
        return NewsFrame(ids: ids)
    }

    /// False above the rate of a neighbour's frames.
    mutating func admitFrame(from peer: PeerID, now: Instant) -> Bool {
        neighbours.update(peer) { $0.frames.takeTokens(now: now) } ?? false
    }

    private mutating func grafted(
        _ mask: TreeMask, _ ids: [UInt64], by peer: PeerID, now: Instant, using randomness: inout Randomness
    ) -> [Action] {
        guard let neighbour = neighbours[peer], !neighbour.isGuest, isOn || neighbour.isOverlay else { return [] }
        trees.forgetLeaving(mask, peer)
        let turned = turn(mask, from: peer, now, using: &randomness)
        let (actions, brought) = given(ids, to: peer, neighbour, now)
        // In an overlay the neighbour moves its tree by a graft of its own where it has missed more than this.
        let wanted = mode == .overlay && neighbour.isOverlay ? mask : mask | brought
        let offered = wanted & neighbour.offered
        let allowed = offered | allowance(wanted & ~offered, for: neighbour, now)
        neighbours.update(peer) { changed in
            changed.pushes |= allowed
            changed.offered &= ~offered
        }
        return turned + actions + refuse(wanted & ~allowed, to: peer, now)
    }

    /// The parent of trees grafts them: it has lost its own parent.
    private mutating func turn(
        _ mask: TreeMask, from parent: PeerID, _ now: Instant, using randomness: inout Randomness
    ) -> [Action] {
        guard mode == .overlay, mask != 0 else { return [] }
        let (grafts, refused) = trees.turn(
            mask, from: parent, &neighbours, strikes, now: now, using: &randomness)
        var actions = graft(grafts, using: &randomness)
        // It asks another, and remains the parent here. Where it asks again, there is no other: they are parents of each other, as two ends of
        // a link in a tree without a root.
        let new = takeRefused(refused, of: parent, now)
        if new != 0 {
            actions.append(.send(TreeFrame.prune(new).bytes, to: parent))
            actions.append(.send(TreeFrame.graft(new, ids: []).bytes, to: parent))
        }
        return actions
    }

    /// Takes the trees that were not refused to a neighbour within `Limits.refusedGraftPause`: one that does not give up would be answered
    /// without end.
    private mutating func takeRefused(_ mask: TreeMask, of peer: PeerID, _ now: Instant) -> TreeMask {
        guard mask != 0 else { return 0 }
        return neighbours.update(peer) { neighbour in
            if neighbour.refusedAt.map({ now >= $0 + Limits.refusedGraftPause }) ?? true {
                (neighbour.refusedAt, neighbour.refused) = (now, 0)
            }
            let new = mask & ~neighbour.refused
            neighbour.refused |= new
            return new
        } ?? 0
    }

    /// The payloads that a neighbour grafts, with their trees. It learns which of them it does not get, so that it waits for none.
    private mutating func given(
        _ ids: [UInt64], to peer: PeerID, _ neighbour: Neighbour, _ now: Instant
    ) -> (actions: [Action], trees: TreeMask) {
        var (actions, trees, lacking): ([Action], TreeMask, [UInt64]) = ([], 0, [])
        for id in ids {
            guard let entry = recent[id], neighbours.update(peer, { $0.grafted.takeTokens(now: now) }) ?? false else {
                lacking.append(id)
                continue
            }
            recent.record(id, knownAt: neighbour.slot)
            trees |= Trees.bit(entry.tree)
            actions.append(.push(entry, to: [peer], wide: 0))
        }
        if !lacking.isEmpty { actions.append(.send(TreeFrame.lacking(lacking).bytes, to: peer)) }
        return (actions, trees)
    }

    /// Prunes what a neighbour grafted in vain; each tree seldom.
    private mutating func refuse(_ mask: TreeMask, to peer: PeerID, _ now: Instant) -> [Action] {
        let new = takeRefused(mask, of: peer, now)
        return new == 0 ? [] : [prune(new, of: peer)]
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

    private mutating func suspect(_ peer: PeerID, _ now: Instant) -> [Action] {
        guard neighbours[peer] != nil, !suspicions.contains(where: { $0.peer == peer }) else { return [] }
        suspicions.append(Suspicion(peer: peer, since: now, until: now + patience + patience))
        return [.probe(peer)]
    }

    /// Does what is due.
    mutating func tick(now: Instant, using randomness: inout Randomness) -> [Action] {
        guard isEngaged else { return [] }
        var actions: [Action] = []
        while let first = suspicions.first, first.until <= now {
            suspicions.removeFirst()
            actions.append(.demoteUnlessHeard(first.peer, since: first.since))
        }
        let news = lazyPush.announcements(now: now, neighbours: neighbours, recent: &recent, using: &randomness)
        for (peer, ids) in news {
            actions += ids.chunked(Limits.newsPayloads).map { .send(NewsFrame(ids: $0).bytes, to: peer) }
        }
        let due = dueGrafts(now)
        for (peer, ids) in due.grafts where neighbours[peer] != nil {
            actions += ids.chunked(Limits.graftedPayloads).map { .send(TreeFrame.graft(0, ids: $0).bytes, to: peer) }
        }
        for peer in due.broken { actions += strike(peer, now) }
        // Behind the strikes, which take trees from their neighbours.
        let grafts = trees.due(now: now, neighbours: &neighbours, strikes: strikes, using: &randomness)
        actions += graft(grafts, using: &randomness)
        return actions + compare(now, using: &randomness)
    }

    /// No neighbour is asked for more than it gives.
    private mutating func dueGrafts(_ now: Instant) -> LazyPush.Due {
        var neighbours = exchange(&self.neighbours, with: Neighbours())
        defer { self.neighbours = neighbours }
        return lazyPush.due(now: now, patience: patience) { peer in
            neighbours.update(peer) { $0.asked.takeTokens(now: now) } ?? false
        }
    }

    private mutating func compare(_ now: Instant, using randomness: inout Randomness) -> [Action] {
        let isQuiet = lastPayloadAt.map { now >= $0 + Limits.latestTime } ?? true
        let peer = antiEntropy.due(now: now, neighbours: neighbours, isQuiet: isQuiet, using: &randomness)
        guard let peer else { return [] }
        return [.send(LatestFrame(wantsAnswer: true, ids: recent.latest(at: now)).bytes, to: peer)]
    }

    /// A neighbour broke a promise: no tree comes from it any more, and at the third its link ends.
    private mutating func strike(_ peer: PeerID, _ now: Instant) -> [Action] {
        let isLast = strikes.record(peer, now: now)
        trees.lose(peer, now: now)
        return [isLast ? .end(peer) : prune(Trees.all, of: peer)]
    }
}

extension Array {
    /// Its elements in order, in arrays of at most `count`.
    fileprivate func chunked(_ count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}

extension Limits {
    /// Silence after which the link of a neighbour is dead that did not give what another gave. A longer one leaves a
    /// dead branch for longer; a shorter one ends links that are only slow.
    static let suspicionTime = Duration.seconds(2)
    /// From a new link, or a refused graft, to the next grafts. A longer one delays trees; with a shorter one, each of
    /// several links that come up together gets all trees for a moment.
    static let graftPause = Duration.seconds(0.1)
    /// How long a neighbour that pruned a tree is not asked for one, and the pause between two answers to grafts in
    /// vain. A longer one leaves fewer parents; a shorter one makes two nodes graft and prune without end.
    static let refusedGraftPause = Duration.seconds(10)
    /// The least from an announcement to the graft. A longer one delays repairs; a shorter one asks for payloads that
    /// are on their way along the tree, and gets them twice.
    static let announcementPatience = Duration.seconds(0.04)
    /// The most: a quarter of `promiseTime`, at which payloads are given up. A longer one lets neighbours that answer pings late delay
    /// repairs; a shorter one asks for payloads that are on their way where links are slow.
    static let announcementPatienceMost = Duration.seconds(0.5)
    /// Age from which a payload goes to a neighbour that lacks it in a comparison. A smaller one sends payloads that
    /// are on their way; a larger one leaves a loss to the next comparison.
    static let latestAge = Duration.seconds(0.05)
}
