import Chat
import Wire

/// A set of neighbours, by their slots.
struct SlotSet: Hashable, Sendable {
    private var words = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))

    init() {}

    func contains(_ slot: UInt8) -> Bool { word(slot) >> UInt64(slot & 63) & 1 != 0 }

    mutating func insert(_ slot: UInt8) { setWord(slot, word(slot) | 1 << UInt64(slot & 63)) }

    mutating func remove(_ slot: UInt8) { setWord(slot, word(slot) & ~(1 << UInt64(slot & 63))) }

    private func word(_ slot: UInt8) -> UInt64 {
        switch slot >> 6 {
        case 0: words.0
        case 1: words.1
        case 2: words.2
        default: words.3
        }
    }

    private mutating func setWord(_ slot: UInt8, _ word: UInt64) {
        switch slot >> 6 {
        case 0: words.0 = word
        case 1: words.1 = word
        case 2: words.2 = word
        default: words.3 = word
        }
    }

    static func == (left: SlotSet, right: SlotSet) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

/// A peer with a link, as the overlay sees it.
struct Neighbour: Sendable {
    /// Its number among the neighbours; another may have it later.
    let slot: UInt8
    /// This node dialled the link.
    let isOutgoing: Bool
    let openedAt: Instant
    /// Its host, or its IPv6 network, in which a host can have any number of addresses: neighbours there have one vote.
    let witness: LinkSource
    /// The nodes that it counts, by its last hello or digests.
    var known = 0
    /// When it last gave a payload or a presence that was new here.
    var gaveAt: Instant?
    /// The last that it sent; nil from a mesh node.
    var hello: Hello?
    /// The link is a guest's for this node: it carries no tree.
    var isOurGuest = false
    /// The trees that this node pushes to it.
    var pushes: TreeMask = 0
    /// The trees that a wide payload made anew and that may come to it from here: until its answer, which it may graft however idle it
    /// is, or its own copy, it gets the payloads that follow.
    var offered: TreeMask = 0
    /// How far from the roots of the trees it is.
    var distances = TreeDistances.unknown
    /// When it last gave a payload that was new here.
    var servedAt: Instant?
    /// When ids went to it in a record that went anyway.
    var toldAt: Instant?
    /// The payload that it announced as wide last, and the trees that it is to make.
    var wide: (id: UInt64, mask: TreeMask)?
    /// When this node last pruned a graft of it after a pause, and the trees pruned since.
    var refusedAt: Instant?
    var refused: TreeMask = 0
    /// Its link ends soon: it is to give no tree.
    var isLeaving = false
    /// It refused a graft lately, or the node waits for a sign of life from it.
    var avoidedUntil: Instant?
    /// Frames 10 to 12 from it.
    var frames: TokenBucket
    /// Payloads that it grafted.
    var grafted: TokenBucket
    /// Payloads that it is asked for.
    var asked: TokenBucket
    /// Loop checks from it that are passed on.
    var loopChecks: TokenBucket
    /// Loop checks of others that are sent to it.
    var sentLoopChecks: TokenBucket

    init(slot: UInt8, isOutgoing: Bool, witness: LinkSource, now: Instant) {
        (self.slot, self.isOutgoing, openedAt, self.witness) = (slot, isOutgoing, now, witness)
        frames = TokenBucket(Rate(perSecond: Limits.overlayFramesPerSecond, burst: Limits.overlayFramesBurst), now: now)
        grafted = TokenBucket(
            Rate(perSecond: Limits.graftedPayloadsPerSecond, burst: Limits.graftedPayloadsBurst), now: now)
        asked = TokenBucket(Rate(perSecond: Limits.askedPayloadsPerSecond, burst: Limits.askedPayloadsBurst), now: now)
        loopChecks = TokenBucket(Rate(perSecond: Limits.loopChecksPerSecond, burst: Limits.loopChecksBurst), now: now)
        sentLoopChecks = TokenBucket(
            Rate(perSecond: Limits.sentLoopChecksPerSecond, burst: Limits.sentLoopChecksBurst), now: now)
    }

    /// Its last hello said that it is in overlay mode.
    var isOverlay: Bool { hello?.isOverlay ?? false }

    /// Either side declared the link to be a guest's.
    var isGuest: Bool { isOurGuest || hello?.isGuest ?? false }

    /// True if it takes part in trees, news and comparisons.
    var isInTrees: Bool { isOverlay && !isGuest }

    /// This node pushes a tree to it.
    func isPushed(_ tree: Int) -> Bool { pushes & Trees.bit(tree) != 0 }

    /// True if it gave nothing new for `Limits.idleNeighbourTime`.
    func isIdle(at now: Instant) -> Bool { now >= (servedAt ?? openedAt) + Limits.idleNeighbourTime }
}

/// The neighbours of a node, each with a slot of its own.
struct Neighbours: Sendable {
    private(set) var table = PackedTable<PeerID, Neighbour>()
    private var used = SlotSet()

    var count: Int { table.count }

    /// In the order of their keys: a seed reproduces it.
    var peers: [PeerID] { table.keys.sorted() }

    subscript(peer: PeerID) -> Neighbour? { table[peer] }

    /// Those that lack links with peers of a small room.
    var lacking: [PeerID] { table.keys.filter { table[$0]?.hello?.isLacking ?? false } }

    var hasLacking: Bool { table.values.contains { $0.hello?.isLacking ?? false } }

    /// The nodes of the room by the word of more than half of the witnesses: the lower median of what they know, of which one in
    /// mesh mode says 0; 0 for fewer than three.
    var toldSize: Int { Neighbours.median(table.values.map { ($0.witness, $0.isOverlay ? $0.known : 0) }) ?? 0 }

    /// As `toldSize`, by those in overlay mode alone; nil for fewer than three.
    var knownSize: Int? { Neighbours.median(table.values.filter(\.isOverlay).map { ($0.witness, $0.known) }) }

    /// As `knownSize`, by those that gave something new lately: silent ones say nothing about the room.
    func givingSize(at now: Instant) -> Int? {
        let giving = table.values.filter { neighbour in
            neighbour.isOverlay && neighbour.gaveAt.map { now < $0 + Limits.presenceInterval } ?? false
        }
        return Neighbours.median(giving.map { ($0.witness, $0.known) })
    }

    /// The lower median of one count for each witness, the least that its neighbours say; nil for fewer than three.
    private static func median(_ counts: [(witness: LinkSource, known: Int)]) -> Int? {
        var least: [LinkSource: Int] = [:]
        for count in counts { least[count.witness] = min(least[count.witness] ?? .max, count.known) }
        guard least.count >= Limits.witnesses else { return nil }
        return least.values.sorted()[(least.count - 1) / 2]
    }

    /// Adds a neighbour, or forgets what is known of one whose link was replaced.
    ///
    /// - Returns: false if there is no slot left.
    mutating func open(_ peer: PeerID, isOutgoing: Bool, witness: LinkSource? = nil, now: Instant) -> Bool {
        let slot = table[peer]?.slot ?? (UInt8.min...UInt8.max).first { !used.contains($0) }
        guard let slot else { return false }
        used.insert(slot)
        table[peer] = Neighbour(
            slot: slot, isOutgoing: isOutgoing, witness: witness ?? LinkSource(UInt64(slot)), now: now)
        return true
    }

    mutating func close(_ peer: PeerID) -> UInt8? {
        guard let slot = table.removeValue(forKey: peer)?.slot else { return nil }
        used.remove(slot)
        return slot
    }

    /// Changes a neighbour in place; nil if there is none.
    @discardableResult
    mutating func update<Result>(_ peer: PeerID, _ change: (inout Neighbour) -> Result) -> Result? {
        guard let index = table.index(forKey: peer) else { return nil }
        return change(&table.values[index])
    }

    mutating func updateAll(_ change: (inout Neighbour) -> Void) {
        for index in table.indices { change(&table.values[index]) }
    }
}

extension Limits {
    /// Frames 10 to 12 that are read on a link, per second in the long run. More let a neighbour cost more; with fewer,
    /// a busy crowd loses grafts and announcements.
    static let overlayFramesPerSecond = 100.0
    /// As many at once, with the same consequences.
    static let overlayFramesBurst = 400.0
    /// Payloads that a neighbour is given because it grafted them, per second in the long run. More let it draw the
    /// same payloads again and again; with fewer, a neighbour that lost its trees recovers slowly.
    static let graftedPayloadsPerSecond = 50.0
    /// As many at once, with the same consequences.
    static let graftedPayloadsBurst = 200.0
    /// Payloads that a node grafts at one neighbour, per second in the long run: below what the neighbour gives, so
    /// that no honest node asks in vain. With fewer, recovery is slower.
    static let askedPayloadsPerSecond = 40.0
    /// As many at once, below `graftedPayloadsBurst` for the same reason.
    static let askedPayloadsBurst = 160.0
    /// How long a neighbour may give nothing new until it is idle. A longer one serves attackers that only listen for
    /// longer; a shorter one counts honest neighbours behind slower links as idle.
    static let idleNeighbourTime = Duration.seconds(60)
    /// Sources of neighbours at which a node takes their count of nodes. With more, a node with few links does not
    /// learn that the room is a crowd; with fewer, one liar decides.
    static let witnesses = 3
}
