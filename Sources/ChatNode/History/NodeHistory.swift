import Chat
import Wire

/// Connects `HistorySync` with links, admission and the router (Protocol.md section 7).
extension Node {
    /// Share of an outbox that answers may fill, so that a peer is not disconnected as too slow because of its own request.
    private static let answerRoom = Outbox.capacity / 4

    private var takesPart: Bool {
        guard configuration.sharesHistory, case .running = phase else { return false }
        return true
    }

    func receivedHave(_ body: Span<UInt8>, on connection: Connection) {
        guard takesPart, let peer = connection.peer else { return }
        history.receiveHave(body, from: peer, now: scheduler.now, counts: &counts) { router.publicChat.lacking($0) }
        tickHistory()
    }

    func receivedWant(_ body: Span<UInt8>, on connection: Connection) {
        guard takesPart, let peer = connection.peer else { return }
        history.receiveWant(body, from: peer, now: scheduler.now, counts: &counts) {
            router.publicChat.payload($0) != nil
        }
        arm(.history)
        answer(on: connections.sendingLink(of: peer) ?? connection)
    }

    /// Sends some of the payloads that the peer requested; the next ones follow when the outbox has drained.
    func answer(on connection: Connection) {
        guard takesPart, let peer = connection.peer, !connection.isRetiring, history.hasAnswers(for: peer) else {
            return
        }
        // Nothing more for a peer that has not read the last answer: it would wait in the memory of this machine.
        while !connection.link.outbox.isHeldUp, connection.link.outbox.count < Node.answerRoom,
            let id = history.nextAnswer(for: peer, now: scheduler.now)
        {
            guard let payload = verifiedPayload(id) else {
                // The author of a forged payload is banned, and may be the peer itself.
                guard connections[connection.id] === connection else { return }
                continue
            }
            let author = payload.payload.author
            if author != context.me { sendCertificate(for: author, on: connection) }
            connection.link.enqueue(payload.frame(hops: author == context.me ? 0 : 1))
            counts.historySent += 1
            links.tally.sent.add(payload.payload.type)
            markDirty(connection)
        }
    }

    /// The archived payload with its signature verified. A payload that its author's own link delivered was not verified
    /// before; if its signature is false, its author is banned.
    private func verifiedPayload(_ id: UInt64) -> VerifiedPayload? {
        switch router.verifySignature(of: id, with: &admission) {
        case .valid(let payload): return payload
        case .absent: return nil
        case .forged(let author):
            links.ban(author, now: scheduler.now)
            for connection in connections.links(of: author) { ban(connection) }
            return nil
        }
    }

    /// Handles a payload that was requested from this link's peer. A rejected payload is not requested again.
    func receivedHistory(_ id: UInt64, _ body: Span<UInt8>, from peer: PeerID, on connection: Connection) {
        let askedAt = history.arrived(id, from: peer) ?? scheduler.now
        counts.historyReceived += 1
        switch admission.admitHistory(frame: body, from: peer, wallClock: roomClock) {
        case .admitted(let payload):
            apply(router.route(payload, at: moment, askedAt: wallClock(at: askedAt)))
            arm(.router)
            recordGap(payload, isHistory: true)
            if overlay.isEngaged { spreadFromHistory(payload, body, from: peer) }
            publishOverBridge(history: payload)
        case .dropped(.stale), .dropped(.fromTheFuture): refuseForTime(id, body, from: peer)
        case .repeated, .dropped: router.noteFinal(id)
        case .closeLink: drop(connection)
        case .ban: ban(connection)
        }
    }

    /// Remembers a payload from history that was refused for its time alone: our clock may be wrong.
    private func refuseForTime(_ id: UInt64, _ body: Span<UInt8>, from peer: PeerID) {
        guard takesPart, let time = SignedPayload.time(inFrame: body) else { return }
        let (now, latest) = (roomClock, roomClock.moved(by: Int64(Limits.freshnessMilliseconds)))
        let wait: Duration? = time > now ? .milliseconds(time > latest ? time.distance(to: latest) : 0) : nil
        history.refuseForTime(id, from: peer, wait: wait, now: scheduler.now)
        arm(.history)
    }

    /// Opens again what was refused for its time: all of it once the clock has moved, else what may be said by now.
    func reopenRefused(isAll: Bool = true) {
        guard takesPart else { return }
        for id in history.reopenRefused(isAll: isAll, now: scheduler.now) { overlay.reopen(id) }
        arm(.history)
    }

    /// The reading of the wall clock at a past instant, if the clock was not set since.
    private func wallClock(at instant: Instant) -> Timestamp {
        let ago = UInt64(max(0, (scheduler.now - instant).nanoseconds) / 1_000_000)
        let now = scheduler.wallClock.milliseconds
        return Timestamp(milliseconds: now - min(now, ago))
    }

    /// Offers the payloads that were archived since the last call.
    func noteArchived() {
        router.drainArchived { items in
            guard configuration.sharesHistory else { return }
            history.note(items, now: scheduler.now)
            arm(.history)
        }
    }

    func historyLinkOpened(to peer: PeerID, at endpoint: Endpoint) {
        guard takesPart else { return }
        history.linkOpened(to: peer, from: endpoint.giver ?? Giver(peer), now: scheduler.now)
        tickHistory()
    }

    func historyLinkClosed(to peer: PeerID, _ end: LinkEnd) {
        history.linkClosed(to: peer, end, now: scheduler.now)
        arm(.history)
    }

    func tickHistory() {
        guard takesPart else { return }
        reopenRefused(isAll: false)
        for listing in history.due(now: scheduler.now, archive: router.publicChat) {
            guard let connection = connections.sendingLink(of: listing.peer) else { continue }
            connection.link.enqueue(IDList.frame(listing.type, listing.ids))
            markDirty(connection)
            if listing.type == .have { counts.havesSent += 1 } else { counts.wantsSent += 1 }
        }
        arm(.history)
    }
}
