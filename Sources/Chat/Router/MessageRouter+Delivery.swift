package import Wire

/// Direct messages on their way: sent again until they are acknowledged, and acknowledged (Protocol.md section 8).
extension MessageRouter {
    /// A link to the peer stands that frames are sent on from now on: what it has not acknowledged goes again, with what
    /// was said while it was away. `takeReplies` has it.
    package mutating func linkReady(_ peer: PeerID) {
        _ = directChats.update(peer) { $0.queue.rewind() }
        noteDelivery(with: peer)
    }

    /// A neighbour has told of a peer: what is sealed for the peer may go there. The first such way is as good as a link.
    package mutating func pathNoted(to peer: PeerID, via neighbour: PeerID) {
        let isFirst = paths[peer].isEmpty
        paths.note(peer, via: neighbour)
        if isFirst, !roster.isOnline(peer) { linkReady(peer) }
    }

    /// Takes in a payload that was routed before and that its author sends again, because it may not know that.
    package mutating func routeAgain(
        _ payload: VerifiedPayload, now: Instant, wallClock: Timestamp
    ) -> [ChatEvent] {
        if let target = payload.payload.targetMessage {
            // Of a public message it is known already, and nobody waits for a receipt.
            guard directChats[payload.payload.author] != nil, !publicChat.messages.contains(id: target) else {
                return []
            }
        }
        return route(payload, now: now, wallClock: wallClock)
    }

    /// Whether `takeReplies` may have something to send.
    package var hasReplies: Bool { !replies.isEmpty || !peersOwedReceipts.isEmpty || !peersWithBacklog.isEmpty }

    /// Signs what waits at the end of a turn: receipts, answers that arriving payloads asked for, and what goes again.
    package mutating func takeReplies(
        in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) -> [Outgoing] {
        guard hasReplies else { return [] }
        let answers = replies.filter { isReachable($0.peer) }
        replies.removeAll(keepingCapacity: true)
        let acceptances = answers.filter { $0.answer == .acceptance }
        let departures = answers.filter { $0.answer == .departure }
        // Whoever is accepted hears that first; whoever is left hears first what has come.
        var outgoing = sign(acceptances.map { ($0.peer, $0.answer.body(to: $0.peer)) }, in: &session, at: wallClock)
        outgoing += sign(takeReceipts(), in: &session, at: wallClock)
        outgoing += sign(departures.map { ($0.peer, $0.answer.body(to: $0.peer)) }, in: &session, at: wallClock)
        return outgoing + takeBacklogs(now: now)
    }

    /// How far a direct message of ours is known to have come; nil for all others.
    package func delivery(of message: Message, in conversation: Conversation) -> Delivery? {
        switch conversation {
        case .publicRoom: nil
        case .direct(let peer): message.author == me ? directChats[peer]?.delivery(of: message.id) : nil
        }
    }

    /// Whether a peer has been sent something that it acknowledges without being asked for consent.
    package func awaitsReceipts(from peer: PeerID) -> Bool { directChats[peer]?.queue.awaitsReceipts ?? false }

    /// Gives up everything that was not acknowledged: we leave.
    package mutating func giveUp() -> [ChatEvent] {
        directChats.updateAll { $0.giveUp() }
    }

    /// Keeps payloads of ours for a peer until it acknowledges them, and sends now what may be sent.
    mutating func commit(
        _ payloads: [VerifiedPayload], to peer: PeerID, now: Instant, wallClock: Timestamp
    ) -> Outcome {
        let isLinked = isReachable(peer)
        var outcome = Outcome()
        for payload in payloads {
            outcome.events += route(payload, now: now, wallClock: wallClock)
            guard
                let (isSent, lost) = directChats.update(
                    peer, { $0.post(payload.payload, as: payload, isLinked: isLinked) })
            else { continue }
            outcome.events += lost
            if isSent, isLinked { outcome.outgoing.append(Outgoing(payload: payload, destination: .peer(peer))) }
        }
        noteDelivery(with: peer)
        return outcome
    }

    /// What a muted peer says is not shown, but acknowledged: muting is not told.
    mutating func acknowledgeHidden(_ arrival: borrowing Arrival) {
        let payload = arrival.payload
        switch payload.body {
        case .edit(let target, _), .delete(let target):
            acknowledgeChange(of: target, arrival)
        case .directMessage(let target, _, _):
            guard let peer = counterpart(in: arrival, target: target) else { return }
            receiveSilently(payload.messageId, from: peer)
        case .publicMessage, .presence, .typing, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .delivered, .read:
            return
        }
    }

    /// An edit or a deletion that is not of a public message is acknowledged, whether its message is here or not: a
    /// message that its author took back before it was sent never comes.
    mutating func acknowledgeChange(of target: MessageID, _ arrival: borrowing Arrival) {
        guard !publicChat.messages.contains(id: target), let peer = counterpart(in: arrival, target: me) else { return }
        receiveSilently(arrival.payload.messageId, from: peer)
    }

    mutating func receiveSilently(_ id: MessageID, from peer: PeerID) {
        _ = directChats.update(peer) { $0.receiveSilently(id) }
        noteDelivery(with: peer)
    }

    /// Remembers that something is to be sent to a peer, if so.
    mutating func noteDelivery(with peer: PeerID) {
        guard let chat = directChats[peer] else { return }
        if !chat.receipts.isEmpty { peersOwedReceipts.insert(peer) }
        if chat.queue.hasBacklog { peersWithBacklog.insert(peer) }
    }

    /// When more of what waits may be sent.
    var nextDelivery: Instant? {
        var next: Instant?
        for peer in peersWithBacklog { next = .earlier(next, directChats[peer]?.queue.nextDeadline) }
        return next
    }

    private mutating func takeReceipts() -> [(PeerID, PayloadBody)] {
        let reachable = peersOwedReceipts.filter { isReachable($0) }.sorted()
        peersOwedReceipts.subtract(reachable)
        return reachable.flatMap { peer in
            (directChats.update(peer) { $0.receipts.take(for: peer) } ?? []).map { (peer, $0) }
        }
    }

    private mutating func takeBacklogs(now: Instant) -> [Outgoing] {
        var outgoing: [Outgoing] = []
        for peer in peersWithBacklog.sorted() {
            guard isReachable(peer) else {
                peersWithBacklog.remove(peer)
                continue
            }
            let due = directChats.update(peer) { $0.queue.takeDue(now: now, rate: pace) } ?? []
            outgoing += due.map { Outgoing(payload: $0, destination: .peer(peer)) }
            if directChats[peer]?.queue.hasBacklog != true { peersWithBacklog.remove(peer) }
        }
        return outgoing
    }

    private func sign(
        _ bodies: [(peer: PeerID, body: PayloadBody)], in session: inout UserSession, at time: Timestamp
    ) -> [Outgoing] {
        bodies.map { peer, body in Outgoing(payload: session.sign(body, at: time), destination: .peer(peer)) }
    }
}
