package import Wire

/// Delivery of direct messages: retransmission and receipts (Protocol.md section 8).
extension MessageRouter {
    /// Notes that frames can be sent on a link to the peer: `takeReplies` sends what is not acknowledged and what was
    /// said meanwhile.
    package mutating func linkReady(_ peer: PeerID) {
        let owesAcceptance = directChats.update(peer) { $0.linkReady() }
        if owesAcceptance == true { reply(.acceptance, to: peer) }
        noteDelivery(with: peer)
    }

    /// Notes that a neighbour can pass sealed payloads on to a peer. The first path counts as a link.
    package mutating func pathNoted(to peer: PeerID, via neighbour: PeerID) {
        let isFirst = paths[peer].isEmpty
        paths.note(peer, via: neighbour)
        if isFirst, !roster.isOnline(peer) { linkReady(peer) }
    }

    /// Routes a payload that was routed before: its author sends it again, because our receipt may be lost.
    package mutating func routeAgain(
        _ payload: VerifiedPayload, now: Instant, wallClock: Timestamp
    ) -> [ChatEvent] {
        if let target = payload.payload.targetMessage {
            // A public message is known, and its author waits for no receipt.
            guard directChats[payload.payload.author] != nil, !publicChat.messages.contains(id: target) else {
                return []
            }
        }
        return route(payload, now: now, wallClock: wallClock)
    }

    /// True if `takeReplies` may have payloads to send.
    package var hasReplies: Bool { !replies.isEmpty || !peersOwedReceipts.isEmpty || !peersWithBacklog.isEmpty }

    /// Signs the replies of a turn: receipts, automatic answers, and retransmissions.
    package mutating func takeReplies(
        in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) -> [Outgoing] {
        guard hasReplies else { return [] }
        let answers = replies.filter { isReachable($0.peer) }
        replies.removeAll(keepingCapacity: true)
        let acceptances = answers.filter { $0.answer == .acceptance }
        let departures = answers.filter { $0.answer == .departure }
        // An accepted peer needs the acceptance first; a peer that we leave needs its receipts first.
        var outgoing = sign(acceptances.map { ($0.peer, $0.answer.body(to: $0.peer)) }, in: &session, at: wallClock)
        outgoing += sign(takeReceipts(), in: &session, at: wallClock)
        outgoing += sign(departures.map { ($0.peer, $0.answer.body(to: $0.peer)) }, in: &session, at: wallClock)
        return outgoing + takeBacklogs(now: now)
    }

    /// The delivery state of an own direct message; nil for any other message.
    package func delivery(of message: Message, in conversation: Conversation) -> Delivery? {
        switch conversation {
        case .publicRoom: nil
        case .direct(let peer): message.author == me ? directChats[peer]?.delivery(of: message.id) : nil
        }
    }

    /// True if a payload was sent to the peer that it acknowledges without asking its user.
    package func awaitsReceipts(from peer: PeerID) -> Bool { directChats[peer]?.queue.awaitsReceipts ?? false }

    /// True if a request, a message or a change has no receipt of the peer yet.
    package func isUnacknowledged(by peer: PeerID) -> Bool { directChats[peer].map { !$0.queue.isEmpty } ?? false }

    /// Gives up all messages without a receipt: the user leaves.
    package mutating func giveUp() -> [ChatEvent] {
        directChats.updateAll { $0.giveUp() }
    }

    /// Routes own payloads, queues them until the peer acknowledges them, and sends those that may be sent now.
    mutating func commit(
        _ payloads: [VerifiedPayload], to peer: PeerID, now: Instant, wallClock: Timestamp
    ) -> Outcome {
        let isLinked = isReachable(peer)
        var outcome = Outcome()
        for payload in payloads {
            outcome.events += route(payload, now: now, wallClock: wallClock)
            if payload.type == .dmAccept, !isLinked { _ = directChats.update(peer) { $0.owesAcceptance = true } }
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

    /// Acknowledges a payload of a muted peer without showing it, so that muting stays secret.
    mutating func acknowledgeHidden(_ arrival: borrowing Arrival) {
        let payload = arrival.payload
        switch payload.body {
        case .edit(let target, _), .delete(let target):
            acknowledgeChange(of: target, arrival)
        case .directMessage(let target, _, _), .invitation(let target, secret: _, room: _):
            guard let peer = counterpart(in: arrival, target: target) else { return }
            receiveSilently(payload.messageId, from: peer)
        case .publicMessage, .presence, .typing, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .delivered, .read:
            return
        }
    }

    /// Acknowledges a change, unless its message is public. The message need not be here: one that its author deleted
    /// before sending it never comes.
    mutating func acknowledgeChange(of target: MessageID, _ arrival: borrowing Arrival) {
        guard !publicChat.messages.contains(id: target), let peer = counterpart(in: arrival, target: me) else { return }
        receiveSilently(arrival.payload.messageId, from: peer)
    }

    mutating func receiveSilently(_ id: MessageID, from peer: PeerID) {
        _ = directChats.update(peer) { $0.receiveSilently(id) }
        noteDelivery(with: peer)
    }

    /// Notes the peer if receipts or messages wait for it.
    mutating func noteDelivery(with peer: PeerID) {
        guard let chat = directChats[peer] else { return }
        if !chat.receipts.isEmpty { peersOwedReceipts.insert(peer) }
        if chat.queue.hasBacklog { peersWithBacklog.insert(peer) }
    }

    /// When the rate lets the next waiting message through; nil for never.
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
