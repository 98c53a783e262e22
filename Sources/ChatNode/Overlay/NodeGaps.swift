import Chat
import Wire

/// Gaps of a small room: peers that this node has no link with, because a firewall, a router or an access point keeps them apart
/// (Protocol.md section 13).
extension Node {
    /// A neighbour showed that a peer is in the room.
    func noteGap(_ peer: PeerID) {
        guard overlay.mode != .overlay, peer != context.me, connections.links(of: peer).isEmpty,
            !router.roster.isBlocked(peer)
        else { return }
        gaps.note(peer, now: scheduler.now)
        arm(.choice)
    }

    /// A peer left by its own word.
    func gapLeft(_ peer: PeerID) {
        if gaps.close(peer) { updateMode() }
    }

    /// A link with a peer opened or ended: its contacts need no dial, or one again.
    func gapChanged(_ peer: PeerID, isLinked: Bool) {
        gaps.close(peer)
        guard !choice.isOverlay else { return }
        let known = contacts.contacts(of: peer)
        if isLinked {
            for contact in known { dialler.lost(ContactBook.instance(at: contact.endpoint), now: scheduler.now) }
        } else {
            offer(known)
        }
        linksChanged()
    }

    /// A public message came over a relay: its author is in the room.
    ///
    /// - Parameter isHistory: whether it was asked for. One that was said before this node had its links shows nothing.
    func noteGap(_ payload: VerifiedPayload, isHistory: Bool) {
        guard payload.type == .publicMessage, !payload.isBridged, connections.links(of: payload.author).isEmpty
        else { return }
        let (signed, now) = (payload.payload.timestamp, roomClock)
        guard signed >= now || signed.distance(to: now) < Limits.gapHistoryMilliseconds else { return }
        // A node that just came gets what was said before, by peers that may be gone.
        let age = startedAt.map { scheduler.now - $0 } ?? .zero
        guard !isHistory || age > .milliseconds(Limits.gapHistoryMilliseconds) else { return }
        noteGap(payload.author)
    }

    /// The sources of neighbours that lack links. Nodes of this machine are exempt from limits per source.
    private var gapWitnesses: Int {
        let lacking = overlay.neighbours.lacking.compactMap(connections.sendingLink(of:))
        let (here, elsewhere) = lacking.map(\.endpoint).reduce(into: (0, Set<Endpoint>())) { sum, endpoint in
            if endpoint.isLoopback { sum.0 += 1 } else { sum.1.insert(endpoint.source) }
        }
        return here + elsewhere.count
    }

    /// Whether links are lacking here or at neighbours; a change is followed by `followGaps`.
    func updateGaps() -> Bool {
        gaps.update(
            witnesses: gapWitnesses, isCrowd: modeSwitch.isOverlay || overlay.mode == .overlay, now: scheduler.now)
    }

    /// Tells the neighbours that this node lacks links, or no more.
    func followGaps() {
        guard overlay.mode != .overlay else { return }
        let mode: RoomMode = gaps.isRelaying ? .relaying : .mesh
        guard overlay.mode == mode else {
            counts.modeChanges += 1
            return setMode(mode)
        }
        for connection in connections.activeLinks where overlay.isOn { greet(connection) }
    }

    /// A neighbour told its mode. Two that begin to pass payloads on compare their rosters, and a node between peers that lack
    /// links tells them of each other.
    ///
    /// - Parameter last: the hello before; nil for the first.
    func gapsHeard(_ hello: Hello, after last: Hello?, on connection: Connection) {
        let wasRelaying = overlay.isRelaying
        // Its count of the room and its gaps are among what decides the mode.
        if hello != last { updateMode() }
        if hello.isLacking, !choice.isOverlay, !connection.hasToldLinks {
            connection.hasToldLinks = true
            linksChanged()
        }
        guard wasRelaying, hello.isOverlay, last?.isOverlay != true, !hello.isGuest else { return }
        askForRoster(on: connection)
    }
}
