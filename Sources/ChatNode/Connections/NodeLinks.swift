import Chat
import Noise
import Wire

/// The life of links: opened, established, the better of two kept, closed (Protocol.md sections 3 and 9).
extension Node {
    /// Why a peer says goodbye: the body of a goodbye frame (Protocol.md section 5).
    enum GoodbyeReason: UInt8 {
        case leaving = 0
        /// Another link to the same peer took over.
        case replaced = 1
        case superseded = 2
        /// Neither end has chosen the link (Protocol.md section 13).
        case unneeded = 3
    }

    /// How long a replaced link is still read.
    static let retirement = Duration.seconds(2)

    func open(_ id: ConnectionID, to endpoint: Endpoint, role: Link.Role) {
        let link = Link(role: role, context: context, now: scheduler.now, using: &randomness)
        let connection = Connection(
            id: id, endpoint: endpoint, link: link, ours: context.certificate, now: scheduler.now)
        connection.link.isMute = isSilent
        connections.add(connection)
        markDirty(connection)
        arm(connection)
    }

    /// Everything that `buffer` completes on a link, in order.
    func receive(_ buffer: [UInt8], count: Int, on connection: Connection) {
        let (unknown, unanswered) = (connection.link.unknownFrames, connection.link.unansweredPings)
        let now = scheduler.now
        // Taken out while frames lie in it: who acts on them need not look it up in the node again.
        var plaintext = exchange(&self.plaintext, with: [])
        defer { self.plaintext = plaintext }
        var position = 0
        while !connection.isForgotten {
            let event = connection.link.next(
                in: buffer.span.extracting(first: count), from: &position, plaintext: &plaintext, context: context,
                now: now)
            guard let event else { break }
            switch event {
            case .established(let certificate): established(connection, certificate)
            case .frame(let type, let body): received(type, plaintext.span.extracting(body), on: connection)
            case .failed(let error): fail(connection, error)
            }
            flushFullBatch()
        }
        counts.bytesReceived += count
        counts.unknownFrames += connection.link.unknownFrames - unknown
        counts.pingsUnanswered += connection.link.unansweredPings - unanswered
        guard !connection.isForgotten else { return }
        if connection.link.hasSomethingToSend { markDirty(connection) }
        arm(connection)
    }

    private func established(_ connection: Connection, _ certificate: Certificate) {
        let peer = certificate.identity
        let now = scheduler.now
        counts.handshakesDone += 1
        finder.handshakeEnded(on: connection.id)
        guard peer != context.me else { return metOurselves(certificate, on: connection) }
        let isShutOut = bans.isBanned(peer, now: now) || router.roster.isBlocked(peer)
        let news = certificates.news(of: certificate, now: now)
        if case .worse(let best) = news, !isShutOut { return supersede(connection, by: best) }
        guard !isShutOut, limiter.openLink(connection.endpoint, role: connection.link.role, now: now) else {
            counts.connectionsRefused += 1
            if router.roster.isBlocked(peer) {
                finder.metBlocked(peer, certificate.noise, on: connection.id, now: now, using: &randomness)
            }
            drop(connection)
            return
        }
        limiter.release(connection.endpoint, from: connection.standing)
        connection.standing = .link(connection.link.role)
        guard establishedGuest(connection, peer) else { return drop(connection) }
        connection.certificate = certificate
        connection.establishedAt = now
        certificates.keep(certificate, now: now)
        let instance = finder.identified(connection.id, as: peer, certificate.noise, now: now, using: &randomness)
        adopt(connection, of: peer, dialled: instance)
        if news == .better {
            supersedeRuns(before: certificate)
            passOn(certificate, from: connection)
        }
    }

    /// Decides which of a peer's links are kept, and greets a peer that had none.
    ///
    /// - Parameter instance: the candidate that was dialled; nil for a link that the peer has opened.
    private func adopt(_ connection: Connection, of peer: PeerID, dialled instance: String?) {
        let adoption = connections.adopt(connection, of: peer, now: scheduler.now)
        if adoption.hasReplaced { counts.linksReplaced += 1 }
        for loser in adoption.losers { retire(loser) }
        if let certificate = connection.certificate {
            withEffects { finder.linkOpened(to: peer, certificate.noise, now: scheduler.now, &$0) }
        }
        _ = admission.learn(epoch: connection.certificate?.epoch ?? 0, of: peer, via: nil, now: scheduler.now)
        if adoption.isFirst {
            withEffects { finder.found(peer, &$0) }
            if router.roster.hasBeenHere(peer) { counts.reconnects += 1 }
            apply(router.linkOpened(peer, now: scheduler.now, wallClock: scheduler.wallClock))
            arm(.router)
        }
        router.setGiver(connection.endpoint.giver, of: peer)
        withEffects {
            finder.choose(
                LinkInfo(connection), of: peer, dialled: instance, isActive: adoption.isActive,
                isGuest: people.guests.isGuest(connection.id), environment, &$0)
        }
        introduceOurselves(on: connection)
        if adoption.isActive {
            router.linkReady(peer)
            historyLinkOpened(to: peer, at: connection.endpoint)
            introduceElsewhere(on: connection)
            overlayLinkOpened(
                to: peer, isOutgoing: connection.link.role == .initiator,
                isGuest: people.guests.isGuest(connection.id))
            withEffects {
                finder.linkIsActive(LinkInfo(connection), of: peer, environment, overlay.neighbours, &$0)
            }
        }
        pacer.met(now: scheduler.now)
        reviewRoom()
    }

    private func introduceOurselves(on connection: Connection) {
        if connection.ours != context.certificate {
            sendCertificate(context.certificate, as: .certificate, on: connection)
            // With the longest profile it would not fit in the next record.
            connection.link.sealOpening()
        }
        // First, so that a peer without room says so before it takes in anything else.
        if overlay.isOn { greet(connection) }
        connection.link.enqueue(presenceForLink().signed.frame(hops: 0))
        connection.link.ping(now: scheduler.now, using: &randomness)
        tellClock(on: connection)
        connection.link.sealOpening()
        counts.payloadsSent += 1
        counts.sent.add(.presence)
        markDirty(connection)
        arm(connection)
    }

    /// Says that nothing more comes on this link; it is read until the peer says the same, or for 2 s.
    private func retire(_ connection: Connection) {
        guard !connection.isRetiring else { return }
        connection.link.enqueue([FrameType.goodbye.rawValue, GoodbyeReason.replaced.rawValue])
        connection.isRetiring = true
        connections.retired()
        markDirty(connection)
        if connection.peerRetired { finish(connection) } else { finishLater(connection) }
    }

    /// Ends a link after 2 s, in which what the peer still has to say is read.
    func finishLater(_ connection: Connection) {
        scheduler.schedule(at: scheduler.now + Node.retirement) { [weak self, id = connection.id] in
            self?.assumeIsolated { node in
                if let connection = node.connections[id] { node.finish(connection) }
            }
        }
    }

    /// The peer said goodbye: its reason decides what that means.
    func farewell(_ reason: UInt8?, on connection: Connection) {
        // A superseded session's peer has not gone: its later session is, or will be, here.
        if reason == GoodbyeReason.superseded.rawValue { return finish(connection, .lost) }
        guard reason == GoodbyeReason.replaced.rawValue else {
            finish(connection, .goodbye)
            if reason == GoodbyeReason.leaving.rawValue { noteDeparted(connection) }
            return
        }
        connection.peerRetired = true
        // Until the link that replaces this one is up here too, it is the only way to reach the peer.
        let hasAnother = (connection.peer.map { connections.links(of: $0) } ?? []).contains {
            $0 !== connection && !$0.isRetiring
        }
        if connection.isRetiring { finish(connection) } else if hasAnother { retire(connection) }
    }

    /// The run behind a link has left.
    private func noteDeparted(_ connection: Connection) {
        guard let peer = connection.peer, let certificate = connection.certificate else { return }
        finder.departed(peer, certificate.noise)
    }

    /// Ends a link politely: what it has still to say is said.
    func finish(_ connection: Connection, _ end: LinkEnd = .lost) {
        sendReplies()
        flush(connection)
        guard !connection.isForgotten else { return }
        forget(connection, end)
        transport.finish(connection.id)
    }

    /// Our own network has changed: what links go over may be gone.
    func probeLinks() {
        for connection in connections.all {
            connection.link.probe(now: scheduler.now, using: &randomness)
            markDirty(connection)
            arm(connection)
        }
    }

    /// Ends a link at once, because of what came on it or did not come.
    func fail(_ connection: Connection, _ error: LinkError) {
        counts.count(error)
        if error == .unanswered { probeOthers(than: connection) }
        if error == .connectedToSelf { finder.ignore(connection.id) }
        drop(connection, error == .silent ? .silent : .lost)
        if error == .silent || error == .unanswered { fellSilent(connection) }
    }

    /// Nothing comes from the peer of a lost link.
    func fellSilent(_ connection: Connection) {
        guard let peer = connection.peer else { return }
        withEffects { finder.fellSilent(peer, environment, connections, &$0) }
    }

    /// Ends a link at once, without a reason of its own.
    func drop(_ connection: Connection, _ end: LinkEnd = .lost) {
        forget(connection, end)
        transport.close(connection.id)
    }

    /// Takes a connection out of every table; the last link of a peer makes it go offline.
    ///
    /// - Parameter end: how the connection ended, which decides how long the peer may take to come back unnoticed.
    func forget(_ connection: Connection, _ end: LinkEnd) {
        guard !connection.isForgotten else { return }
        connection.isForgotten = true
        connections.remove(connection)
        counts.control += connection.link.control
        connection.link.die()
        limiter.release(connection.endpoint, from: connection.standing)
        people.linkClosed(connection.id)
        finder.connectionEnded(connection.id)
        linkIsThrough()
        defer { arm(.dialler) }
        guard let peer = connection.peer else {
            arm(.people)
            return dialEnded(connection.id, .foreign)
        }
        let (isLast, isLastOfRun) = connections.removeLink(connection, of: peer)
        if isLastOfRun, let certificate = connection.certificate {
            discoveries.forEach { $0.linkClosed(to: LinkedRun(certificate.noise)) }
        }
        guard isLast else { return }
        if !connection.isHeard { noteSilent(connection) }
        forgetClock(of: peer)
        router.paths.lose(peer)
        endPresence(of: peer, connection, end)
        apply(
            router.linkClosed(
                peer, end, staysHere: people.presences.isHere(peer), now: scheduler.now,
                wallClock: scheduler.wallClock))
        if isCrowd, router.isUnacknowledged(by: peer) { router.linkReady(peer) }
        historyLinkClosed(to: peer, end)
        overlayLinkClosed(to: peer)
        withEffects {
            finder.lastLinkEnded(of: peer, environment, connections, overlay.neighbours, using: &randomness, &$0)
        }
        reviewRoom()
        arm(.router)
    }

    /// A lost link says nothing about who is in a crowd; in a small room it ends a presence from the time of a crowd, too.
    private func endPresence(of peer: PeerID, _ connection: Connection, _ end: LinkEnd) {
        if !isCrowd { people.presences.remove(peer) }
        // A peer of a small room that ended its link is gone, unless its presence came by others first.
        if overlay.isRelaying, end != .lost, people.paths[PresencePaths.key(of: peer)] == connection.id {
            people.presences.end(peer)
        }
    }

    /// A link ended before its peer said anything, as those of a stranger do that only reads certificates. The links that others
    /// open are counted as handshakes when they are admitted.
    private func noteSilent(_ connection: Connection) {
        counts.linksSilent += 1
        if connection.link.role == .initiator { silentLinks.note(connection.endpoint, now: scheduler.now) }
    }

    /// Writes what is sealed before the turn ends where that is much: a burst then needs no large buffers.
    func flushIfLarge(_ connection: Connection) {
        connection.link.flushIfLarge { write($0, on: connection) }
    }

    private func write(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        let count = transport.write(bytes, to: connection.id)
        counts.bytesSent += count
        return count
    }

    /// Writes what waits on a link, as far as the network takes it.
    func flush(_ connection: Connection) {
        guard !connection.isForgotten else { return }
        do throws(LinkError) {
            try connection.link.flush { write($0, on: connection) }
            let isSlow = connection.link.watchReader(
                now: scheduler.now, unacknowledged: transport.unacknowledged(by: connection.id))
            if isSlow { arm(connection) }
        } catch {
            fail(connection, error)
        }
        if connection.link.outbox.isEmpty { linkIsThrough() }
        answer(on: connection)
    }

    /// A queue is empty or its link gone: waiting senders may go on.
    private func linkIsThrough() {
        wakeSenders()
        if case .leaving = phase { askForTurnEnd() }
    }
}
