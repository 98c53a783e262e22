package import Chat
import Noise
import Phrases
import Wire

extension Node {
    /// Calls a part, as in `act { finder.discovered(event, $0, &$1) }`, and performs the effects that it appends, in order,
    /// before it returns.
    ///
    /// - Parameter given: nil for the environment of now.
    @discardableResult
    func act<Result, Failure: Error>(
        in given: Environment? = nil, _ call: (Environment, inout Effects) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let environment = given ?? environment
        // Taken out: an effect may call another part.
        var effects = exchange(&spareEffects, with: Effects())
        defer {
            if !effects.isEmpty { perform(effects) }
            // The end of the turn writes the frames that wait on links.
            if links.hasDirty { askForTurnEnd() }
            effects.clear()
            spareEffects = effects
        }
        return try call(environment, &effects)
    }

    func perform(_ effects: borrowing Effects) {
        for effect in effects.list { perform(effect) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .send(let frame, let selector): forEach(selector) { links.enqueue(frame, on: $0) }
        case .deliver(let delivery, let selector): intake.deliver(delivery, to: selector, &links, now: scheduler.now)
        case .sendCertificate(let author, let selector):
            forEach(selector) { intake.sendCertificate(of: author, on: $0, &links, scheduler.now) }
        case .resend(let certificate): links.resend(certificate, isRelay: configuration.relaysSealed)
        case .receiveOwn(let certificate):
            act { ownSession.receive(certificate, dm: mail.publicKey, &conversations.router, connections, $0, &$1) }
        case .recordPath(let peer, let other):
            act { mail.recordPath(to: peer, via: other, &conversations.router, &$1) }
        case .close(let selector, let closing): forEach(selector) { close($0, closing) }
        case .link(let step): perform(step)
        case .ban(let peer): links.ban(peer, now: scheduler.now)
        case .strikeOut(let peer): act { finder.strikeOut(peer, &links, $0, &$1) }
        case .probe(let selector, let timeout): act { links.probe(selector, within: timeout, $0, &$1) }
        case .shutOut(let peer): act { finder.shutOut(peer, intake, $0, &$1) }
        case .admit(let peer): act { finder.admit(peer, $0, &$1) }
        case .apply(let outcome): apply(outcome)
        case .routed: routed()
        case .sendSigned(let payload, let destination): send(payload, to: destination)
        case .bridge(let step): perform(step)
        case .report(let event): emit(event)
        case .warn(let code, let sentence): act { finder.warn(code, sentence, &$1) }
        case .discovery(let order): discoveries.perform(order)
        case .becomeReady(let mode): becomeReady(mode)
        case .renewAnnouncement: discoveries.perform(.announce(makeAnnouncement()))
        case .probeAll: act { links.probeAll($0, &$1) }
        case .leave(let reason): beginLeaving(because: reason)
        case .signOut(let better): signOut(because: better)
        case .keepEpoch(let epoch): outlet.epochChanged(epoch)
        case .reviewRoom: reviewRoom()
        case .setMode(let mode): setMode(mode)
        case .then(let step): perform(step)
        case .schedule(let step, let instant): schedule(step, at: instant)
        case .countUnexpectedFrame: links.tally.unexpectedFrames += 1
        case .arm(let timer): arm(timer)
        case .wake(let timer, let deadline): wake(timer, at: deadline)
        }
    }

    func schedule(_ step: NodeStep, at instant: Instant) {
        scheduler.schedule(at: instant) { [weak self] in self?.perform(step) }
    }

    private func perform(_ step: LinkStep) {
        switch step {
        case .up(let up): linkUp(up)
        case .metOurselves(let certificate, let link):
            act { ownSession.meet(certificate, on: link, dm: mail.publicKey, &conversations.router, links, $0, &$1) }
        case .wake(let id, let deadline):
            scheduler.schedule(at: deadline) { [weak self] in self?.wakeLink(id, deadline) }
        case .flush(let link):
            sendReplies()
            act { links.flush(link, $0, &$1) }
        case .flushed(let link): flushed(link)
        case .end(let link, let closing): act { links.end(link, closing, $0, &$1) }
        case .down(let down): linkDown(down)
        case .departed(let peer, let key): finder.dials.dialler.departed(peer, key)
        }
    }

    func forEach(_ selector: LinkSelector, _ body: (LinkInfo) -> Void) {
        // A copy, because `body` may end links.
        let connections = links.connections
        connections.forEach(selector, body)
    }
}

/// Events of the transport.
extension Node: TransportHandler {
    package func transportAccepted(_ id: ConnectionID, from endpoint: Endpoint) {
        act { links.accepted(id, from: endpoint, &finder, $0, &$1) }
    }

    package func transportConnected(_ id: ConnectionID) {
        act { links.connected(id, &finder, mail, $0, &$1) }
    }

    package func transportReceived(_ buffer: [UInt8], count: Int, on id: ConnectionID) {
        if let link = connections[id] { receive(buffer, count: count, on: link) }
    }

    package func transportBecameWritable(_ id: ConnectionID) {
        if let link = connections[id] { act { links.flush(link, $0, &$1) } }
    }

    package func transportClosed(_ id: ConnectionID, error: TransportError?) {
        act { links.closed(id, error, &finder, &mail, $0, &$1) }
    }
}

/// The life of links: read, met, ended (Protocol.md sections 3 and 9).
extension Node {
    /// Handles everything that `buffer` completes on a link, in order.
    func receive(_ buffer: [UInt8], count: Int, on link: LinkInfo) {
        let now = scheduler.now
        var reader = links.beginReading(link)
        while let event = reader.next(in: buffer.span.extracting(first: count), context: links.context, now: now) {
            switch event {
            case .established(let certificate):
                act { links.established(link, certificate, &intake, &finder, &mail, chat, $0, &$1) }
            case .frame(let type, let body): received(type, reader.plaintext.span.extracting(body), on: link)
            case .failed(let error): close(link, .failed(error))
            }
            flushFullBatch()
        }
        act { links.endReading(reader, count: count, &$1) }
    }

    /// The parts that hear of a new link, in order.
    private func linkUp(_ up: LinkUp) {
        intake.learnEpoch(of: up.certificate, environment)
        act { conversations.linkUp(up, $0, &$1) }
        act { finder.linkUp(up, $0, &$1) }
        introduceOurselves(on: up.link, of: up.peer)
        if up.isActive {
            historyExchange.linkOpened(to: up.peer, from: up.link.endpoint.giver ?? Giver(up.peer), environment)
            tickHistory()
            act { bridgeGate.introduceElsewhere(on: up.link.id, chat.roster, $0, &$1) }
            act { spread.linkUp(up, connections, $0, &$1) }
            act { finder.linkIsActive(up.link, of: up.peer, $0, spread.neighbours, &$1) }
        }
        reviewRoom()
        if up.isBetterRun { act { intake.supersede(by: up.certificate, from: up.link.id, connections, &$1) } }
    }

    private func introduceOurselves(on link: LinkInfo, of peer: PeerID) {
        let greeting = spread.isOn ? finder.greeting(for: peer, in: spread.mode) : nil
        let clock = RoomClock.frame(chat, environment)
        let presence = crowd.presenceForLink(environment, router: &conversations.router)
        act { links.introduce(link, greeting: greeting, presence: presence, clock: clock, $0, &$1) }
    }

    /// The parts that hear of the end of a link, in order.
    private func linkDown(_ down: LinkDown) {
        let (link, end) = (down.link, down.closing.end)
        crowd.linkClosed(link.id)
        mail.closed(link.id)
        act { finder.linkDown(down, $0, &$1) }
        linkIsThrough()
        defer { arm(.dialler) }
        guard let peer = link.peer else { return arm(.mail) }
        guard down.isLast else { return }
        act { clock.lastLinkClosed(to: peer, &conversations.router, &historyExchange, &spread, $0, &$1) }
        crowd.lastLinkClosed(of: peer, link.id, end, environment)
        act { conversations.lastLinkEnded(of: peer, end, staysHere: crowd.isHere(peer), $0, &$1) }
        historyExchange.linkClosed(to: peer, end, now: scheduler.now)
        arm(.history)
        spread.linkClosed(to: peer, now: scheduler.now)
        arm(.overlay)
        act { finder.lastLinkEnded(of: peer, $0, connections, spread.neighbours, &$1) }
        reviewRoom()
        if down.closing.isSilence { act { finder.fellSilent(peer, $0, connections, &$1) } }
    }

    func close(_ link: LinkInfo, _ closing: Closing) { act { links.close(link, closing, $0, &$1) } }

    private func flushed(_ link: LinkInfo) {
        if link.queuedBytes == 0 { linkIsThrough() }
        answer(on: link)
    }

    /// A queue is empty or its link gone: waiting senders may go on.
    private func linkIsThrough() {
        conversations.resumeSenders()
        if lifecycle.isLeaving { askForTurnEnd() }
    }

    private func wakeLink(_ id: ConnectionID, _ deadline: Instant) {
        guard let link = links.due(id, at: deadline) else { return }
        watchClock()
        act { links.tick(link, $0, &$1) }
    }
}

/// The way of a message: in from a link through admission and the router, out to every link (Architecture.md).
extension Node {
    func received(_ type: FrameType, _ body: Span<UInt8>, on link: LinkInfo) {
        let environment = environment
        // Not `act`: no closure takes a span.
        var (effects, admitted) = (Effects(), AdmittedPayload?.none)
        switch type {
        case .payload:
            admitted = intake.receive(
                body, on: link, &historyExchange, &spread, &finder, &crowd, bridgeGate, &conversations.router, links,
                ownSession, environment, &effects)
        case .goodbye: links.receivedGoodbye(body, on: link, environment, &effects)
        case .have:
            historyExchange.receiveHave(
                body, on: link, connections, archive: conversations.router.publicChat, &spread, environment, &effects)
        case .want:
            historyExchange.receiveWant(
                body, on: link, connections, archive: conversations.router.publicChat, environment, &effects)
        case .certificate:
            intake.receiveCertificate(body, on: link, &crowd, &bridgeGate, chat.roster, links, environment, &effects)
        case .superseded: intake.receiveSuperseded(body, on: link, &crowd, chat.roster, environment, &effects)
        case .sealed:
            admitted = intake.receiveSealed(
                body, on: link, &mail, &crowd, &bridgeGate, ownSession, chat.roster, connections, environment, &effects)
        case .tree: receivedTree(body, on: link, environment)
        case .latest, .news:
            spread.receiveIDs(body, areNews: type == .news, on: link, connections, &finder, environment, &effects)
        case .contacts:
            finder.receivedContacts(body, on: link, links, spread.neighbours, chat.roster, environment, &effects)
        case .roster:
            admitted = intake.receiveRoster(
                body, on: link, &crowd, &spread, &finder, bridgeGate, chat.roster, connections, environment, &effects)
        case .clock:
            clock.receive(
                body, on: link, links, &conversations.router, &historyExchange, &spread, environment, &effects)
        // The link has answered them.
        case .ping, .pong: effects.append(.countUnexpectedFrame)
        }
        perform(effects)
        if let admitted { accept(admitted, environment) }
    }

    /// A routed payload may have made a reply or a deadline: the end of the turn looks, once for all payloads.
    func routed() {
        isRouterChanged = true
        askForTurnEnd()
    }

    /// Sends what the router has waiting: what one turn brings is acknowledged together.
    func sendReplies() {
        if chat.hasReplies { act { conversations.sendReplies($0, &$1) } }
    }

    /// Sends the payloads and reports the events that the router returned.
    func apply(_ outcome: Outcome) {
        for outgoing in outcome.outgoing { send(outgoing.payload, to: outgoing.destination) }
        apply(outcome.events)
        askForTurnEnd()
    }

    func apply(_ events: [NodeEvent]) {
        for event in events where CrowdPresence.reports(event, in: spread.mode, chat) { emit(event) }
        offerArchived()
    }

    /// Encoded and signed once, sealed per link.
    func send(_ payload: VerifiedPayload, to destination: Outgoing.Destination) {
        if spread.mode.isCrowd, payload.type == .presence {
            return act { crowd.announce(payload, $0, on: crowdLinks, &$1) }
        }
        switch destination {
        case .everyone:
            broadcast(payload)
            perform(BridgeStep.publish(payload))
        case .peer(let peer):
            // Outside the closure, which the optimiser of Swift 6.3 can not compile with it.
            let bridge = bridgeGate.neighbour
            act {
                mail.send(
                    payload, to: peer, with: context.certificate, paths: crowd.paths, bridge: bridge, &links, chat,
                    &intake, $0, &$1)
            }
        }
    }
}

/// Calls `Spread` for payloads and frames.
extension Node {
    func setMode(_ mode: RoomMode) {
        act { finder.setMode(mode, connections, &spread, &historyExchange, $0, &$1) }
    }

    /// Sends our own payload to the room.
    package func broadcast(_ payload: VerifiedPayload) {
        act { spread.spread(payload, from: nil, hops: 0, me: $0.me, connections, now: $0.now, &$1) }
    }

    func receivedTree(_ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment) {
        guard let frame = spread.readTree(body, on: link, environment) else {
            return links.tally.unexpectedFrames += 1
        }
        act { finder.receive(frame, on: link, $0, &$1) }
        // The choice of links may have ended it.
        guard !link.isForgotten else { return }
        act { spread.receive(frame, on: link, connections, chat.roster, &finder, $0, &$1) }
        guard case .hello(let hello) = frame else { return }
        act { spread.setOffers(of: &historyExchange, &$1) }
        if hello.isGuest { act { mail.greeted(on: link, chat, &finder, $0, &$1) } }
    }
}
