import Chat
import Noise
import Wire

/// The part of a node that carries public payloads over a few links to all nodes of a large room (Protocol.md section 13).
///
/// It knows no link and no clock: each call returns what the node has to do.
struct Overlay: Sendable {
    enum Effect: Sendable {
        /// A frame for a neighbour.
        case send([UInt8], to: PeerID)
        /// A payload for neighbours; a wide one is announced as such first.
        case push(RecentPayloads.Entry, to: [PeerID], isWide: Bool)
        /// Ask a neighbour for a sign of life; without one its link is dead after `Limits.suspicionTime`.
        case probe(PeerID)
        /// Call `demote` unless something came from the neighbour since.
        case demoteUnlessHeard(PeerID, since: Instant)
        /// End the link with a neighbour that broke promises.
        case end(PeerID)
    }

    struct Suspicion: Sendable {
        let peer: PeerID
        let since: Instant
        let until: Instant
    }

    private(set) var mode = RoomMode.mesh
    /// How long an announced payload may take before it is asked for: four median round trips, or more.
    var patience = Limits.announcementPatience
    var neighbours = Neighbours()
    var trees = Trees()
    var recent = RecentPayloads()
    var strikes = Strikes()
    var news = News()
    var latest = Latest()
    var wide = Wide()
    var suspicions: [Suspicion] = []
    var lastPayloadAt: Instant?
    /// The neighbours that are in overlay mode.
    var overlayNeighbours = 0

    /// This node passes payloads on.
    var isOn: Bool { mode != .mesh }

    /// The room is small: own payloads go over all links, and others' are passed on.
    var isRelaying: Bool { mode == .relaying }

    /// False in a mesh room, which nothing here touches.
    var isEngaged: Bool { isOn || overlayNeighbours > 0 }

    /// When `tick` has something to do.
    var nextDeadline: Instant? {
        guard isEngaged else { return nil }
        let first = Instant.earlier(trees.nextDeadline, news.nextDeadline)
        return Instant.earlier(Instant.earlier(first, latest.nextDeadline), suspicions.first?.until)
    }

    /// True if the rules of overlay links hold for what a neighbour relays.
    func isOverlayLink(_ peer: PeerID) -> Bool {
        isEngaged && (isOn || neighbours[peer]?.isOverlay ?? false)
    }
}

/// Links and modes.
extension Overlay {
    /// The mode of this node changes.
    mutating func setMode(_ mode: RoomMode, now: Instant, using randomness: inout Randomness) {
        guard self.mode != mode else { return }
        self.mode = mode
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
        modeChanged(now, using: &randomness)
    }

    /// The digests of a neighbour tell how many nodes it counts.
    mutating func told(_ known: Int, by peer: PeerID) { neighbours.update(peer) { $0.known = known } }

    /// A neighbour gave something that was new here.
    mutating func gave(_ peer: PeerID, now: Instant) { neighbours.update(peer) { $0.gaveAt = now } }

    /// The last link with a neighbour ended.
    mutating func closed(_ peer: PeerID, now: Instant) {
        if neighbours[peer]?.isOverlay == true { overlayNeighbours -= 1 }
        guard let slot = neighbours.close(peer) else { return }
        recent.forget(slot)
        news.close(peer)
        suspicions.removeAll { $0.peer == peer }
        trees.lose(peer, now: now)
    }

    private mutating func modeChanged(_ now: Instant, using randomness: inout Randomness) {
        guard isEngaged else {
            trees.reset()
            latest.stop()
            return neighbours.updateAll { $0.pushes = 0 }
        }
        trees.graft(at: now + Limits.graftPause)
        latest.start(now: now, using: &randomness)
    }

    mutating func received(
        _ hello: Hello, from peer: PeerID, now: Instant, using randomness: inout Randomness
    ) -> [Effect] {
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
        return hello.mask == 0 ? [] : grafted(hello.mask, [], by: peer, now: now)
    }
}
