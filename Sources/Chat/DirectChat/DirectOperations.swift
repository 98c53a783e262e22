import Phrases
package import Wire

/// Own operations. Each composes payloads first; routing them like those of others changes the state.
extension DirectChat {
    /// Composes the payloads for a text: a request for the first one, an acceptance before it if the peer asked first.
    ///
    /// Throws `not_accepted` while the own request is open: a request is one text, and the next has to wait for the
    /// answer.
    ///
    /// - Parameter target: the message that the text answers, as far as it is no request; nil for none.
    package func compose(
        _ text: String, replyTo target: MessageID? = nil, in session: inout UserSession, at time: Timestamp
    ) throws(ChatError) -> [VerifiedPayload] {
        let text = try Text.compose(text)
        let message = PayloadBody.directMessage(target: peer, nickname: session.nickname, text: text, replyTo: target)
        switch state {
        case .none, .declined, .left:
            let request = PayloadBody.dmRequest(target: peer, nickname: session.nickname, text: text)
            return [session.sign(request, at: time)]
        case .requestedByUs:
            throw ChatError(.notAccepted, .requestOpen)
        case .requestedByThem:
            let acceptance = session.sign(.dmAccept(target: peer), at: time)
            return [acceptance, session.sign(message, at: time)]
        case .accepted:
            return [session.sign(message, at: time)]
        }
    }

    /// Composes an invitation. Throws `not_accepted` before the conversation is accepted.
    package func compose(
        _ invitation: Invitation, in session: inout UserSession, at time: Timestamp
    ) throws(ChatError) -> VerifiedPayload {
        guard state == .accepted else { throw ChatError(.notAccepted, .inviteAfterAcceptance) }
        return session.sign(
            .invitation(target: peer, secret: invitation.secret, room: invitation.room), at: time)
    }

    /// Composes the acceptance of the peer's request. Throws `not_accepted` if none is open.
    package func composeAcceptance(
        in session: inout UserSession, at time: Timestamp
    ) throws(ChatError) -> VerifiedPayload {
        guard request != nil else { throw DirectChat.noRequest }
        return session.sign(.dmAccept(target: peer), at: time)
    }

    /// Composes the end of the conversation, or of the own request. Throws `not_accepted` if there is neither.
    package func composeDeparture(
        in session: inout UserSession, at time: Timestamp
    ) throws(ChatError) -> VerifiedPayload {
        switch state {
        case .requestedByUs, .accepted:
            return session.sign(.dmLeave(target: peer), at: time)
        case .none, .requestedByThem, .declined, .left:
            throw ChatError(.notAccepted, .noConversationToLeave)
        }
    }

    /// Declines the peer's request. Nothing is sent: the peer gets no answer (Protocol.md section 8).
    package mutating func decline() throws(ChatError) {
        guard let request else { throw DirectChat.noRequest }
        recordDeclined(request.id)
        if hidden == nil { hidden = request }
        state = .declined
    }

    static var noRequest: ChatError { ChatError(.notAccepted, .noOpenRequest) }

    mutating func sentRequest(_ message: Message) -> DirectStep {
        let lost = fail(queue.giveUp(keepingSent: false))
        state = .requestedByUs
        return DirectStep(failed: lost, shown: add(message, isOwn: true))
    }

    mutating func sentMessage(_ message: Message) -> DirectStep { DirectStep(shown: add(message, isOwn: true)) }

    /// Accepts: the request, which was shown when it came, becomes the first message, already read.
    mutating func sentAcceptance() -> DirectStep {
        if let request { keepRequest(request) }
        state = .accepted
        return DirectStep(change: .accepted, late: takeHidden())
    }

    /// Leaves. Sent messages still wait for receipts, as long as their link is up.
    mutating func sentDeparture(isLinked: Bool) -> DirectStep {
        (state, hidden) = (.left, nil)
        return DirectStep(change: .left, failed: fail(queue.giveUp(keepingSent: isLinked)))
    }

    /// Queues an own message or change until it is acknowledged.
    ///
    /// - Returns: whether to send it now, and the messages that are given up for it.
    mutating func post(_ payload: P2PPayload, as verified: VerifiedPayload, isLinked: Bool) -> (Bool, [Undelivered]) {
        var text: String?
        switch payload.body {
        case .dmRequest(_, _, let said), .directMessage(_, _, let said, _): text = said
        case .edit(_, let target, let said): queue.edited(target, to: said)
        case .delete(_, let target):
            forget(target)
            if !queue.takeBack(target) { return (false, []) }
        case .reaction(_, let target, _): queue.takeBackReactions(to: target)
        case .invitation: break
        case .publicMessage, .presence, .typing, .card, .dmAccept, .dmDecline, .dmLeave, .delivered, .read:
            return (true, [])
        }
        let isSent = queue.append(verified, text: text, isLinked: isLinked)
        return (isSent, fail(queue.takeOverflow()))
    }

    /// Starts again for a new link.
    ///
    /// - Returns: whether the peer has still to learn that we accepted.
    mutating func linkReady() -> Bool {
        queue.rewind()
        defer { owesAcceptance = false }
        return owesAcceptance && isAccepted
    }

    /// Notes that the link ended on which own messages were sent.
    ///
    /// - Returns: the messages that are given up.
    mutating func linkClosed() -> [Undelivered] {
        receipts.linkClosed()
        return state == .left ? fail(queue.giveUp(keepingSent: false)) : []
    }

    /// Gives up all queued messages: the user leaves for good or blocks the peer.
    ///
    /// - Returns: them.
    mutating func giveUp() -> [Undelivered] {
        // A request that has failed is open no more: the next text is a new one.
        if case .requestedByUs = state, queue.hasRequest { state = .none }
        return fail(queue.giveUp(keepingSent: false))
    }
}
