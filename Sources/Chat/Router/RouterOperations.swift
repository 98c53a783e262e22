import Phrases
package import Wire

/// Operations of the user. Each changes the conversations at once and returns the events to report and the payloads to
/// send.
extension MessageRouter {
    /// Says a text in a conversation.
    ///
    /// - Parameter conversation: nil for the active one.
    package mutating func send(
        _ text: String, to conversation: Conversation? = nil, in session: inout UserSession, now: Instant,
        wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        switch conversation ?? activeConversation {
        case .publicRoom: try say(text, in: &session, now: now, wallClock: wallClock)
        case .direct(let peer): try direct(to: peer, text, in: &session, now: now, wallClock: wallClock)
        }
    }

    /// Says a text in the room.
    package mutating func say(
        _ text: String, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let payload = try publicChat.compose(text, in: &session, at: wallClock)
        return commit([payload], now: now, wallClock: wallClock)
    }

    /// Says a text to one peer; the first one is a request.
    ///
    /// In an accepted conversation, and in answer to a request, it waits for a peer without a link. Any other throws
    /// `not_connected`, and `not_accepted` while the own request is open.
    package mutating func direct(
        to peer: PeerID, _ text: String, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let chat = directChats[peer] ?? DirectChat(with: peer)
        try checkNotBlocked(peer)
        if chat.state != .accepted, chat.request == nil { try checkConnected(peer) }
        let payloads = try chat.compose(text, in: &session, at: wallClock)
        return commit(payloads, to: peer, now: now, wallClock: wallClock)
    }

    /// Invites a peer to a room, in an accepted conversation. Throws `not_accepted` in any other, and `not_connected` for
    /// a blocked peer.
    package mutating func invite(
        _ peer: PeerID, to room: Room, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let chat = directChats[peer] ?? DirectChat(with: peer)
        try checkNotBlocked(peer)
        let payload = try chat.compose(room.invitation, in: &session, at: wallClock)
        return commit([payload], to: peer, now: now, wallClock: wallClock)
    }

    /// Changes what the own presence says besides name and state, for all peers to see.
    package mutating func setProfile(
        _ profile: Profile, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) -> Outcome {
        guard session.profile != profile else { return Outcome() }
        session.profile = profile
        return commit([session.signPresence(at: wallClock)], now: now, wallClock: wallClock)
    }

    /// Accepts a peer's open request: where the peer can not be reached now, the acceptance waits for that. Throws
    /// `not_accepted` if there is none, and `not_connected` for a blocked peer.
    package mutating func accept(
        _ peer: PeerID, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        guard let chat = directChats[peer] else { throw DirectChat.noRequest }
        try checkNotBlocked(peer)
        let payload = try chat.composeAcceptance(in: &session, at: wallClock)
        return commit([payload], to: peer, now: now, wallClock: wallClock)
    }

    /// Declines a peer's open request; nothing is sent. Throws `not_accepted` if there is none.
    package mutating func decline(_ peer: PeerID) throws(ChatError) -> Outcome {
        guard var chat = directChats[peer] else { throw DirectChat.noRequest }
        let event = try chat.decline()
        directChats.updateOrCreate(peer) { $0 = chat }
        return Outcome(events: typing.stopAll(of: peer) + [event] + directChats.drainUndelivered())
    }

    /// Ends the conversation with a peer, or withdraws the own request. A peer without a link learns it when it sends
    /// the next message.
    package mutating func leave(
        _ peer: PeerID, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let chat = directChats[peer] ?? DirectChat(with: peer)
        let payload = try chat.composeDeparture(in: &session, at: wallClock)
        return commit([payload], to: peer, now: now, wallClock: wallClock)
    }

    /// Makes a conversation the active one: it has no unread messages, and the previous one counts them again. Then
    /// `takeReplies` may have payloads to send.
    @discardableResult
    package mutating func open(_ conversation: Conversation) -> [ChatEvent] {
        setActive(false)
        activeConversation = conversation
        setActive(true)
        return directChats.drainUndelivered()
    }

    /// Leaves no conversation active, because the user opened one of another room: all of them count unread messages.
    /// Texts that are sent meanwhile go to the room.
    package mutating func lookAway() -> [ChatEvent] {
        setActive(false)
        activeConversation = .publicRoom
        return directChats.drainUndelivered()
    }

    /// Makes the room the active conversation.
    @discardableResult
    package mutating func close() -> [ChatEvent] { open(.publicRoom) }

    /// Changes the own nickname. Throws `invalid_nickname`.
    package mutating func rename(
        _ nickname: String, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        session.nickname = try Nickname.compose(nickname)
        return commit([session.signPresence(at: wallClock)], now: now, wallClock: wallClock)
    }

    /// Changes the own state to away or here.
    ///
    /// - Parameter reason: a result of `AwayReason.compose`; nil for none.
    package mutating func setAway(
        _ isAway: Bool, reason: String? = nil, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) -> Outcome {
        session.state = isAway ? .away : .here
        session.awayReason = isAway ? reason : nil
        return commit([session.signPresence(at: wallClock)], now: now, wallClock: wallClock)
    }

    /// Lets bridges publish the user from now on, or not.
    package mutating func setConsent(
        _ consents: Bool, in session: inout UserSession, now: Instant, wallClock: Timestamp
    ) -> Outcome {
        guard session.bridging.consents != consents else { return Outcome() }
        session.bridging.consents = consents
        let elsewhere = roster.elsewhere
        if !consents { paths.lose { elsewhere.contains($0) } }
        return commit([session.signPresence(at: wallClock)], now: now, wallClock: wallClock)
    }

    /// Composes a typing payload. Nil if the peer must not know.
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

    /// Routes own payloads and sends them to all peers.
    mutating func commit(_ payloads: [VerifiedPayload], now: Instant, wallClock: Timestamp) -> Outcome {
        var outcome = Outcome()
        for payload in payloads {
            outcome.events += route(payload, now: now, wallClock: wallClock)
            outcome.outgoing.append(Outgoing(payload: payload, destination: .everyone))
        }
        return outcome
    }

    /// True if the peer has a link, or a path over relays, and is not blocked.
    package func isReachable(_ peer: PeerID) -> Bool {
        guard !roster.isBlocked(peer) else { return false }
        return roster.isOnline(peer) || (reachesAll && roster.isHere(peer)) || !paths[peer].isEmpty
    }

    func checkConnected(_ peer: PeerID) throws(ChatError) {
        guard !isReachable(peer) else { return }
        throw ChatError(.notConnected, .notConnected, roster.who(peer).numberText)
    }

    func checkNotBlocked(_ peer: PeerID) throws(ChatError) {
        guard roster.isBlocked(peer) else { return }
        let number = roster.who(peer).numberText
        throw ChatError(.notConnected, .blockedFirst, number)
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

/// Edits and deletions of own messages.
extension MessageRouter {
    /// The fewest hexadecimal digits of an id that name a message, if they are unique among own messages.
    package static let shortestReference = 6

    /// Edits an own message: the last one of a conversation, or the named one.
    ///
    /// - Parameters:
    ///   - reference: the 32 hexadecimal digits of its id, or at least the first 6 if they are unique.
    ///   - conversation: that of the last message; nil for the active one.
    package mutating func edit(
        _ reference: String?, of conversation: Conversation? = nil, _ text: String, in session: inout UserSession,
        now: Instant, wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let (target, holder) = try ownMessage(reference, of: conversation)
        let text = try Text.compose(text)
        let payload = session.sign(.edit(target: target, text: text), at: wallClock)
        return commit(payload, with: holder, now: now, wallClock: wallClock)
    }

    /// Deletes an own message, named as in `edit`.
    package mutating func delete(
        _ reference: String?, of conversation: Conversation? = nil, in session: inout UserSession, now: Instant,
        wallClock: Timestamp
    ) throws(ChatError) -> Outcome {
        let (target, holder) = try ownMessage(reference, of: conversation)
        let payload = session.sign(.delete(target: target), at: wallClock)
        return commit(payload, with: holder, now: now, wallClock: wallClock)
    }

    private mutating func commit(
        _ change: VerifiedPayload, with holder: PeerID?, now: Instant, wallClock: Timestamp
    ) -> Outcome {
        guard let holder else { return commit([change], now: now, wallClock: wallClock) }
        return commit([change], to: holder, now: now, wallClock: wallClock)
    }

    private func ownMessage(
        _ reference: String?, of conversation: Conversation?
    ) throws(ChatError) -> (MessageID, PeerID?) {
        guard let reference else { return try place(of: lastOwnMessage(in: conversation ?? activeConversation)) }
        let digits = reference.lowercased()
        guard digits.utf8.count >= MessageRouter.shortestReference else {
            throw ChatError(.unknownMessage, .shortMessageID)
        }
        let rings = [publicChat.messages] + directChats.all.map(\.messages)
        let matches = rings.joined().filter { $0.author == me && $0.id.hexadecimal.hasPrefix(digits) }
        guard let match = matches.first, matches.count == 1 else {
            throw ChatError(.unknownMessage, .manyMessages, "\(matches.count)")
        }
        return try place(of: match.id)
    }

    private func lastOwnMessage(in conversation: Conversation) throws(ChatError) -> MessageID {
        guard let message = history(conversation).last(where: { $0.author == me }) else {
            throw ChatError(.unknownMessage, .noOwnMessage)
        }
        return message.id
    }

    /// The receiver of a change: the peer of the direct conversation, or nil for the room. A peer without a link gets
    /// it later.
    private func place(of id: MessageID) throws(ChatError) -> (MessageID, PeerID?) {
        let holder = directChats.all.first { $0.messages.contains(id: id) }
        guard let holder, !publicChat.messages.contains(id: id) else { return (id, nil) }
        guard holder.state == .accepted || holder.state == .requestedByUs else {
            throw ChatError(.notAccepted, .conversationOver)
        }
        try checkNotBlocked(holder.peer)
        return (id, holder.peer)
    }
}
