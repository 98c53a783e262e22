package import Chat
package import Wire

/// Calls `Spread` for links, payloads, frames and deadlines.
extension Node {
    /// Changes the mode of this node: `true` where the room is too large for links between all.
    package func setOverlay(_ isOn: Bool) { setMode(isOn ? .overlay : .mesh) }

    func setMode(_ mode: RoomMode) {
        guard overlay.setMode(mode, now: scheduler.now, using: &randomness) else { return }
        for connection in connections.activeLinks { greet(connection) }
        setOffers()
        crowdChanged(mode)
    }

    private func setOffers() {
        overlay.setOffers(of: &historyExchange)
        arm(.overlay)
    }

    /// Spreads a payload to the room that is new here: an own one, or one that came from outside of the room's links, over a
    /// bridge.
    ///
    /// - Parameter link: the neighbour that it came from as a frame; nil for none.
    package func spread(_ payload: VerifiedPayload, from link: PeerID? = nil, hops received: UInt8 = 0) {
        withEffects {
            overlay.spread(
                payload, from: link, hops: received, me: context.me, connections, now: scheduler.now,
                using: &randomness,
                &$0)
        }
    }

    /// One copy for each link.
    func sendToAll(_ payload: VerifiedPayload, hops: UInt8) {
        withEffects { overlay.sendToAll(payload, hops: hops, &$0) }
    }

    /// True for payloads that travel over the trees: public messages and their changes.
    ///
    /// - Parameter isRelayed: it came over a relay, so that it is public in any case.
    func isSpread(_ payload: VerifiedPayload, isRelayed: Bool) -> Bool {
        payload.type.isHistory && (isRelayed || router.isForEveryone(payload.payload))
    }

    /// The payload of a frame that came unasked in a large room, with its signature checked if it is passed on; nil if that is
    /// false, and its author banned.
    func checkedToSpread(_ payload: VerifiedPayload, hops: UInt8, on connection: Connection) -> VerifiedPayload? {
        guard isSpread(payload, isRelayed: hops > 0) else { return payload }
        // A change of a public message from its author's own link; the nodes that it goes on to judge it by its time.
        if overlay.mode == .overlay, hops == 0, !intake.isFresh(payload, environment) {
            intake.drop(.stale)
            overlay.recordRefusal(of: payload.id.prefix)
            return nil
        }
        switch intake.verifySignature(of: payload) {
        case .admitted(let checked): return checked
        case .repeated, .dropped, .closeLink, .ban:
            ban(connection)
            return nil
        }
    }

    /// A payload came from a neighbour in a large room and was shown.
    func tookFromNeighbour(_ payload: VerifiedPayload, hops: UInt8, from peer: PeerID) {
        if isSpread(payload, isRelayed: hops > 0) { spread(payload, from: peer, hops: hops) }
    }

    /// A payload that was asked for as history is as new as what the trees carry: neighbours may lack it too.
    func spreadFromHistory(_ payload: VerifiedPayload, hops: UInt8, from peer: PeerID) {
        let (time, now) = (payload.payload.timestamp, roomClock)
        guard time >= now || time.distance(to: now) < Limits.latestMilliseconds else {
            return overlay.recordRefusal(of: payload.id.prefix)
        }
        tookFromNeighbour(payload, hops: max(1, hops), from: peer)
    }

    /// A payload that a neighbour sent was not admitted.
    func refusedFromNeighbour(_ frame: borrowing PayloadFrame, _ reason: DropReason, from peer: PeerID) {
        var effects = Effects()
        overlay.recordDrop(of: frame, reason, from: peer, connections, now: scheduler.now, &effects)
        perform(effects)
    }

    func receivedTree(_ body: Span<UInt8>, on connection: Connection) {
        guard let peer = treePeer(on: connection) else { return }
        guard let frame = TreeFrame(body) else { return links.tally.unexpectedFrames += 1 }
        if case .hello(let hello) = frame { receivedHello(hello, on: connection) }
        if case .busy = frame { receivedBusy(on: connection) }
        guard !connection.isForgotten else { return }
        let last = overlay.neighbours[peer]?.hello
        withEffects {
            overlay.receiveTree(frame, from: peer, connections, now: scheduler.now, using: &randomness, &$0)
        }
        guard case .hello(let hello) = frame else { return }
        receivedMode(in: hello, after: last, on: connection)
        setOffers()
        if hello.isGuest { guestGreeted(on: connection) }
    }

    func receivedLatest(_ body: Span<UInt8>, on connection: Connection) {
        var effects = Effects()
        guard let peer = treePeer(on: connection),
            overlay.receiveLatest(body, from: peer, connections, now: scheduler.now, &effects)
        else { return }
        recordSign(on: connection)
        perform(effects)
    }

    func receivedNews(_ body: Span<UInt8>, on connection: Connection) {
        var effects = Effects()
        guard let peer = treePeer(on: connection),
            overlay.receiveNews(body, from: peer, now: scheduler.now, &effects)
        else { return }
        recordSign(on: connection)
        perform(effects)
    }

    /// The neighbour that sent a frame 10 to 12; nil above its rate.
    private func treePeer(on connection: Connection) -> PeerID? {
        guard case .running = phase, let peer = connection.peer, overlay.admitFrame(from: peer, now: scheduler.now)
        else {
            links.tally.unexpectedFrames += 1
            return nil
        }
        return peer
    }

    func tickOverlay() {
        guard case .running = phase else { return }
        withEffects { overlay.tick(connections, now: scheduler.now, using: &randomness, &$0) }
    }
}
