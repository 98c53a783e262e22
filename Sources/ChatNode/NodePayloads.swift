import Chat
import Noise
import Wire

/// The way of a message: in from a link through admission and the router, out to every link (Architecture.md).
extension Node {
    func received(_ type: FrameType, _ body: Span<UInt8>, on link: LinkInfo) {
        switch type {
        case .payload: receivedPayload(body, on: link)
        case .goodbye: receivedGoodbye(body.isEmpty ? nil : body[0], on: link)
        case .have: receivedHave(body, on: link)
        case .want: receivedWant(body, on: link)
        case .certificate: receivedCertificate(body, on: link)
        case .superseded: receivedSuperseded(body, on: link)
        case .sealed: receivedSealed(body, on: link)
        case .tree: receivedTree(body, on: link)
        case .latest: receivedIDs(body, areNews: false, on: link)
        case .news: receivedIDs(body, areNews: true, on: link)
        case .contacts: receivedContacts(body, on: link)
        case .roster: receivedRoster(body, on: link)
        case .clock: receivedClock(body, on: link)
        case .ping, .pong:
            // The link has answered them.
            links.tally.unexpectedFrames += 1
        }
    }

    /// Bans a neighbour for a frame that it sent, and its address.
    func ban(_ link: LinkInfo) {
        if link.peer != nil { close(link, .ban) }
    }

    /// A routed payload may have made a reply or a deadline: the end of the turn looks, once for all payloads.
    func routed() {
        isRouterChanged = true
        askForTurnEnd()
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

    func apply(_ events: [NodeEvent]) {
        for event in events where shouldReport(event) { emit(event) }
        offerArchived()
    }

    /// Encoded and signed once, sealed per link.
    func send(_ payload: VerifiedPayload, to destination: Outgoing.Destination) {
        if isCrowd, payload.type == .presence { return sendPresence(payload) }
        switch destination {
        case .everyone:
            broadcast(payload)
            publishOverBridge(payload)
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
