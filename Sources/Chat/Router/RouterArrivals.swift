internal import Wire

/// Effects of each kind of payload.
extension MessageRouter {
    mutating func receivePublic(_ arrival: borrowing Arrival, into events: inout [ChatEvent]) {
        let signed = arrival.verified.signed
        let stage = signed.payload.senderStage ?? .newcomer
        roster.noteName(
            arrival.author, nickname: signed.payload.senderNickname ?? "", stage: stage, as: arrival.authorClock,
            into: &events)
        if !arrival.isHistory { events.note(typing.stop(arrival.author, in: .publicRoom)) }
        guard !publicChat.isDeleted(arrival.verified.id, of: arrival.author) else {
            return publicChat.noteFinal(arrival.verified)
        }
        // Changes hardly ever come before their message.
        guard pendingChanges.isEmpty else { return receiveChanged(arrival, into: &events) }
        let message = Message(
            of: arrival.verified, stage: stage, receivedAt: arrival.wallClock, askedAt: arrival.askedAt,
            joinedAt: joinedAt, correction: clockCorrection)
        let isOwn = arrival.author == me
        events.note(publicChat.receive(message, edit: nil, isOwn: isOwn, correction: clockCorrection))
    }

    /// Receives a public message whose change may have come before it.
    private mutating func receiveChanged(_ arrival: borrowing Arrival, into events: inout [ChatEvent]) {
        let change = pendingChanges.take(for: arrival.verified.id, by: arrival.author)
        if let change, case .delete = change.kind {
            publicChat.keepDeletion(change, from: givers.giver(of: change.source), isOfKnown: true)
            return publicChat.noteFinal(arrival.verified)
        }
        guard let message = message(from: arrival, with: change) else { return }
        let isOwn = arrival.author == me
        events.note(publicChat.receive(message, edit: change?.source, isOwn: isOwn, correction: clockCorrection))
    }

    mutating func receiveTyping(
        _ arrival: borrowing Arrival, target: PeerID?, isOn: Bool, into events: inout [ChatEvent]
    ) {
        let author = arrival.author
        guard author != me, !arrival.isHistory else { return }
        if target == nil { events.note(typing.set(isOn, author, in: .publicRoom, now: arrival.now)) }
        guard counterpart(in: arrival, target: target) != nil, directChats[author]?.state == .accepted else { return }
        events.note(typing.set(isOn, author, in: .direct(author), now: arrival.now))
    }

    mutating func receiveDirect(
        _ arrival: borrowing Arrival, target: PeerID, nickname: String, into events: inout [ChatEvent]
    ) {
        guard let peer = counterpart(in: arrival, target: target) else { return }
        let payload = arrival.payload
        let isRequest = payload.type == .dmRequest
        if arrival.author != me, directChats[peer]?.hasTaken(payload.messageId) == true {
            let step = directChats.update(peer) { $0.receiveAgain(payload.messageId, isRequest: isRequest) }
            return finish(step, with: peer, into: &events)
        }
        roster.noteName(payload.author, nickname: nickname, stage: nil, as: payload.authorClock, into: &events)
        guard let message = directMessage(from: arrival) else {
            return receiveSilently(payload.messageId, from: peer)
        }
        events.note(typing.stop(arrival.author, in: .direct(peer)))
        if arrival.author != me, directChats[peer]?.awaitsOurAnswer == true { refuse(.notAccepted) }
        if arrival.author == me {
            events += directChats.updateOrCreate(peer) { isRequest ? $0.sentRequest(message) : $0.sentMessage(message) }
        } else if isRequest || directChats.isStranger(peer) {
            // A text without an agreement is a request: we may have forgotten our acceptance.
            let giver = givers.giver(of: arrival.verified)
            finish(directChats.receiveRequest(message, from: giver, now: arrival.now), with: peer, into: &events)
        } else {
            finish(directChats.update(peer) { $0.receiveMessage(message) }, with: peer, into: &events)
        }
    }

    mutating func receiveAnswer(
        _ answer: DirectAnswer, _ arrival: borrowing Arrival, target: PeerID, into events: inout [ChatEvent]
    ) {
        guard let peer = counterpart(in: arrival, target: target) else { return }
        let isOwn = arrival.author == me
        let request = directChats[peer]?.request
        let isLinked = roster.isOnline(peer)
        let step = directChats.update(peer) { chat in
            switch answer {
            case .acceptance: isOwn ? DirectStep(events: chat.sentAcceptance()) : chat.receiveAcceptance()
            case .departure:
                isOwn ? DirectStep(events: chat.sentDeparture(isLinked: isLinked)) : chat.receiveDeparture()
            }
        }
        if answer == .departure { events.note(typing.stop(peer, in: .direct(peer))) }
        finish(step, with: peer, into: &events)
        // A change of the open request now applies to the first message.
        if isOwn, answer == .acceptance, let request, let change = pendingChanges.take(for: request.id, by: peer) {
            apply(change, into: &events)
        }
    }

    mutating func receive(
        _ invitation: Invitation, _ arrival: borrowing Arrival, target: PeerID, into events: inout [ChatEvent]
    ) {
        guard arrival.author != me, let peer = counterpart(in: arrival, target: target) else { return }
        let id = arrival.verified.payload.messageId
        if directChats[peer]?.awaitsOurAnswer ?? true { refuse(.notAccepted) }
        let step = directChats.update(peer) { chat in
            chat.hasTaken(id) ? chat.receiveAgain(id, isRequest: false) : chat.receive(invitation, id)
        }
        finish(step, with: peer, into: &events)
    }

    mutating func receiveReceipt(
        _ ids: [MessageID], _ delivery: Delivery, _ arrival: borrowing Arrival, target: PeerID,
        into events: inout [ChatEvent]
    ) {
        guard arrival.author != me, let peer = counterpart(in: arrival, target: target) else { return }
        finish(directChats.update(peer) { $0.receiveReceipt(ids, delivery) }, with: peer, into: &events)
    }

    /// Applies a change to its message, or keeps it until the message comes.
    mutating func apply(_ change: MessageChange, isHistory: Bool = false, into events: inout [ChatEvent]) {
        if let message = publicChat.messages[id: change.target] {
            if message.author != change.author { refuse(.notItsAuthor) }
            events.note(publicChat.apply(change, from: givers.giver(of: change.source)))
        } else if let peer = directPeer(of: change) {
            // Changes of direct messages are not history.
            if isHistory { return publicChat.noteFinal(change.source) }
            events.note(directChats.update(peer) { $0.apply(change) } ?? nil)
        } else {
            hold(change, isPublic: isHistory || publicChat.knows(change.target))
        }
    }

    /// Keeps a change whose message is not here. If the message is known to be public, its deletion is kept for others.
    private mutating func hold(_ change: MessageChange, isPublic: Bool) {
        switch change.kind {
        case .delete where isPublic:
            publicChat.keepDeletion(change, from: givers.giver(of: change.source), isOfKnown: false)
        case .edit where publicChat.knows(change.target):
            publicChat.noteFinal(change.source)
        case .edit, .delete:
            if isPublic { publicChat.noteFinal(change.source) }
            if isPublic || mayStillCome(change) {
                pendingChanges.hold(change, from: givers.giver(of: change.source))
            }
        }
    }

    /// True if the direct message of a change was not taken before.
    private func mayStillCome(_ change: MessageChange) -> Bool {
        change.author != me && directChats[change.author]?.hasTaken(change.target) != true
    }

    /// The peer of the direct conversation that holds the message to change; nil if there is none.
    private func directPeer(of change: MessageChange) -> PeerID? {
        if change.author != me {
            return directChats[change.author]?.messages.contains(id: change.target) == true ? change.author : nil
        }
        return directChats.all.first { $0.messages.contains(id: change.target) }?.peer
    }

    /// The peer of a direct payload; nil unless it is our own, or came from its author to us alone (Protocol.md section
    /// 8).
    func counterpart(in arrival: borrowing Arrival, target: PeerID?) -> PeerID? {
        guard arrival.verified.isFirstHand, let target, !arrival.isHistory else { return nil }
        if arrival.author == me { return target == me ? nil : target }
        return target == me ? arrival.author : nil
    }

    /// The message in a direct payload, with the change that came before it; nil if that was a deletion.
    private mutating func directMessage(from arrival: borrowing Arrival) -> Message? {
        let payload = arrival.payload
        let change = pendingChanges.take(for: payload.messageId, by: payload.author)
        guard let change, change.isFirstHand else { return message(from: arrival) }
        if case .delete = change.kind { return nil }
        return message(from: arrival, with: change)
    }

    private func message(from arrival: borrowing Arrival) -> Message? {
        Message(
            from: arrival.verified, knownStage: roster.stage(of: arrival.author), receivedAt: arrival.wallClock,
            askedAt: arrival.askedAt, joinedAt: joinedAt, correction: clockCorrection)
    }

    private func message(from arrival: borrowing Arrival, with change: MessageChange?) -> Message? {
        let message = message(from: arrival)
        guard var message, case .edit(let text) = change?.kind, let authorClock = change?.authorClock else {
            return message
        }
        _ = message.show(text, as: authorClock)
        return message
    }

    private mutating func finish(_ step: DirectStep?, with peer: PeerID, into events: inout [ChatEvent]) {
        guard let step else { return }
        events += step.events
        noteDelivery(with: peer)
        if let answer = step.reply { reply(answer, to: peer) }
    }

    mutating func reply(_ answer: DirectAnswer, to peer: PeerID) {
        if replies.count == Reply.capacity { replies.removeFirst() }
        replies.append(Reply(peer: peer, answer: answer))
    }
}
