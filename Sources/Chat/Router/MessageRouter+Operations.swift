package import Wire

/// What the person does. Each operation changes our own chats at once and returns what to tell and what to send.
extension MessageRouter {
    /// Says a text in the conversation that is being looked at.
    package mutating func send(
        _ text: String, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        switch activeConversation {
        case .publicRoom: try say(text, in: &session, now: now, wallClock: wallClock)
        case .direct(let peer): try direct(to: peer, text, in: &session, now: now, wallClock: wallClock)
        }
    }

    /// Says a text to the room.
    package mutating func say(
        _ text: String, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let payload = try publicChat.compose(text, in: &session, at: wallClock)
        return commit([payload], now: now, wallClock: wallClock)
    }

    /// Says a text to one peer; the first one is a request.
    ///
    /// In an accepted conversation it waits for a peer without a link. Any other throws `not_connected`, and
    /// `not_accepted` while the request is open.
    package mutating func direct(
        to peer: PeerID, _ text: String, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let chat = directChats[peer] ?? DirectChat(with: peer)
        try checkNotBlocked(peer)
        if chat.state != .accepted { try checkConnected(peer) }
        let payloads = try chat.compose(text, in: &session, at: wallClock)
        return commit(payloads, to: peer, now: now, wallClock: wallClock)
    }

    /// Accepts a peer's open request. Throws `not_accepted` where there is none, and `not_connected`.
    package mutating func accept(
        _ peer: PeerID, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        guard let chat = directChats[peer] else { throw DirectChat.noRequest }
        try checkConnected(peer)
        let payload = try chat.composeAcceptance(in: &session, at: wallClock)
        return commit([payload], to: peer, now: now, wallClock: wallClock)
    }

    /// Declines a peer's open request, silently. Throws `not_accepted` where there is none.
    package mutating func decline(_ peer: PeerID) throws(ChatError) -> Outcome {
        guard var chat = directChats[peer] else { throw DirectChat.noRequest }
        let event = try chat.decline()
        directChats.updateOrCreate(peer) { $0 = chat }
        return Outcome(events: typing.stopAll(of: peer) + [event] + directChats.drainUndelivered())
    }

    /// Ends the conversation with a peer, or takes our request back. A peer that is not connected learns it when it
    /// speaks again.
    package mutating func leave(
        _ peer: PeerID, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let chat = directChats[peer] ?? DirectChat(with: peer)
        let payload = try chat.composeDeparture(in: &session, at: wallClock)
        return commit([payload], to: peer, now: now, wallClock: wallClock)
    }

    /// Looks at another conversation: from now on that one has no unread messages, and the one before counts them.
    /// Then `takeReplies` may have something to send.
    @discardableResult
    package mutating func open(_ conversation: Conversation) -> [ChatEvent] {
        setActive(false)
        activeConversation = conversation
        setActive(true)
        return directChats.drainUndelivered()
    }

    /// Goes back to the room.
    @discardableResult
    package mutating func close() -> [ChatEvent] { open(.publicRoom) }

    /// Calls ourselves something else. Throws `invalid_nickname`.
    package mutating func rename(
        _ nickname: String, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        session.nickname = try Nickname.compose(nickname)
        return commit([session.signPresence(at: wallClock)], now: now, wallClock: wallClock)
    }

    /// Says that we are here or away.
    package mutating func setAway(
        _ isAway: Bool, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) -> Outcome {
        session.state = isAway ? .away : .here
        return commit([session.signPresence(at: wallClock)], now: now, wallClock: wallClock)
    }

    /// Lets the others in a conversation know that we type. Nil where nobody may know.
    package func composeTyping(
        _ isOn: Bool, in conversation: Conversation, session: inout UserSession, wallClock: Timestamp
    ) -> Outgoing? {
        switch conversation {
        case .publicRoom:
            return Outgoing(
                payload: session.sign(.typing(target: nil, isOn: isOn), at: wallClock), destination: .everyone)
        case .direct(let peer):
            guard directChats[peer]?.state == .accepted, roster.isOnline(peer) else { return nil }
            return Outgoing(
                payload: session.sign(.typing(target: peer, isOn: isOn), at: wallClock), destination: .peer(peer))
        }
    }

    /// Says something to everybody.
    mutating func commit(_ payloads: [VerifiedPayload], now: Instant, wallClock: Timestamp) -> Outcome {
        var outcome = Outcome()
        for payload in payloads {
            outcome.events += route(payload, now: now, wallClock: wallClock)
            outcome.outgoing.append(Outgoing(payload: payload, destination: .everyone))
        }
        return outcome
    }

    /// Whether a peer can be written to: over a link of its own, or over relays. A blocked one can not.
    func isReachable(_ peer: PeerID) -> Bool {
        !roster.isBlocked(peer) && (roster.isOnline(peer) || !paths[peer].isEmpty)
    }

    func checkConnected(_ peer: PeerID) throws(ChatError) {
        guard !isReachable(peer) else { return }
        throw ChatError(.notConnected, "\(roster.who(peer).numberText) is not connected")
    }

    func checkNotBlocked(_ peer: PeerID) throws(ChatError) {
        guard roster.isBlocked(peer) else { return }
        let number = roster.who(peer).numberText
        throw ChatError(.notConnected, "\(number) is blocked; /unblock \(number) first")
    }

    private mutating func setActive(_ isActive: Bool) {
        switch activeConversation {
        case .publicRoom: publicChat.isActive = isActive
        case .direct(let peer):
            directChats.updateOrCreate(peer) { $0.isActive = isActive }
            noteDelivery(with: peer)
        }
    }
}

/// Editing and deleting what we said.
extension MessageRouter {
    /// Hexadecimal digits that are enough to name a message, if no other of ours begins with them.
    package static let shortestReference = 6

    /// Edits a message of ours: the last one in the conversation being looked at, or the one named.
    ///
    /// - Parameter reference: the 32 hexadecimal digits of its id, or a unique beginning of at least 6.
    package mutating func edit(
        _ reference: String?, _ text: String, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let (target, holder) = try ownMessage(reference)
        let text = try Text.compose(text)
        let payload = session.sign(.edit(target: target, text: text), at: wallClock)
        return commit(payload, with: holder, now: now, wallClock: wallClock)
    }

    /// Deletes a message of ours, named as in `edit`.
    package mutating func delete(
        _ reference: String?, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let (target, holder) = try ownMessage(reference)
        let payload = session.sign(.delete(target: target), at: wallClock)
        return commit(payload, with: holder, now: now, wallClock: wallClock)
    }

    private mutating func commit(
        _ change: VerifiedPayload, with holder: PeerID?, now: Instant, wallClock: Timestamp
    ) -> Outcome {
        guard let holder else { return commit([change], now: now, wallClock: wallClock) }
        return commit([change], to: holder, now: now, wallClock: wallClock)
    }

    private func ownMessage(_ reference: String?) throws(ChatError) -> (MessageID, PeerID?) {
        guard let reference else { return try place(of: lastOwnMessage()) }
        let digits = reference.lowercased()
        guard digits.utf8.count >= MessageRouter.shortestReference else {
            throw ChatError(.unknownMessage, "a message is named by at least 6 digits of its id")
        }
        let rings = [publicChat.messages] + directChats.all.map(\.messages)
        let matches = rings.joined().filter { $0.author == me && $0.id.hexadecimal.hasPrefix(digits) }
        guard let match = matches.first, matches.count == 1 else {
            throw ChatError(.unknownMessage, "\(matches.count) messages of yours have an id that begins so")
        }
        return try place(of: match.id)
    }

    private func lastOwnMessage() throws(ChatError) -> MessageID {
        guard let message = history(activeConversation).last(where: { $0.author == me }) else {
            throw ChatError(.unknownMessage, "there is no message of yours here")
        }
        return message.id
    }

    /// Whom a change of a message goes to: the peer that it was said to; nil for everybody. A peer without a link gets
    /// it when it is back.
    private func place(of id: MessageID) throws(ChatError) -> (MessageID, PeerID?) {
        let holder = directChats.all.first { $0.messages.contains(id: id) }
        guard let holder, !publicChat.messages.contains(id: id) else { return (id, nil) }
        guard holder.state == .accepted || holder.state == .requestedByUs else {
            throw ChatError(.notAccepted, "the direct conversation with that message has ended")
        }
        try checkNotBlocked(holder.peer)
        return (id, holder.peer)
    }
}
