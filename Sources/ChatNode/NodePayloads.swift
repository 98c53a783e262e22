import Chat
import Noise
import Wire

/// The way of a message: in from a link through admission and the router, out to every link (Architecture.md).
extension Node {
    func received(_ type: FrameType, _ body: Span<UInt8>, on link: LinkInfo) {
        let connection = link.connection
        switch type {
        case .payload:
            receivedPayload(body, on: connection)
        case .goodbye:
            receivedGoodbye(body.isEmpty ? nil : body[0], on: link)
        case .have:
            receivedHave(body, on: connection)
        case .want:
            receivedWant(body, on: connection)
        case .certificate:
            receivedCertificate(body, on: connection)
        case .superseded:
            receivedSuperseded(body, on: connection)
        case .sealed:
            receivedSealed(body, on: connection)
        case .tree:
            receivedTree(body, on: connection)
        case .latest:
            receivedLatest(body, on: connection)
        case .news:
            receivedNews(body, on: connection)
        case .contacts:
            receivedContacts(body, on: connection)
        case .roster:
            receivedRoster(body, on: connection)
        case .clock:
            receivedClock(body, on: connection)
        case .ping, .pong:
            // The link has answered them.
            links.tally.unexpectedFrames += 1
        }
    }

    private func receivedPayload(_ body: Span<UInt8>, on connection: Connection) {
        guard let peer = connection.peer, let epoch = connection.certificate?.epoch else { return }
        overlay.recordArrival(body, from: peer)
        if let id = historyExchange.awaitedID(inFrame: body, from: peer) {
            return receivedHistory(id, body, from: peer, on: connection)
        }
        let moment = moment
        let verdict = admission.admit(
            frame: body, from: peer, linkEpoch: epoch, isOverlay: overlay.isOverlayLink(peer),
            isRelaying: overlay.isRelaying, judgesAge: overlay.mode == .overlay,
            bridge: bridgeStanding(of: body, on: connection), source: connection.source,
            now: moment.instant, wallClock: moment.roomClock)
        switch verdict {
        case .admitted(let payload):
            let hops = SignedPayload.hops(inFrame: body)
            guard overlay.isEngaged else { return take(payload, hops: hops, on: connection, moment) }
            guard let checked = checkedToSpread(payload, hops: hops, on: connection) else { return }
            take(checked, hops: hops, on: connection, moment)
            tookFromNeighbour(checked, hops: hops, from: peer)
        case .repeated(let payload):
            noteHeard(peer, on: connection)
            recordSign(on: connection)
            apply(router.routeAgain(payload, at: moment))
            routed()
        case .dropped(let reason):
            if reason == .duplicate {
                recordSign(on: connection)
                receiveRepeatedPresence(body)
            }
            if overlay.isEngaged, SignedPayload.kind(inFrame: body) != PayloadType.presence.rawValue {
                refusedFromNeighbour(body, reason, from: peer)
            }
            // In a crowd its presence may have come over others before: it is heard on this link all the same.
            if isCrowd, reason == .duplicate, body[0] == 0 { noteHeard(peer, on: connection) }
        case .closeLink:
            drop(connection)
        case .ban:
            ban(connection)
        }
    }

    private func take(
        _ payload: VerifiedPayload, hops: UInt8, on connection: Connection, _ moment: Moment
    ) {
        let (isPublic, isPresence) = (payload.type == .publicMessage, payload.type == .presence)
        if hops > 0 { recordGap(payload, isHistory: false) }
        if isPublic { counts.hops[min(Int(hops), Int(Limits.relayHops))] += 1 }
        if let peer = connection.peer { noteHeard(peer, on: connection) }
        recordSign(on: connection, isNew: isPublic)
        var events = exchange(&arrivals, with: [])
        router.route(payload, at: moment, into: &events)
        emit(&events)
        arrivals = events
        routed()
        if isPresence, isCrowd { receivePresence(payload, isLive: true, on: connection) }
        if bridge != nil { publishOverBridge(payload) }
        if payload.isBridged { recordPath(to: payload.author, via: connection) }
        if isPresence, payload.isBridged { sendWaiting(to: payload.author) }
        if isPresence { noteBridges(of: payload.author) }
    }

    /// Bans a neighbour for a frame that it sent, and its address.
    func ban(_ link: LinkInfo) {
        if link.peer != nil { close(link, .ban) }
    }

    private func noteHeard(_ peer: PeerID, on connection: Connection) {
        if links.recordHeard(LinkInfo(connection)) { finder.heard(peer) }
    }

    /// A routed payload may have made a reply or a deadline: the end of the turn looks, once for all payloads.
    func routed() {
        isRouterChanged = true
        askForTurnEnd()
    }

    /// Performs an action of the user. Earlier payloads are answered before.
    func act(_ operation: () throws(ChatError) -> Outcome) throws(ChatError) {
        sendReplies()
        apply(try operation())
    }

    /// Sends what the router has waiting: what one turn brings is acknowledged together.
    func sendReplies() {
        guard router.hasReplies else { return }
        for reply in router.takeReplies(at: moment) {
            send(reply.payload, to: reply.destination)
        }
        arm(.router)
    }

    /// Also while the node leaves, as receipts may still come.
    func tickRouter() {
        apply(router.tick(scheduler.now))
        sendReplies()
        arm(.router)
    }

    /// Sends what the router wants sent and tells what it wants told.
    func apply(_ outcome: Outcome) {
        for outgoing in outcome.outgoing { send(outgoing.payload, to: outgoing.destination) }
        apply(outcome.events)
        askForTurnEnd()
    }

    func apply(_ events: [ChatEvent]) {
        for event in events where shouldReport(event) { emit(view(event)) }
        offerArchived()
    }

    /// Tells all of `events`, in order, and leaves their room.
    private func emit(_ events: inout [ChatEvent]) {
        // Taken out, from the end, none of them is copied; nearly always there is but one.
        if events.count > 1 { events.reverse() }
        while let event = events.popLast() {
            if shouldReport(event) { emit(view(event)) }
        }
    }

    /// Encoded and signed once, sealed per link.
    func send(_ payload: VerifiedPayload, to destination: Outgoing.Destination) {
        if isCrowd, payload.type == .presence { return sendPresence(payload) }
        switch destination {
        case .everyone:
            if payload.type.isHistory { spread(payload) } else { sendToAll(payload, hops: 0) }
            if bridge != nil { publishOverBridge(payload) }
        case .peer(let peer):
            guard let connection = connections.sendingLink(of: peer) else { return seal(payload, for: peer) }
            links.tally.sent.add(payload.payload.type)
            send(payload.signed.frame(hops: 0), on: connection)
            mail.recordUse(of: connection.id, now: scheduler.now)
        }
    }

    func send(_ frame: [UInt8], on link: LinkInfo) {
        links.send(frame, on: link)
        askForTurnEnd()
    }
}
