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
    }

    /// How long a replaced link is still read.
    static let retirement = Duration.seconds(2)

    func open(_ id: ConnectionID, to endpoint: Endpoint, role: Link.Role) {
        let link = Link(role: role, context: context, now: scheduler.now, using: &randomness)
        let slot = Connection(id: id, endpoint: endpoint, link: link, ours: context.certificate, now: scheduler.now)
        slots[id] = slot
        markDirty(slot)
        arm(slot)
    }

    /// Everything that `buffer` completes on a link, in order.
    func receive(_ buffer: [UInt8], count: Int, on slot: Connection) {
        let (unknown, unanswered) = (slot.link.unknownFrames, slot.link.unansweredPings)
        let now = scheduler.now
        // Taken out while frames lie in it: who acts on them need not look it up in the node again.
        var plaintext = exchange(&self.plaintext, with: [])
        defer { self.plaintext = plaintext }
        var position = 0
        while !slot.isForgotten {
            let event = slot.link.next(
                in: buffer.span.extracting(first: count), from: &position, plaintext: &plaintext, context: context,
                now: now)
            guard let event else { break }
            switch event {
            case .established(let certificate): established(slot, certificate)
            case .frame(let type, let body): received(type, plaintext.span.extracting(body), on: slot)
            case .failed(let error): fail(slot, error)
            }
            flushFullBatch()
        }
        counts.bytesReceived += count
        counts.unknownFrames += slot.link.unknownFrames - unknown
        counts.pingsUnanswered += slot.link.unansweredPings - unanswered
        guard !slot.isForgotten else { return }
        if slot.link.hasSomethingToSend { markDirty(slot) }
        arm(slot)
    }

    private func established(_ slot: Connection, _ certificate: Certificate) {
        let peer = certificate.identity
        let now = scheduler.now
        counts.handshakesDone += 1
        guard peer != context.me else { return metOurselves(certificate, on: slot) }
        let isShutOut = bans.isBanned(peer, now: now) || router.roster.isBlocked(peer)
        let news = certificates.news(of: certificate, now: now)
        if case .worse(let best) = news, !isShutOut { return supersede(slot, by: best) }
        guard !isShutOut, gate.openLink(slot.endpoint, role: slot.link.role, now: now) else {
            counts.connectionsRefused += 1
            if router.roster.isBlocked(peer) {
                dialler.identified(slot.id, as: peer, certificate.noise, now: now, using: &randomness)
                dialler.shutOut(peer, certificate.noise)
            }
            drop(slot)
            return
        }
        gate.release(slot.endpoint, from: slot.standing)
        slot.standing = .link(slot.link.role)
        slot.certificate = certificate
        slot.establishedAt = now
        certificates.keep(certificate, now: now)
        dialler.identified(slot.id, as: peer, certificate.noise, now: now, using: &randomness)
        adopt(slot, of: peer)
        if news == .better {
            supersedeRuns(before: certificate)
            passOn(certificate, from: slot)
        }
    }

    /// Decides which of a peer's links are kept, and greets a peer that had none.
    private func adopt(_ slot: Connection, of peer: PeerID) {
        let others = linksByPeer[peer] ?? []
        let winner = others.last { !$0.isRetiring }.map { better(slot, $0) } ?? slot
        linksByPeer[peer] = winner === slot ? others + [slot] : [slot] + others
        if winner === slot, others.contains(where: { !$0.isRetiring }) { counts.linksReplaced += 1 }
        for loser in linksByPeer[peer] ?? [] where loser !== winner && isOfSameRun(loser, winner) { retire(loser) }
        chooseActiveLinks()
        if let certificate = slot.certificate {
            dialler.linkOpened(to: peer, certificate.noise, now: scheduler.now)
            discoveries.forEach { $0.linkOpened(to: LinkedRun(certificate.noise)) }
        }
        _ = admission.learn(epoch: slot.certificate?.epoch ?? 0, of: peer, via: nil, now: scheduler.now)
        if others.isEmpty {
            if router.roster.hasBeenHere(peer) { counts.reconnects += 1 }
            apply(router.linkOpened(peer, now: scheduler.now, wallClock: scheduler.wallClock))
            armRouter()
        }
        introduceOurselves(on: slot)
        if winner === slot {
            router.linkReady(peer)
            historyLinkOpened(to: peer)
        }
        lastMetAt = scheduler.now
    }

    /// The link that frames for a peer go to.
    func sendingLink(of peer: PeerID) -> Connection? {
        linksByPeer[peer].flatMap(Node.sendingLink(among:))
    }

    private static func sendingLink(among slots: [Connection]) -> Connection? {
        slots.last { !$0.isRetiring }
    }

    /// In the order of connections, not of a dictionary: a seed reproduces a run to the byte.
    private func chooseActiveLinks() {
        activeLinks = linksByPeer.values.compactMap(Node.sendingLink(among:)).sorted { $0.id < $1.id }
    }

    /// Of two links between the same peers, the one whose initiator has the smaller key; both sides come to the same
    /// result. With the same initiator, of a later run, or when the older one had its time, the newer link: who dials
    /// again has nothing of the older one any more.
    private func better(_ new: Connection, _ old: Connection) -> Connection {
        guard isOfSameRun(new, old), let first = new.initiator(me: context.me),
            let second = old.initiator(me: context.me), first != second,
            scheduler.now - old.establishedAt < Limits.crossingTime
        else { return new }
        return first < second ? new : old
    }

    private func isOfSameRun(_ one: Connection, _ other: Connection) -> Bool {
        guard let first = one.certificate, let second = other.certificate else { return false }
        return first.isOfSameRun(as: second)
    }

    private func introduceOurselves(on slot: Connection) {
        if slot.ours != context.certificate { sendCertificate(context.certificate, as: .certificate, on: slot) }
        slot.link.enqueue(session.signPresence(at: scheduler.wallClock).signed.frame(hops: 0))
        slot.link.ping(now: scheduler.now, using: &randomness)
        counts.payloadsSent += 1
        counts.sent.add(.presence)
        markDirty(slot)
        arm(slot)
    }

    /// Says that nothing more comes on this link; it is read until the peer says the same, or for 2 s.
    private func retire(_ slot: Connection) {
        guard !slot.isRetiring else { return }
        slot.link.enqueue([FrameType.goodbye.rawValue, GoodbyeReason.replaced.rawValue])
        slot.isRetiring = true
        chooseActiveLinks()
        markDirty(slot)
        if slot.peerRetired { finish(slot) } else { finishLater(slot) }
    }

    /// Ends a link after 2 s, in which what the peer still has to say is read.
    func finishLater(_ slot: Connection) {
        scheduler.schedule(at: scheduler.now + Node.retirement) { [weak self, id = slot.id] in
            self?.assumeIsolated { node in
                if let slot = node.slots[id] { node.finish(slot) }
            }
        }
    }

    /// The peer said goodbye: its reason decides what that means.
    func farewell(_ reason: UInt8?, on slot: Connection) {
        // A superseded session's peer has not gone: its later session is, or will be, here.
        if reason == GoodbyeReason.superseded.rawValue { return finish(slot, .lost) }
        guard reason == GoodbyeReason.replaced.rawValue else { return finish(slot, .goodbye) }
        slot.peerRetired = true
        // Until the link that replaces this one is up here too, it is the only way to reach the peer.
        let hasAnother = (slot.peer.flatMap { linksByPeer[$0] } ?? []).contains { $0 !== slot && !$0.isRetiring }
        if slot.isRetiring { finish(slot) } else if hasAnother { retire(slot) }
    }

    /// Ends a link politely: what it has still to say is said.
    func finish(_ slot: Connection, _ end: LinkEnd = .lost) {
        sendReplies()
        flush(slot)
        guard !slot.isForgotten else { return }
        forget(slot, end)
        transport.finish(slot.id)
    }

    /// Our own network has changed: what links go over may be gone.
    func probeLinks() {
        for slot in slots.values.sorted(by: { $0.id < $1.id }) {
            slot.link.probe(now: scheduler.now, using: &randomness)
            markDirty(slot)
            arm(slot)
        }
    }

    /// Ends a link at once, because of what came on it or did not come.
    func fail(_ slot: Connection, _ error: LinkError) {
        counts.count(error)
        if error == .connectedToSelf { dialler.ignore(slot.id) }
        drop(slot, error == .silent ? .silent : .lost)
    }

    /// Ends a link at once, without a reason of its own.
    func drop(_ slot: Connection, _ end: LinkEnd = .lost) {
        forget(slot, end)
        transport.close(slot.id)
    }

    /// Takes a connection out of every table; the last link of a peer makes it go offline.
    ///
    /// - Parameter end: how the connection ended, which decides how long the peer may take to come back unnoticed.
    func forget(_ slot: Connection, _ end: LinkEnd) {
        guard !slot.isForgotten else { return }
        slot.isForgotten = true
        slots[slot.id] = nil
        slot.link.die()
        gate.release(slot.endpoint, from: slot.standing)
        linkIsThrough()
        defer { armDialler() }
        guard let peer = slot.peer else { return dialFailed(slot.id) }
        linksByPeer[peer]?.removeAll { $0 === slot }
        chooseActiveLinks()
        tellRunEnded(of: slot)
        guard linksByPeer[peer]?.isEmpty ?? false else { return }
        linksByPeer[peer] = nil
        clock.forget(peer)
        router.paths.lose(peer)
        apply(router.linkClosed(peer, end, now: scheduler.now, wallClock: scheduler.wallClock))
        historyLinkClosed(to: peer, end)
        dialler.linkClosed(to: peer, now: scheduler.now, using: &randomness)
        armRouter()
    }

    /// Tells discovery if this was the last link to a run.
    private func tellRunEnded(of slot: Connection) {
        guard let certificate = slot.certificate,
            let others = slot.peer.flatMap({ linksByPeer[$0] }), !others.contains(where: { isOfSameRun($0, slot) })
        else { return }
        discoveries.forEach { $0.linkClosed(to: LinkedRun(certificate.noise)) }
    }

    /// Writes what is sealed before the turn ends where that is much: a burst then needs no large buffers.
    func flushIfLarge(_ slot: Connection) {
        slot.link.flushIfLarge { write($0, on: slot) }
    }

    private func write(_ bytes: Span<UInt8>, on slot: Connection) -> Int {
        let count = transport.write(bytes, to: slot.id)
        counts.bytesSent += count
        return count
    }

    /// Writes what waits on a link, as far as the network takes it.
    func flush(_ slot: Connection) {
        guard !slot.isForgotten else { return }
        do throws(LinkError) {
            try slot.link.flush { write($0, on: slot) }
        } catch {
            fail(slot, error)
        }
        if slot.link.outbox.isEmpty { linkIsThrough() }
        answer(on: slot)
    }

    /// A queue is empty or its link gone: waiting senders may go on.
    private func linkIsThrough() {
        wakeSenders()
        if case .leaving = phase { askForTurnEnd() }
    }
}
