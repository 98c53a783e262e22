import Chat
import Wire

/// History for who joins late, and repair for who missed something (Protocol.md section 7).
extension Node {
    /// How much of a link's queue answers may fill, so that nobody is too slow because of what it asked for.
    private static let answerRoom = Outbox.capacity / 4

    private var takesPart: Bool {
        guard configuration.sharesHistory, case .running = phase else { return false }
        return true
    }

    /// A neighbour offers what it keeps of the public conversation.
    func receivedHave(_ body: Span<UInt8>, on slot: Connection) {
        guard let ids = idList(body, limit: Limits.offeredPayloads, on: slot), let peer = slot.peer else { return }
        let lacking = router.publicChat.lacking(ids)
        offers.offered(ids, by: peer, isUseful: !lacking.isEmpty)
        wants.offered(lacking, by: peer, now: scheduler.now)
        tickHistory()
    }

    /// A neighbour asks for what we offered.
    func receivedWant(_ body: Span<UInt8>, on slot: Connection) {
        guard let ids = idList(body, limit: Limits.wantedPayloads, on: slot), let peer = slot.peer else { return }
        let kept = ids.filter { router.publicChat.payload($0) != nil }
        counts.wantedInVain += ids.count - kept.count
        guard answers.wanted(kept, by: peer, now: scheduler.now) else {
            counts.wantsRefused += 1
            return
        }
        if !kept.isEmpty { offers.wanted(by: peer) }
        armHistory()
        answer(on: sendingLink(of: peer) ?? slot)
    }

    private func idList(_ body: Span<UInt8>, limit: Int, on slot: Connection) -> [UInt64]? {
        guard takesPart else { return nil }
        guard let ids = IDList.read(body, limit: limit) else {
            counts.idListsMalformed += 1
            return nil
        }
        return ids
    }

    /// Sends a portion of what the link's peer asked for; the next follows when this one is through.
    func answer(on slot: Connection) {
        guard takesPart, let peer = slot.peer, !slot.isRetiring, answers.hasSomething(for: peer) else { return }
        while slot.link.outbox.count < Node.answerRoom, let id = answers.next(for: peer, now: scheduler.now) {
            guard let payload = proven(id) else {
                // Who is convicted may be who has asked.
                guard slots[slot.id] === slot else { return }
                continue
            }
            let author = payload.payload.author
            if author != context.me { sendCertificate(for: author, on: slot) }
            slot.link.enqueue(payload.signed.frame(hops: author == context.me ? 0 : 1))
            counts.historySent += 1
            counts.sent.add(payload.payload.type)
            markDirty(slot)
        }
    }

    /// What others may be given. Who signed it falsely, on its own link, is convicted.
    private func proven(_ id: UInt64) -> VerifiedPayload? {
        switch router.verifySignature(of: id, with: &admission) {
        case .valid(let payload): return payload
        case .absent: return nil
        case .forged(let liar):
            bans.ban(liar, now: scheduler.now)
            for slot in linksByPeer[liar] ?? [] { ban(slot) }
            return nil
        }
    }

    /// Whether a payload frame is something that was asked of this link's peer; its id then.
    func awaitedID(_ body: Span<UInt8>, from peer: PeerID) -> UInt64? {
        guard wants.isAwaitingAnything(from: peer) else { return nil }
        guard let id = SignedPayload.id(inFrame: body)?.prefix else { return nil }
        return wants.isAwaited(id, from: peer) ? id : nil
    }

    /// A neighbour gives what it was asked for. What is not fit to be taken in is not asked for again.
    func receivedHistory(_ id: UInt64, _ body: Span<UInt8>, on slot: Connection) {
        guard let peer = slot.peer else { return }
        let askedAt = wants.arrived(id, from: peer) ?? scheduler.now
        counts.historyReceived += 1
        let verdict = admission.admitHistory(
            frame: body, from: peer, wallClock: scheduler.wallClock)
        switch verdict {
        case .admitted(let payload):
            apply(
                router.route(
                    payload, now: scheduler.now, wallClock: scheduler.wallClock, askedAt: wallClock(at: askedAt)))
            armRouter()
        case .repeated, .dropped:
            router.noteFinal(id)
        case .closeLink:
            drop(slot)
        case .ban:
            ban(slot)
        }
    }

    /// What the wall clock showed at an instant that is past, if it was not set since.
    private func wallClock(at instant: Instant) -> Timestamp {
        let ago = UInt64(max(0, (scheduler.now - instant).nanoseconds) / 1_000_000)
        let now = scheduler.wallClock.milliseconds
        return Timestamp(milliseconds: now - min(now, ago))
    }

    /// Tells of what was just taken in, whichever way it came.
    func noteArchived() {
        router.drainArchived { items in
            guard configuration.sharesHistory else { return }
            offers.note(items, now: scheduler.now)
            armHistory()
        }
    }

    func historyLinkOpened(to peer: PeerID) {
        guard takesPart else { return }
        offers.opened(to: peer, now: scheduler.now)
        tickHistory()
    }

    func historyLinkClosed(to peer: PeerID, _ end: LinkEnd) {
        offers.closed(to: peer, isLost: end != .goodbye, now: scheduler.now)
        wants.closed(to: peer, now: scheduler.now)
        answers.closed(to: peer)
        armHistory()
    }
}

/// What is due.
extension Node {
    private func tickHistory() {
        guard takesPart else { return }
        for offer in offers.due(now: scheduler.now, all: { router.publicChat.offer }) {
            if send(.have, offer.ids, to: offer.peer) { counts.havesSent += 1 }
        }
        for want in wants.due(now: scheduler.now, lacking: { router.publicChat.lacking($0) }) {
            if send(.want, want.ids, to: want.peer) { counts.wantsSent += 1 }
        }
        armHistory()
    }

    private func send(_ type: FrameType, _ ids: [UInt64], to peer: PeerID) -> Bool {
        guard let slot = sendingLink(of: peer) else { return false }
        slot.link.enqueue(IDList.frame(type, ids))
        markDirty(slot)
        return true
    }

    func armHistory() {
        guard let deadline = Instant.earlier(offers.nextDeadline, wants.nextDeadline),
            historyTime.arm(deadline)
        else { return }
        scheduler.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { node in
                if node.historyTime.isCurrent(deadline) { node.tickHistory() }
            }
        }
    }
}
