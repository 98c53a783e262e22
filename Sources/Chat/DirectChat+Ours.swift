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
        state = .requestedByUs
        return sentMessage(message)
    }

    mutating func sentMessage(_ message: Message) -> [ChatEvent] {
        log.add(message, isOwn: true).map { [$0] } ?? []
    }

    /// We accepted: the request, told when it came, is the first message, and read.
    mutating func sentAcceptance() -> [ChatEvent] {
        if let request { log.keep(request) }
        state = .accepted
        return [.direct(.accepted, with: peer)]
    }

    mutating func sentDeparture() -> [ChatEvent] {
        state = .left
        return [.direct(.left, with: peer)]
    }
}
