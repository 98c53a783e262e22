package import Wire

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
