package import Wire

/// What we do: first the payloads that say it, then, when they are routed like everybody's, what they change here.
extension DirectChat {
    /// A text as the payloads that say it: the first is a request; to somebody who asked us it is also our acceptance.
    ///
    /// Throws `not_accepted` while our request is open: the request is one text, the next has to wait for the answer.
    package func compose(
        _ text: String, in session: inout UserSession, at time: Timestamp
    ) throws(ChatError) -> [VerifiedPayload] {
        let text = try Text.compose(text)
        let message = PayloadBody.directMessage(target: peer, nickname: session.nickname, text: text)
        switch state {
        case .none, .declined, .left:
            let request = PayloadBody.dmRequest(target: peer, nickname: session.nickname, text: text)
            return [session.sign(request, at: time)]
        case .requestedByUs:
            throw ChatError(.notAccepted, "the request is not accepted yet; what follows it has to wait for that")
        case .requestedByThem:
            let acceptance = session.sign(.dmAccept(target: peer), at: time)
            return [acceptance, session.sign(message, at: time)]
        case .accepted:
            return [session.sign(message, at: time)]
        }
    }

    /// The payload that accepts their request. Throws `not_accepted` where none is open.
    package func composeAcceptance(
        in session: inout UserSession, at time: Timestamp
    ) throws(ChatError) -> VerifiedPayload {
        guard request != nil else { throw DirectChat.noRequest }
        return session.sign(.dmAccept(target: peer), at: time)
    }

    /// The payload that ends the conversation, or takes our request back. Throws `not_accepted` where there is neither.
    package func composeDeparture(
        in session: inout UserSession, at time: Timestamp
    ) throws(ChatError) -> VerifiedPayload {
        switch state {
        case .requestedByUs, .accepted:
            return session.sign(.dmLeave(target: peer), at: time)
        case .none, .requestedByThem, .declined, .left:
            throw ChatError(.notAccepted, "there is no direct conversation to leave")
        }
    }

    /// Declines their request. Nothing is sent: silence is all that they get (Protocol.md section 8).
    package mutating func decline() throws(ChatError) -> ChatEvent {
        guard request != nil else { throw DirectChat.noRequest }
        state = .declined
        return .direct(.declined, with: peer)
    }

    static var noRequest: ChatError { ChatError(.notAccepted, "there is no open request for a direct conversation") }

    mutating func sentRequest(_ message: Message) -> [ChatEvent] {
        let lost = fail(queue.giveUp(keepingSent: false))
        state = .requestedByUs
        return lost + sentMessage(message)
    }

    mutating func sentMessage(_ message: Message) -> [ChatEvent] {
        log.add(message, isOwn: true).map { [$0] } ?? []
    }

    /// We accepted: the request, told when it came, is the first message, and read.
    mutating func sentAcceptance() -> [ChatEvent] {
        if let request { keepRequest(request) }
        state = .accepted
        return [.direct(.accepted, with: peer)]
    }

    /// We left. What is under way is still waited for, as long as the link stands that it went out on.
    mutating func sentDeparture(isLinked: Bool) -> [ChatEvent] {
        state = .left
        return [.direct(.left, with: peer)] + fail(queue.giveUp(keepingSent: isLinked))
    }

    /// Keeps a message or a change of ours until it is acknowledged.
    ///
    /// - Returns: whether to send it now, and what is given up for it.
    mutating func post(_ payload: P2PPayload, as verified: VerifiedPayload, isLinked: Bool) -> (Bool, [ChatEvent]) {
        var text: String?
        switch payload.body {
        case .dmRequest(_, _, let said), .directMessage(_, _, let said): text = said
        case .edit(let target, let said): queue.edited(target, to: said)
        case .delete(let target):
            forget(target)
            if !queue.takeBack(target) { return (false, []) }
        case .publicMessage, .presence, .typing, .dmAccept, .dmDecline, .dmLeave, .delivered, .read: return (true, [])
        }
        let isSent = queue.append(verified, text: text, isLinked: isLinked)
        return (isSent, fail(queue.takeOverflow()))
    }

    /// The link that what we said went out on has ended.
    mutating func linkClosed() -> [ChatEvent] {
        receipts.linkClosed()
        return state == .left ? fail(queue.giveUp(keepingSent: false)) : []
    }

    /// Nothing more is sent: we leave for good, or want to have nothing to do with the peer.
    mutating func giveUp() -> [ChatEvent] { fail(queue.giveUp(keepingSent: false)) }
}
