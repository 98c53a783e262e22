import Chat
import Noise
import Wire

/// The life of links: opened, established, the better of two kept, ended (Protocol.md sections 3 and 9).
extension Node {
    /// How long a replaced link is still read.
    private static let retirement = Duration.seconds(2)

    func open(_ id: ConnectionID, to endpoint: Endpoint, role: Link.Role) {
        let link = links.open(id, to: endpoint, role: role, now: scheduler.now, using: &randomness)
        askForTurnEnd()
        arm(link)
    }

    /// Handles everything that `buffer` completes on a link, in order.
    func receive(_ buffer: [UInt8], count: Int, on link: LinkInfo) {
        let now = scheduler.now
        var reader = links.beginReading(link)
        while let event = reader.next(in: buffer.span.extracting(first: count), context: links.context, now: now) {
            switch event {
            case .established(let certificate): established(link, certificate)
            case .frame(let type, let body): received(type, reader.plaintext.span.extracting(body), on: link)
            case .failed(let error): close(link, .failed(error))
            }
            flushFullBatch()
        }
        links.endReading(reader, count: count)
        guard !link.isForgotten else { return }
        links.markDirtyIfWaiting(link)
        askForTurnEndIfDirty()
        arm(link)
    }

    /// A handshake is complete: the link is admitted, and its peer known.
    private func established(_ link: LinkInfo, _ certificate: Certificate) {
        let (peer, now) = (certificate.identity, scheduler.now)
        links.tally.handshakesDone += 1
        finder.handshakeEnded(on: link.id)
        guard peer != context.me else { return metOurselves(certificate, on: link) }
        let isBlocked = router.roster.isBlocked(peer)
        let isShutOut = links.isBanned(peer, now: now) || isBlocked
        let news = intake.news(of: certificate, environment)
        if case .worse(let best) = news, !isShutOut { return close(link, .superseded(by: best)) }
        guard !isShutOut, links.admit(link, now: now) else {
            links.tally.connectionsRefused += 1
            if isBlocked { finder.metBlocked(peer, certificate.noise, on: link.id, now: now, using: &randomness) }
            return close(link, .refused)
        }
        let isWelcome = mail.established(link.id, with: peer, now: now) { isAccepted($0) }
        arm(.mail)
        guard isWelcome else { return close(link, .refused) }
        intake.keep(certificate, environment)
        let instance = finder.identified(link.id, as: peer, certificate.noise, now: now, using: &randomness)
        linkUp(link, certificate, dialled: instance)
        if news == .better {
            withEffects { intake.supersede(by: certificate, from: link.id, connections, &$0) }
        }
    }

    /// The parts that hear of a new link, in order.
    ///
    /// - Parameter instance: the candidate that was dialled; nil for a link that the peer has opened.
    private func linkUp(_ link: LinkInfo, _ certificate: Certificate, dialled instance: String?) {
        let (peer, now) = (certificate.identity, scheduler.now)
        let adoption = links.adopt(link, certificate, now: now)
        for loser in adoption.losers { close(loser, .replaced) }
        withEffects { finder.linkOpened(to: peer, certificate.noise, now: now, &$0) }
        intake.learnEpoch(of: certificate, environment)
        if adoption.isFirst {
            withEffects { finder.found(peer, &$0) }
            if router.roster.hasBeenHere(peer) { links.tally.reconnects += 1 }
            apply(router.linkOpened(peer, at: moment))
            arm(.router)
        }
        router.setGiver(link.endpoint.giver, of: peer)
        let isGuest = mail.isGuest(link.id)
        withEffects {
            finder.choose(
                link, of: peer, dialled: instance, isActive: adoption.isActive, isGuest: isGuest, environment, &$0)
        }
        introduceOurselves(on: link)
        if adoption.isActive {
            router.linkReady(peer)
            historyExchange.linkOpened(to: peer, from: link.endpoint.giver ?? Giver(peer), environment)
            tickHistory()
            introduceElsewhere(on: link)
            if case .running = phase {
                spread.linkOpened(
                    to: peer, on: link, isGuest: isGuest, connections, now: now, using: &randomness)
                arm(.overlay)
            }
            withEffects { finder.linkIsActive(link, of: peer, environment, spread.neighbours, &$0) }
        }
        conversations.peerMet(now: now)
        reviewRoom()
    }

    private func introduceOurselves(on link: LinkInfo) {
        if links.hasOutdatedCertificate(link) {
            links.send(context.certificate, as: .certificate, on: link)
            // With the longest profile it would not fit in the next record.
            links.sealOpening(link)
        }
        // First, so that a peer without room says so before it takes in anything else.
        if spread.isOn { greet(link) }
        links.enqueue(presenceForLink().signed.frame(hops: 0), on: link)
        links.ping(link, now: scheduler.now, using: &randomness)
        sendClock(on: link)
        links.sealOpening(link)
        links.tally.payloadsSent += 1
        links.tally.sent.add(.presence)
        askForTurnEnd()
        arm(link)
    }

    /// The peer said goodbye: its reason decides how its link ends.
    func receivedGoodbye(_ reason: UInt8?, on link: LinkInfo) {
        guard reason == GoodbyeReason.replaced.rawValue else {
            close(link, .farewell(reason: reason))
            if reason == GoodbyeReason.leaving.rawValue, let peer = link.peer, let certificate = link.certificate {
                finder.departed(peer, certificate.noise)
            }
            return
        }
        links.recordPeerRetired(link)
        if link.isRetiring { return close(link, .farewell(reason: reason)) }
        // Until the link that replaces this one is up here too, it is the only way to reach the peer.
        let others = link.peer.map { connections.links(of: $0) } ?? []
        if others.contains(where: { $0.id != link.id && !$0.isRetiring }) { close(link, .replaced) }
    }

    /// Ends a link, as the tables of `Closing` say. Every end of a link begins here.
    func close(_ link: LinkInfo, _ closing: Closing) {
        if case .replaced = closing, link.isRetiring { return }
        links.begin(closing, on: link, now: scheduler.now)
        askForTurnEndIfDirty()
        if case .failed(.unanswered) = closing { probeOthers(than: link) }
        if case .failed(.connectedToSelf) = closing { finder.ignore(link.id) }
        if case .replaced = closing { links.retire(link) }
        switch closing.manner {
        case .abort, .ended: end(link, closing.end, closing.manner)
        case .finish: finish(link, closing.end)
        case .linger: if link.peerRetired { finish(link, closing.end) } else { finishLater(link, closing.end) }
        }
        if closing.isSilence, let peer = link.peer {
            withEffects { finder.fellSilent(peer, environment, connections, &$0) }
        }
    }

    private func finishLater(_ link: LinkInfo, _ end: LinkEnd) {
        scheduler.schedule(at: scheduler.now + Node.retirement) { [weak self, id = link.id] in
            self?.assumeIsolated { node in
                if let link = node.connections[id] { node.finish(link, end) }
            }
        }
    }

    /// Sends waiting frames, and ends a link.
    private func finish(_ link: LinkInfo, _ end: LinkEnd) {
        sendReplies()
        flush(link)
        if !link.isForgotten { self.end(link, end, .finish) }
    }

    private func end(_ link: LinkInfo, _ end: LinkEnd, _ manner: Closing.Manner) {
        if !link.isForgotten { linkDown(link, end) }
        links.release(link, manner)
    }

    /// The parts that hear of the end of a link, in order; the end of a peer's last link makes it go offline.
    private func linkDown(_ link: LinkInfo, _ end: LinkEnd) {
        let (isLast, isLastOfRun) = links.remove(link, now: scheduler.now)
        crowd.linkClosed(link.id)
        mail.closed(link.id)
        finder.connectionEnded(link.id)
        linkIsThrough()
        defer { arm(.dialler) }
        guard let peer = link.peer else {
            arm(.mail)
            return dialEnded(link.id, .foreign)
        }
        if isLastOfRun, let certificate = link.certificate {
            discoveries.forEach { $0.linkClosed(to: LinkedRun(certificate.noise)) }
        }
        guard isLast else { return }
        forgetClock(of: peer)
        crowd.lastLinkClosed(of: peer, link.id, end, environment)
        apply(router.linkClosed(peer, end, staysHere: crowd.isHere(peer), at: moment))
        if isCrowd, router.isUnacknowledged(by: peer) { router.linkReady(peer) }
        historyExchange.linkClosed(to: peer, end, now: scheduler.now)
        arm(.history)
        spread.linkClosed(to: peer, now: scheduler.now)
        arm(.overlay)
        withEffects {
            finder.lastLinkEnded(of: peer, environment, connections, spread.neighbours, using: &randomness, &$0)
        }
        reviewRoom()
        arm(.router)
    }

    /// Our own network has changed: the links may be dead.
    func probeLinks() {
        for link in connections.all { probe(link, within: Limits.probeTimeout) }
    }

    /// A neighbour was found dead: others may have died with it.
    private func probeOthers(than dead: LinkInfo) {
        guard spread.isOn else { return }
        for link in Array(connections.active) where link.id != dead.id { probe(link, within: Limits.suspicionTime) }
    }

    func probe(_ link: LinkInfo, within timeout: Duration) {
        links.probe(link, within: timeout, now: scheduler.now, using: &randomness)
        askForTurnEnd()
        arm(link)
    }

    /// Writes the frames that wait on a link, as far as the network takes them.
    func flush(_ link: LinkInfo) {
        guard !link.isForgotten else { return }
        do throws(LinkError) {
            if try links.flush(link, now: scheduler.now) { arm(link) }
        } catch {
            close(link, .failed(error))
        }
        if link.queuedBytes == 0 { linkIsThrough() }
        answer(on: link)
    }

    /// A queue is empty or its link gone: waiting senders may go on.
    private func linkIsThrough() {
        wakeSenders()
        if case .leaving = phase { askForTurnEnd() }
    }

    /// Sets the timer of a link.
    func arm(_ link: LinkInfo) {
        guard let deadline = links.takeDeadline(link) else { return }
        scheduler.schedule(at: deadline) { [weak self, id = link.id] in
            self?.assumeIsolated { node in
                if let link = node.links.due(id, at: deadline) { node.tick(link) }
            }
        }
    }

    private func tick(_ link: LinkInfo) {
        watchClock()
        do throws(LinkError) {
            try links.tick(link, now: scheduler.now, using: &randomness)
            askForTurnEndIfDirty()
            arm(link)
        } catch {
            close(link, .failed(error))
        }
    }
}
