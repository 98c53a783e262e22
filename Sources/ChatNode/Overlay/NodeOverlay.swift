package import Chat
package import Wire

/// Connects `Overlay` with links, admission and the router (Protocol.md section 13).
extension Node {
    /// Changes the mode of this node: `true` where the room is too large for links between all.
    package func setOverlay(_ isOn: Bool) { setMode(isOn ? .overlay : .mesh) }

    func setMode(_ mode: RoomMode) {
        guard overlay.mode != mode else { return }
        overlay.setMode(mode, now: scheduler.now, using: &randomness)
        for connection in connections.activeLinks { greet(connection) }
        toldOfModes()
        crowdChanged(mode)
    }

    /// Spreads a payload to the room that is new here: an own one, or one that came from outside of the room's links, over a
    /// bridge.
    ///
    /// - Parameter link: the neighbour that it came from as a frame; nil for none.
    package func spread(_ payload: VerifiedPayload, from link: PeerID? = nil, hops received: UInt8 = 0) {
        let hops = payload.author == context.me ? 0 : min(received + 1, Limits.relayHops)
        guard overlay.isEngaged else {
            if link == nil { sendToAll(payload, hops: hops) }
            return
        }
        let now = scheduler.now
        if let link {
            apply(overlay.took(payload, hops: hops, from: link, now: now, using: &randomness))
        } else {
            apply(overlay.say(payload, hops: hops, now: now, using: &randomness))
        }
    }

    /// One copy for each link.
    func sendToAll(_ payload: VerifiedPayload, hops: UInt8) {
        let frame = payload.frame(hops: hops)
        links.tally.sent.add(payload.payload.type, connections.activeLinks.count)
        for connection in connections.activeLinks { send(frame, on: connection) }
    }

    /// True for payloads that travel over the trees: what is said in the room, and its changes.
    ///
    /// - Parameter isRelayed: it came over a relay, so that it is public in any case.
    func isSpread(_ payload: VerifiedPayload, isRelayed: Bool) -> Bool {
        switch payload.type {
        case .publicMessage: true
        case .edit, .delete: isRelayed || router.isForEveryone(payload.payload)
        case .presence, .typing, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage, .delivered, .read,
            .invitation:
            false
        }
    }

    /// The payload of a frame that came unasked in a large room, with its signature checked if it is passed on; nil if that is
    /// false, and its author banned.
    func checkedToSpread(_ payload: VerifiedPayload, hops: UInt8, on connection: Connection) -> VerifiedPayload? {
        guard isSpread(payload, isRelayed: hops > 0) else { return payload }
        // A change of a public message from its author's own link; the nodes that it goes on to judge it by its time.
        if overlay.mode == .overlay, hops == 0, !admission.isFresh(payload.payload.timestamp, roomClock) {
            admission.drop(.stale)
            overlay.refused(payload.id.prefix)
            return nil
        }
        switch admission.verifySignature(of: payload) {
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
    func spreadFromHistory(_ payload: VerifiedPayload, _ body: Span<UInt8>, from peer: PeerID) {
        let (time, now) = (payload.payload.timestamp, roomClock)
        guard time >= now || time.distance(to: now) < Limits.latestMilliseconds else {
            return overlay.refused(payload.id.prefix)
        }
        tookFromNeighbour(payload, hops: max(1, SignedPayload.hops(inFrame: body)), from: peer)
    }

    /// A payload that a neighbour sent was not admitted.
    func refusedFromNeighbour(_ body: Span<UInt8>, _ reason: DropReason, hops: UInt8, from peer: PeerID) {
        // A presence reaches a node on several ways: its copies say nothing about the tree.
        guard overlay.isEngaged, SignedPayload.type(inFrame: body)?.isHistory ?? false,
            let author = SignedPayload.author(inFrame: body), let id = SignedPayload.id(inFrame: body)?.prefix
        else { return }
        switch reason {
        case .duplicate, .ownPayload: apply(overlay.repeated(id, of: author, hops: hops, from: peer))
        // Another neighbour may be asked.
        case .relayRate, .newAuthorRate, .youngRate, .unknownBridge: break
        case .malformed, .unknownKind, .notUTF8, .empty, .tooLong, .tooManyBytes, .tooDense, .invalidNickname,
            .invalidReason, .invalidAbout, .otherRoom, .tooManyHops, .misdirected, .notHistory, .badCertificate,
            .badSignature, .foreignAuthor, .equivocation, .sequenceTooOld, .oldEpoch, .wrongEpoch, .stale,
            .fromTheFuture, .authorRate:
            overlay.refused(id)
        }
    }

    func receivedTree(_ body: Span<UInt8>, on connection: Connection) {
        guard let peer = treePeer(on: connection) else { return }
        guard let frame = TreeFrame(body) else { return links.tally.unexpectedFrames += 1 }
        if case .hello(let hello) = frame { receivedHello(hello, on: connection) }
        if case .busy = frame { receivedBusy(on: connection) }
        guard !connection.isForgotten else { return }
        let last = overlay.neighbours[peer]?.hello
        apply(overlay.received(frame, from: peer, now: scheduler.now, using: &randomness))
        guard case .hello(let hello) = frame else { return }
        receivedMode(in: hello, after: last, on: connection)
        toldOfModes()
        if hello.isGuest { guestGreeted(on: connection) }
    }

    func receivedLatest(_ body: Span<UInt8>, on connection: Connection) {
        guard let peer = treePeer(on: connection), overlay.isEngaged else { return }
        guard let frame = LatestFrame(body) else { return counts.idListsMalformed += 1 }
        recordSign(on: connection)
        apply(overlay.received(frame, from: peer, now: scheduler.now))
    }

    func receivedNews(_ body: Span<UInt8>, on connection: Connection) {
        guard let peer = treePeer(on: connection), overlay.isEngaged else { return }
        guard let frame = NewsFrame(body) else { return counts.idListsMalformed += 1 }
        recordSign(on: connection)
        overlay.announced(frame.ids, by: peer, now: scheduler.now)
        arm(.overlay)
    }

    /// The neighbour that sent a frame 10 to 12; nil above its rate.
    private func treePeer(on connection: Connection) -> PeerID? {
        guard case .running = phase, let peer = connection.peer, overlay.takeFrame(from: peer, now: scheduler.now)
        else {
            links.tally.unexpectedFrames += 1
            return nil
        }
        return peer
    }

    func overlayLinkOpened(to peer: PeerID, isOutgoing: Bool, isGuest: Bool) {
        guard case .running = phase else { return }
        overlay.opened(
            peer, isOutgoing: isOutgoing, isGuest: isGuest, witness: witness(of: peer), now: scheduler.now,
            using: &randomness)
        arm(.overlay)
    }

    /// Where a neighbour is, as a witness of the size of the room; nil for one without a link.
    func witness(of peer: PeerID) -> LinkSource? {
        connections.info(of: peer)?.witness
    }

    func overlayLinkClosed(to peer: PeerID) {
        overlay.closed(peer, now: scheduler.now)
        arm(.overlay)
    }

    /// Offers of history are rare where both ends are in overlay mode: the trees bring what is new.
    private func toldOfModes() {
        for peer in overlay.neighbours.table.keys {
            historyExchange.setServedByTrees(overlay.isOn && overlay.neighbours[peer]?.isOverlay ?? false, peer)
        }
        arm(.overlay)
    }

    private func apply(_ effects: [Overlay.Effect]) {
        for effect in effects { apply(effect) }
        arm(.overlay)
    }

    private func apply(_ effect: Overlay.Effect) {
        switch effect {
        case .send(let frame, let peer):
            guard let connection = connections.sendingLink(of: peer) else { return }
            connection.link.enqueue(frame)
            markDirty(connection)
        case .push(let entry, let peers, let isWide):
            push(entry, to: peers, isWide: isWide)
        case .probe(let peer):
            if let link = connections.info(of: peer) { probe(link, within: Limits.suspicionTime) }
        case .demoteUnlessHeard(let peer, let since):
            guard let connection = connections.sendingLink(of: peer), connection.link.lastReceived < since else {
                return
            }
            overlay.demote(peer, now: scheduler.now)
        case .end(let peer):
            guard let connection = connections.sendingLink(of: peer) else { return }
            links.avoid(connection.endpoint, now: scheduler.now)
            strikeOut(connection)
        }
    }

    private func push(_ entry: RecentPayloads.Entry, to peers: [PeerID], isWide: Bool) {
        let frame = entry.payload.frame(hops: entry.hops)
        let mark = TreeFrame.wide(entry.id).bytes
        for peer in peers {
            guard let connection = connections.sendingLink(of: peer) else { continue }
            if isWide { connection.link.enqueue(mark) }
            links.tally.sent.add(entry.payload.type)
            send(frame, on: connection)
        }
    }

    func tickOverlay() {
        guard case .running = phase else { return }
        overlay.patience = announcementPatience
        apply(overlay.tick(now: scheduler.now, using: &randomness))
    }

    /// Four median round trips, or more.
    private var announcementPatience: Duration {
        let roundTrips = connections.activeLinks.compactMap { $0.link.roundTrip }.sorted()
        guard !roundTrips.isEmpty else { return Limits.announcementPatience }
        return max(Limits.announcementPatience, roundTrips[roundTrips.count / 2] * 4)
    }
}
