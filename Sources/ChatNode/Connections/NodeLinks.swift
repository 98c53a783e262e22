package import Chat
import Noise
import Phrases
import Wire

extension Node {
    /// Calls a part, as in `act { $0.finder.discovered(event, $1, &$2) }`, and performs the effects that it appends, in order,
    /// before it returns.
    ///
    /// - Parameter given: nil for the environment of now.
    @discardableResult
    func act<Result, Failure: Error>(
        in given: Environment? = nil, _ call: (inout Parts, Environment, inout Effects) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let environment = given ?? environment
        // Taken out: an effect may call another part.
        var effects = exchange(&spareEffects, with: Effects())
        defer {
            if !effects.isEmpty { perform(effects) }
            // The end of the turn writes the frames that wait on links.
            if parts.links.hasDirty { askForTurnEnd() }
            effects.clear()
            spareEffects = effects
        }
        return try call(&parts, environment, &effects)
    }

    func perform(_ effects: borrowing Effects) {
        for effect in effects.list { perform(effect) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .send(let frame, let selector): forEach(selector) { parts.links.enqueue(frame, on: $0) }
        case .deliver(let delivery, let selector): parts.deliver(delivery, to: selector, now: scheduler.now)
        case .sendCertificate(let author, let selector):
            forEach(selector) { parts.sendCertificate(of: author, on: $0, now: scheduler.now) }
        case .resend(let certificate): parts.links.resend(certificate, isRelay: configuration.relaysSealed)
        case .receiveOwn(let certificate): act { $0.receiveOwn(certificate, $1, &$2) }
        case .recordPath(let peer, let other): act { $0.recordPath(to: peer, via: other, &$2) }
        case .close(let selector, let closing): forEach(selector) { close($0, closing) }
        case .link(let step): perform(step)
        case .ban(let peer): parts.links.ban(peer, now: scheduler.now)
        case .strikeOut(let peer): act { $0.finder.strikeOut(peer, &$0.links, $1, &$2) }
        case .setLeaving(let peer, let isSo): act { $0.spread.setLeaving(peer, isSo, $0.links.connections, $1, &$2) }
        case .probe(let selector, let timeout): act { $0.links.probe(selector, within: timeout, $1, &$2) }
        case .shutOut(let peer): act { $0.finder.shutOut(peer, $0.intake, $1, &$2) }
        case .admit(let peer): act { $0.finder.admit(peer, $1, &$2) }
        case .apply(let outcome): apply(outcome)
        case .routed: routed()
        case .sendSigned(let payload, let destination): send(payload, to: destination)
        case .sendPrivate(let payload, let peer, let way): act { $0.sendPrivate(payload, to: peer, way, $1, &$2) }
        case .bridge(let step): perform(step)
        case .report(let event): emit(event)
        case .warn(let code, let sentence): act { $0.finder.warn(code, sentence, &$2) }
        case .discovery(let order): discoveries.perform(order)
        case .becomeReady(let mode): becomeReady(mode)
        case .renewAnnouncement: discoveries.perform(.announce(makeAnnouncement()))
        case .probeAll: act { $0.links.probeAll($1, &$2) }
        case .leave(let reason): beginLeaving(because: reason)
        case .signOut(let better): signOut(because: better)
        case .keepEpoch(let epoch): outlet.epochChanged(epoch)
        case .reviewRoom: reviewRoom()
        case .setMode(let mode): setMode(mode)
        case .then(let step): perform(step)
        case .schedule(let step, let instant): schedule(step, at: instant)
        case .countUnexpectedFrame: parts.links.tally.unexpectedFrames += 1
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
            act {
                $0.ownSession.meet(
                    certificate, on: link, &$0.mail, &$0.conversations.router, $0.links, $1, &$2)
            }
        case .wake(let id, let deadline):
            scheduler.schedule(at: deadline) { [weak self] in self?.wakeLink(id, deadline) }
        case .flush(let link):
            act { $0.sendLast(on: link, $1, &$2) }
            act { $0.links.flush(link, $1, &$2) }
        case .flushed(let link): flushed(link)
        case .end(let link, let closing): act { $0.links.end(link, closing, $1, &$2) }
        case .down(let down): linkDown(down)
        case .departed(let peer, let key): parts.finder.dials.dialler.departed(peer, key)
        }
    }

    func forEach(_ selector: LinkSelector, _ body: (LinkInfo) -> Void) {
        // A copy, because `body` may end links.
        let connections = parts.links.connections
        connections.forEach(selector, body)
    }
}

/// Events of the transport.
extension Node: TransportHandler {
    package func transportAccepted(_ id: ConnectionID, from endpoint: Endpoint) {
        act { $0.links.accepted(id, from: endpoint, &$0.finder, $1, &$2) }
    }

    package func transportConnected(_ id: ConnectionID) {
        act { $0.links.connected(id, &$0.finder, $0.mail, $1, &$2) }
    }

    package func transportReceived(_ buffer: [UInt8], count: Int, on id: ConnectionID) {
        if let link = connections[id] { receive(buffer, count: count, on: link) }
    }

    package func transportBecameWritable(_ id: ConnectionID) {
        if let link = connections[id] { act { $0.links.flush(link, $1, &$2) } }
    }

    package func transportClosed(_ id: ConnectionID, error: TransportError?) {
        act { $0.links.closed(id, error, &$0.finder, &$0.mail, $1, &$2) }
    }
}

/// The life of links: read, met, ended (Protocol.md sections 3 and 9).
extension Node {
    /// Handles everything that `buffer` completes on a link, in order.
    func receive(_ buffer: [UInt8], count: Int, on link: LinkInfo) {
        let now = scheduler.now
        var reader = parts.links.beginReading(link)
        while let event = parts.links.nextEvent(of: &reader, in: buffer.span.extracting(first: count), now: now) {
            switch event {
            case .established(let certificate):
                act {
                    $0.links.established(
                        link, certificate, &$0.intake, &$0.finder, &$0.mail, $0.conversations.router, $1, &$2)
                }
            case .frame(let type, let body): received(type, reader.plaintext.span.extracting(body), on: link)
            case .failed(let error): close(link, .failed(error))
            }
            flushFullBatch()
        }
        act { $0.links.endReading(reader, count: count, &$2) }
    }

    /// The parts that hear of a new link, in order.
    private func linkUp(_ up: LinkUp) {
        parts.intake.learnEpoch(of: up.certificate, environment)
        act { $0.conversations.linkUp(up, $1, &$2) }
        act { $0.finder.linkUp(up, $1, &$2) }
        introduceOurselves(on: up.link, of: up.peer)
        if up.isActive {
            parts.historyExchange.linkOpened(to: up.peer, from: up.link.endpoint.giver ?? Giver(up.peer), environment)
            tickHistory()
            act { $0.bridgeGate.introduceElsewhere(on: up.link.id, $0.conversations.router.roster, $1, &$2) }
            act { $0.spread.linkUp(up, $0.links.connections, $1, &$2) }
            act { $0.finder.linkIsActive(up.link, of: up.peer, $1, $0.spread.neighbours, &$2) }
            act { $0.cover.startSlots($1, &$2) }
        }
        reviewRoom()
        if up.isBetterRun {
            act { $0.intake.supersede(by: up.certificate, from: up.link.id, $0.links.connections, &$2) }
        }
    }

    private func introduceOurselves(on link: LinkInfo, of peer: PeerID) {
        let greeting = parts.spread.isOn ? parts.finder.greeting(for: peer, in: parts.spread.mode) : nil
        let clock = RoomClock.frame(chat, environment)
        let presence = act { parts, environment, _ in
            parts.crowd.presenceForLink(environment, router: &parts.conversations.router)
        }
        act { $0.links.introduce(link, greeting: greeting, presence: presence, clock: clock, $1, &$2) }
    }

    /// The parts that hear of the end of a link, in order.
    private func linkDown(_ down: LinkDown) {
        let (link, end) = (down.link, down.closing.end)
        parts.crowd.linkClosed(link.id)
        parts.mail.closed(link.id)
        act { $0.finder.linkDown(down, $1, &$2) }
        linkIsThrough()
        defer { arm(.dialler) }
        guard let peer = link.peer else { return arm(.mail) }
        guard down.isLast else { return }
        act { $0.clock.lastLinkClosed(to: peer, &$0.conversations.router, &$0.historyExchange, &$0.spread, $1, &$2) }
        parts.crowd.lastLinkClosed(of: peer, link.id, end, environment)
        parts.cover.lastLinkEnded(of: peer)
        act { $0.conversations.lastLinkEnded(of: peer, end, staysHere: $0.crowd.isHere(peer), $1, &$2) }
        parts.historyExchange.linkClosed(to: peer, end, now: scheduler.now)
        arm(.history)
        parts.spread.linkClosed(to: peer, now: scheduler.now)
        arm(.overlay)
        act { $0.finder.lastLinkEnded(of: peer, $1, $0.links.connections, $0.spread.neighbours, &$2) }
        reviewRoom()
        if down.closing.isSilence { act { $0.finder.fellSilent(peer, $1, $0.links.connections, &$2) } }
    }

    func close(_ link: LinkInfo, _ closing: Closing) { act { $0.links.close(link, closing, $1, &$2) } }

    private func flushed(_ link: LinkInfo) {
        if link.queuedBytes == 0 { linkIsThrough() }
        answer(on: link)
    }

    /// A queue is empty or its link gone: waiting senders may go on.
    private func linkIsThrough() {
        parts.conversations.resumeSenders()
        if parts.lifecycle.isLeaving { askForTurnEnd() }
    }

    private func wakeLink(_ id: ConnectionID, _ deadline: Instant) {
        guard let link = parts.links.due(id, at: deadline) else { return }
        watchClock()
        act { $0.links.tick(link, $1, &$2) }
    }
}

/// The way of a message: in from a link through admission and the router, out to every link (Architecture.md).
extension Node {
    func received(_ type: FrameType, _ body: Span<UInt8>, on link: LinkInfo) {
        let environment = environment
        if type == .tree { return receivedTree(body, on: link, environment) }
        // Not `act`: no closure takes a span.
        var effects = Effects()
        let admitted = parts.receive(type, body, on: link, environment, &effects)
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
        if chat.hasReplies { act { $0.sendReplies($1, &$2) } }
    }

    /// Sends the payloads and reports the events that the router returned.
    func apply(_ outcome: Outcome) {
        for outgoing in outcome.outgoing { send(outgoing.payload, to: outgoing.destination) }
        apply(outcome.events)
        askForTurnEnd()
    }

    func apply(_ events: [NodeEvent]) {
        for event in events where CrowdPresence.reports(event, in: parts.spread.mode, chat) { emit(event) }
        offerArchived()
    }

    /// Encoded and signed once, sealed per link.
    func send(_ payload: VerifiedPayload, to destination: Outgoing.Destination) {
        if parts.spread.mode.isCrowd, payload.type == .presence {
            return act { $0.crowd.announce(payload, $1, on: $0.crowdLinks, &$2) }
        }
        switch destination {
        case .everyone:
            broadcast(payload)
            perform(BridgeStep.publish(payload))
        case .peer(let peer): act { $0.cover.send(payload, to: peer, $1, &$2) }
        }
    }
}

/// Calls `Spread` for payloads and frames.
extension Node {
    func setMode(_ mode: RoomMode) {
        act { $0.finder.setMode(mode, $0.links.connections, &$0.spread, &$0.historyExchange, $1, &$2) }
    }

    /// Sends our own payload to the room.
    package func broadcast(_ payload: VerifiedPayload) {
        act { $0.spread.spread(payload, from: nil, hops: 0, me: $1.me, $0.links.connections, now: $1.now, &$2) }
    }

    func receivedTree(_ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment) {
        guard let frame = parts.spread.readTree(body, on: link, environment) else {
            return parts.links.tally.unexpectedFrames += 1
        }
        act { $0.finder.receive(frame, on: link, $1, &$2) }
        // The choice of links may have ended it.
        guard !link.isForgotten else { return }
        act {
            $0.spread.receive(
                frame, on: link, $0.links.connections, $0.conversations.router.roster, &$0.finder, $1, &$2)
        }
        guard case .hello(let hello) = frame else { return }
        act { $0.spread.setOffers(of: &$0.historyExchange, &$2) }
        if hello.isGuest { act { $0.mail.greeted(on: link, $0.conversations.router, &$0.finder, $1, &$2) } }
    }
}
