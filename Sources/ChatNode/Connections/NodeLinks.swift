package import Chat
import Noise
import Phrases
package import Wire

extension Node {
    /// Calls a part and performs the effects that it appends, in order, before it returns.
    @discardableResult
    func withEffects<Result, Failure: Error>(
        _ call: (inout Effects) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Taken out: an effect may call another part.
        var effects = exchange(&spareEffects, with: Effects())
        defer {
            if !effects.isEmpty { perform(effects) }
            // The end of the turn writes the frames that wait on links.
            if links.hasDirty { askForTurnEnd() }
            effects.clear()
            spareEffects = effects
        }
        return try call(&effects)
    }

    /// As `withEffects`, for a part that reads the environment: `act { finder.discovered(event, $0, &$1) }`.
    @discardableResult
    func act<Result, Failure: Error>(
        _ call: (Environment, inout Effects) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let environment = environment
        return try withEffects { (effects: inout Effects) throws(Failure) in try call(environment, &effects) }
    }

    func perform(_ effects: borrowing Effects) {
        for effect in effects.list { perform(effect) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .send(let frame, let selector): forEach(selector) { links.enqueue(frame, on: $0) }
        case .deliver(let delivery, let selector): forEach(selector) { deliver(delivery, on: $0) }
        case .sendCertificate(let author, let selector): forEach(selector) { sendCertificate(for: author, on: $0) }
        case .resendCertificate(let author): resendCertificate(of: author)
        case .close(let selector, let closing): forEach(selector) { close($0, closing) }
        case .link(let step): perform(step)
        case .ban(let peer): links.ban(peer, now: scheduler.now)
        case .strikeOut(let peer): strikeOut(peer)
        case .probe(let selector, let timeout): act { links.probe(selector, within: timeout, $0, &$1) }
        case .shutOut(let peer): shutOut(peer)
        case .admit(let peer): act { finder.admit(peer, $0, &$1) }
        case .apply(let outcome): apply(outcome)
        case .routed: routed()
        case .sendSigned(let payload, let destination): send(payload, to: destination)
        case .publishOverBridge(let payload): publishOverBridge(payload)
        case .publish(let due): publish(due)
        case .receiveHeld(let certificate, let frame): receiveHeld(certificate, frame)
        case .publishSealed(let body, let peer): _ = publishOverBridge(sealed: body, from: peer)
        case .renewCertificate: renewCertificate()
        case .report(let event): emit(event)
        case .warn(let code, let sentence): withEffects { finder.warn(code, sentence, &$0) }
        case .discovery(let order): instruct(order)
        case .becomeReady(let mode): becomeReady(mode)
        case .renewAnnouncement: instruct(.announce(makeAnnouncement()))
        case .probeAll: act { links.probeAll($0, &$1) }
        case .leave(let reason): beginLeaving(because: reason)
        case .signOut(let better): signOut(because: better)
        case .keepEpoch(let epoch): epochChanged(epoch)
        case .reviewRoom: reviewRoom()
        case .setMode(let mode): setMode(mode)
        case .then(let step): perform(step)
        case .schedule(let step, let instant): schedule(step, at: instant)
        case .countUnexpectedFrame: links.tally.unexpectedFrames += 1
        case .arm(let timer): arm(timer)
        case .wake(let timer, let deadline): wake(timer, at: deadline)
        }
    }

    func schedule(_ step: Step, at instant: Instant) {
        scheduler.schedule(at: instant) { [weak self] in self?.perform(step) }
    }

    private func perform(_ step: LinkStep) {
        switch step {
        case .up(let up): linkUp(up)
        case .metOurselves(let certificate, let link):
            act { ownSession.meet(certificate, on: link, dm: mail.publicKey, &router, links, $0, &$1) }
        case .wake(let id, let deadline):
            scheduler.schedule(at: deadline) { [weak self] in self?.wakeLink(id, deadline) }
        case .flush(let link):
            sendReplies()
            flush(link)
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

    private func deliver(_ delivery: PayloadDelivery, on link: LinkInfo) {
        guard !delivery.isOptional || !link.isBusy else { return }
        if case .before(let author) = delivery.certificate { sendCertificate(for: author, on: link) }
        if let type = delivery.type { links.tally.sent.add(type) }
        send(delivery.frame, on: link)
        if case .behind(let author) = delivery.certificate { sendCertificate(for: author, on: link) }
    }

    private func strikeOut(_ peer: PeerID) {
        guard let link = connections.sendingLink(of: peer) else { return }
        links.avoid(link.endpoint, now: scheduler.now)
        withEffects { finder.strikeOut(peer, environment, &$0) }
    }

    private func instruct(_ order: DiscoveryOrder) {
        for discovery in discoveries {
            switch order {
            case .announce(let announcement): discovery.announce(announcement)
            case .linkOpened(let run): discovery.linkOpened(to: run)
            case .linkClosed(let run): discovery.linkClosed(to: run)
            case .dialFailed(let instance): discovery.dialFailed(instance)
            case .peersMissed(let areMissed): discovery.peersMissed(areMissed)
            case .crowdChanged(let crowd): discovery.crowdChanged(crowd)
            }
        }
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
        if let link = connections[id] { flush(link) }
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
                act { links.established(link, certificate, &intake, &finder, &mail, router, $0, &$1) }
            case .frame(let type, let body): received(type, reader.plaintext.span.extracting(body), on: link)
            case .failed(let error): close(link, .failed(error))
            }
            flushFullBatch()
        }
        withEffects { links.endReading(reader, count: count, &$0) }
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
            introduceElsewhere(on: up.link)
            act { spread.linkUp(up, connections, $0, &$1) }
            act { finder.linkIsActive(up.link, of: up.peer, $0, spread.neighbours, &$1) }
        }
        reviewRoom()
        if up.isBetterRun { withEffects { intake.supersede(by: up.certificate, from: up.link.id, connections, &$0) } }
    }

    private func introduceOurselves(on link: LinkInfo, of peer: PeerID) {
        let greeting = spread.isOn ? finder.greeting(for: peer, in: spread.mode) : nil
        let clock = RoomClock.frame(router, environment)
        let presence = crowd.presenceForLink(environment, router: &router)
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
        act { clock.lastLinkClosed(to: peer, &router, &historyExchange, &spread, $0, &$1) }
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

    func flush(_ link: LinkInfo) { act { links.flush(link, $0, &$1) } }

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
        var effects = Effects()
        switch type {
        case .payload: receivedPayload(body, on: link, environment)
        case .goodbye: links.receivedGoodbye(body, on: link, environment, &effects)
        case .have:
            historyExchange.receiveHave(
                body, on: link, connections, archive: router.publicChat, &spread, environment, &effects)
        case .want:
            historyExchange.receiveWant(
                body, on: link, connections, archive: router.publicChat, environment, &effects)
        case .certificate: receivedCertificate(body, on: link)
        case .superseded: receivedSuperseded(body, on: link)
        case .sealed: receivedSealed(body, on: link, environment)
        case .tree: receivedTree(body, on: link, environment)
        case .latest:
            spread.receiveIDs(body, areNews: false, on: link, connections, &finder, environment, &effects)
        case .news: spread.receiveIDs(body, areNews: true, on: link, connections, &finder, environment, &effects)
        case .contacts:
            finder.receivedContacts(body, on: link, links, spread.neighbours, router.roster, environment, &effects)
        case .roster:
            let isPresence = crowd.receive(body, on: link, &spread, environment, &effects)
            if isPresence, let peer = link.peer { receivedRoster(body, from: peer, on: link, environment) }
        case .clock:
            clock.receive(body, on: link, links, &router, &historyExchange, &spread, environment, &effects)
        // The link has answered them.
        case .ping, .pong: effects.append(.countUnexpectedFrame)
        }
        perform(effects)
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
        for event in events where CrowdPresence.reports(event, in: spread.mode, router) { emit(event) }
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
            publishOverBridge(payload)
        case .peer(let peer):
            guard let connection = connections.sendingLink(of: peer) else {
                return act {
                    mail.seal(
                        payload, for: peer, with: context.certificate, paths: crowd.paths,
                        bridge: bridgeGate.neighbour, links, router, &intake, $0, &$1)
                }
            }
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

/// The way of a payload in, the same for every origin: judged, routed, and handed on (Architecture.md).
extension Node {
    /// Handles a payload frame that came on a link, asked for or not.
    func receivedPayload(_ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment) {
        guard let peer = link.peer, let epoch = link.certificate?.epoch else { return }
        do throws(DropReason) {
            let frame = try PayloadFrame(body)
            spread.recordArrival(of: frame.id.prefix, from: peer)
            if historyExchange.isAwaited(frame.id.prefix, from: peer) {
                let askedAt = historyExchange.recordArrival(of: frame.id.prefix, from: peer, environment)
                receive(frame, from: .history(from: peer), askedAt: askedAt, on: link, environment)
                return
            }
            let live = LiveLink(
                to: peer, epoch: epoch, source: link.source, kind: spread.linkKind(of: peer),
                bridge: bridgeStanding(of: frame, from: peer), judgesAge: environment.mode == .overlay)
            receive(frame, from: .live(live), on: link, environment)
        } catch {
            receivedMalformed(body, error, from: peer, environment)
        }
    }

    /// A frame that is no payload keeps its neighbour's promise nevertheless, and is not asked for again.
    private func receivedMalformed(
        _ body: Span<UInt8>, _ reason: DropReason, from peer: PeerID, _ environment: Environment
    ) {
        intake.refuse(malformed: reason)
        guard let id = PayloadFrame.id(of: body)?.prefix else { return }
        spread.recordArrival(of: id, from: peer)
        guard historyExchange.isAwaited(id, from: peer) else { return }
        _ = historyExchange.recordArrival(of: id, from: peer, environment)
        router.recordFinal(id)
    }

    /// Judges a payload frame, and routes its payload if it is admitted.
    ///
    /// - Parameters:
    ///   - askedAt: the wall clock when the payload was asked for; nil if it came unasked.
    ///   - link: the link that it came on; nil if it came over the bridge.
    /// - Returns: the payload; nil unless it was admitted, now or before.
    @discardableResult
    func receive(
        _ frame: borrowing PayloadFrame, from origin: Origin, askedAt: Timestamp? = nil, on link: LinkInfo?,
        _ environment: Environment
    ) -> VerifiedPayload? {
        let verdict = intake.judge(frame, from: origin, environment)
        switch verdict {
        case .admitted(let payload):
            accept(payload, hops: frame.hops, from: origin, askedAt: askedAt, on: link, environment)
            return payload
        case .repeated(let payload):
            if case .live = origin, let link { recordSender(on: link) }
            apply(router.routeAgain(payload, at: environment.moment))
            routed()
            return payload
        case .dropped(let reason): refused(frame, reason, from: origin, on: link, environment)
        case .closeLink(let reason):
            if let link { close(link, .violation) } else { refused(frame, reason, from: origin, on: nil, environment) }
        case .ban(let reason):
            if let link { ban(link) } else { refused(frame, reason, from: origin, on: nil, environment) }
        }
        return nil
    }

    private func recordSender(on link: LinkInfo, isNew: Bool = false) {
        if let peer = link.peer { recordHeard(peer, on: link) }
        finder.recordSign(on: link, isNew: isNew, now: scheduler.now)
    }

    private func recordHeard(_ peer: PeerID, on link: LinkInfo) {
        if links.recordHeard(link) { finder.dials.dialler.heard(peer) }
    }

    /// Routes an admitted payload, between what its origin demands before and behind that.
    private func accept(
        _ payload: VerifiedPayload, hops: UInt8, from origin: Origin, askedAt: Timestamp?, on link: LinkInfo?,
        _ environment: Environment
    ) {
        switch origin {
        case .live:
            guard let link else { return }
            acceptLive(payload, hops: hops, on: link, environment)
        case .history(let peer):
            route(payload, askedAt: askedAt, environment)
            offerArchived()
            act { finder.recordGap(payload, isHistory: true, ownSession, connections, router.roster, $0, &$1) }
            if spread.isEngaged, spread.admitHistory(payload, environment),
                spread.takes(payload, isRelayed: true, router)
            {
                broadcast(payload, from: peer, hops: max(1, hops))
            }
            publishOverBridge(history: payload)
        case .roster:
            route(payload, environment)
            offerArchived()
            if let link { receivePresence(payload, isLive: false, on: link, environment) }
            reportBridge(of: payload.author)
            publishOverBridge(payload)
        case .sealed(_, let certificate):
            if let link { learn(certificate, from: link) } else { _ = learnBridged(certificate) }
            if let link { crowd.recordPath(to: payload.author, by: link.id, environment) }
            route(payload, environment)
            offerArchived()
        case .broker(_, isHistory: true):
            route(payload, askedAt: environment.wallClock, environment)
            offerArchived()
        case .broker(let bridge, isHistory: false):
            route(payload, environment)
            offerArchived()
            acceptBridged(payload, by: bridge, environment)
        }
    }

    private func acceptLive(
        _ admitted: VerifiedPayload, hops: UInt8, on link: LinkInfo, _ environment: Environment
    ) {
        var payload = admitted
        let isInTrees = spread.isEngaged
        if spread.takes(admitted, isRelayed: hops > 0, router) {
            let checked = withEffects { spread.check(admitted, hops: hops, on: link, environment, &intake, &$0) }
            guard let checked else { return }
            payload = checked
        }
        let (isPublic, isPresence) = (payload.type == .publicMessage, payload.type == .presence)
        if hops > 0 {
            withEffects {
                finder.recordGap(
                    payload, isHistory: false, ownSession, connections, router.roster, environment, &$0)
            }
        }
        if isPublic { intake.recordHops(hops) }
        recordSender(on: link, isNew: isPublic)
        route(payload, environment)
        if isPresence, spread.mode.isCrowd { receivePresence(payload, isLive: true, on: link, environment) }
        publishOverBridge(payload)
        if payload.isBridged, let peer = link.peer {
            withEffects { mail.recordPath(to: payload.author, via: peer, &router, &$0) }
        }
        if isPresence, payload.isBridged { router.resendUnacknowledged(to: payload.author) }
        if isPresence { reportBridge(of: payload.author) }
        guard isInTrees, let peer = link.peer, spread.takes(payload, isRelayed: hops > 0, router) else { return }
        broadcast(payload, from: peer, hops: hops)
    }

    private func route(_ payload: VerifiedPayload, askedAt: Timestamp? = nil, _ environment: Environment) {
        route(payload, askedAt: askedAt, at: environment.moment)
        routed()
    }

    /// Handles a frame whose payload was refused without a penalty for the link.
    private func refused(
        _ frame: borrowing PayloadFrame, _ reason: DropReason, from origin: Origin, on link: LinkInfo?,
        _ environment: Environment
    ) {
        switch origin {
        case .live:
            guard let link, let peer = link.peer else { return }
            var effects = Effects()
            if reason == .duplicate {
                finder.recordSign(on: link, isNew: false, now: environment.now)
                crowd.receiveRepeated(frame, environment, &effects)
            }
            spread.recordDrop(of: frame, reason, from: peer, connections, now: environment.now, &effects)
            perform(effects)
            // In a crowd its presence may have come over others before: it is heard on this link all the same.
            if environment.isCrowd, reason == .duplicate, frame.hops == 0 { recordHeard(peer, on: link) }
        case .history(let peer):
            guard reason == .stale || reason == .fromTheFuture else { return router.recordFinal(frame.id.prefix) }
            historyExchange.refuseForTime(frame.id.prefix, signedAt: frame.timestamp, from: peer, environment)
            arm(.history)
        case .roster:
            guard reason == .duplicate else { return }
            var effects = Effects()
            crowd.receiveRepeated(frame, environment, &effects)
            perform(effects)
        case .sealed: break
        case .broker(_, let isHistory): refusedFromBroker(frame, reason, isHistory: isHistory)
        }
    }
}

/// Certificates on links (Protocol.md section 9).
extension Node {
    /// Handles a certificate: the neighbour's own, one of another session of our identity, or one of a third identity.
    func receivedCertificate(_ body: Span<UInt8>, on link: LinkInfo) {
        guard let certificate = readCertificate(body, on: link) else { return }
        if certificate.identity == context.me {
            receivedOwn(certificate)
        } else if let current = link.certificate, certificate.isOfSameRun(as: current) {
            guard certificate.isBetter(than: current) || certificate.isRenewal(of: current) else { return }
            links.renew(link, certificate)
            withEffects { intake.renew(certificate, on: link, environment, &$0) }
        } else {
            learn(certificate, from: link)
        }
    }

    /// Handles a better certificate of our own identity.
    func receivedSuperseded(_ body: Span<UInt8>, on link: LinkInfo) {
        guard let certificate = readCertificate(body, on: link) else { return }
        guard certificate.identity == context.me else {
            links.tally.unexpectedFrames += 1
            return
        }
        receivedOwn(certificate)
    }

    /// The certificate in a frame, if it is a genuine one. A bad signature bans the neighbour, which has to verify certificates before
    /// it forwards them.
    private func readCertificate(_ body: Span<UInt8>, on link: LinkInfo) -> Certificate? {
        guard crowd.takesAnswer(body.count, on: link.id, now: scheduler.now) || takeRelayed(on: link) else {
            intake.refuseCertificate()
            return nil
        }
        do throws(CertificateError) {
            return try intake.readCertificate(body, environment)
        } catch .badSignature {
            ban(link)
        } catch {
            links.tally.unexpectedFrames += 1
        }
        return nil
    }

    /// Takes a token for a frame about another peer. A bridge brings those of whole networks.
    func takeRelayed(on link: LinkInfo) -> Bool {
        let rate: LinkRate = isTrustedBridge(link) ? .bridged : spread.mode.isCrowd ? .relayedInCrowd : .relayed
        return link.takeToken(rate, now: scheduler.now)
    }

    private func isTrustedBridge(_ link: LinkInfo) -> Bool { isBridge(link) && consentsToBridges }

    /// Handles a verified certificate of a third identity.
    func learn(_ certificate: Certificate, from link: LinkInfo) {
        guard let peer = link.peer else { return }
        let isBridge = isTrustedBridge(link)
        let isTaken = withEffects {
            intake.learn(certificate, from: peer, isBridge: isBridge, on: link, connections, environment, &$0)
        }
        guard isTaken else { return }
        withEffects { mail.recordPath(to: certificate.identity, via: peer, &router, &$0) }
        publishUncertified(certificate.identity)
    }

    /// Sends an author's certificate on a link, once, before the first payload of that author.
    func sendCertificate(for author: PeerID, on link: LinkInfo) {
        guard author != link.peer, let certificate = intake.certificate(of: author, now: scheduler.now) else { return }
        links.sendOnce(certificate, on: link)
        askForTurnEnd()
    }

    /// Marks a renewed certificate as unsent on links that received the previous one. A relay sends it at once, because its
    /// neighbours can seal for an author without receiving its payloads; other nodes send it with the next payload.
    func resendCertificate(of identity: PeerID) {
        for link in Array(connections.active) where links.markUnsent(identity, on: link) {
            if configuration.relaysSealed { sendCertificate(for: identity, on: link) }
        }
    }
}

/// Calls `Spread` for payloads and frames.
extension Node {
    /// Changes the mode of this node: `true` where the room is too large for links between all.
    package func setOverlay(_ isOn: Bool) { setMode(isOn ? .overlay : .mesh) }

    func setMode(_ mode: RoomMode) {
        act { finder.setMode(mode, connections, &spread, &historyExchange, $0, &$1) }
    }

    /// Sends a payload that is new here to the room: an own one, or one that came from a neighbour or over a bridge.
    ///
    /// - Parameter link: the neighbour that it came from as a frame; nil for none.
    package func broadcast(_ payload: VerifiedPayload, from link: PeerID? = nil, hops received: UInt8 = 0) {
        withEffects {
            spread.spread(
                payload, from: link, hops: received, me: context.me, connections, now: scheduler.now, &$0)
        }
    }

    func receivedTree(_ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment) {
        guard let frame = spread.readTree(body, on: link, environment) else {
            return links.tally.unexpectedFrames += 1
        }
        act { finder.receive(frame, on: link, $0, &$1) }
        // The choice of links may have ended it.
        guard !link.isForgotten else { return }
        act { spread.receive(frame, on: link, connections, router.roster, &finder, $0, &$1) }
        guard case .hello(let hello) = frame else { return }
        withEffects { spread.setOffers(of: &historyExchange, &$0) }
        if hello.isGuest { act { mail.greeted(on: link, router, &finder, $0, &$1) } }
    }

    func receivePresence(_ payload: VerifiedPayload, isLive: Bool, on link: LinkInfo, _ environment: Environment) {
        withEffects {
            crowd.receive(
                payload, isLive: isLive, on: link, connections, &router, &intake, &spread, &finder, environment, &$0)
        }
    }
}
