package import Chat
package import Wire

/// What a person does. Errors lose nothing: the node goes on.
extension Node {
    /// Says `text` in the conversation that is being looked at.
    package func send(_ text: String) throws(ChatError) {
        switch router.active {
        case .publicRoom:
            try paced { () throws(ChatError) in
                try router.say(text, in: &session, now: scheduler.now, wallClock: scheduler.wallClock)
            }
        case .direct(let peer):
            try direct(to: peer, text)
        }
    }

    /// Sends a direct message; the first one to a peer is a request.
    package func direct(to peer: PeerID, _ text: String) throws(ChatError) {
        try requireLink(to: peer)
        try paced { () throws(ChatError) in
            try router.direct(to: peer, text, in: &session, now: scheduler.now, wallClock: scheduler.wallClock)
        }
    }

    package func accept(_ peer: PeerID) throws(ChatError) {
        try requireLink(to: peer)
        apply(try router.accept(peer, in: &session, wallClock: scheduler.wallClock))
    }

    package func decline(_ peer: PeerID) throws(ChatError) {
        apply(try router.decline(peer, in: &session, wallClock: scheduler.wallClock))
    }

    package func leave(_ peer: PeerID) throws(ChatError) {
        apply(try router.leave(peer, in: &session, wallClock: scheduler.wallClock))
    }

    /// Looks at a conversation: its unread count becomes 0, the others count from now on.
    package func open(_ conversation: Conversation) throws(ChatError) {
        try router.open(conversation)
    }

    /// Looks at the public room again.
    package func close() {
        router.close()
    }

    /// Changes an own message: the last one of the conversation being looked at, or the one whose id begins with `id`.
    package func edit(_ id: String?, _ text: String) throws(ChatError) {
        apply(try router.edit(id, text, in: &session, now: scheduler.now, wallClock: scheduler.wallClock))
    }

    package func delete(_ id: String?) throws(ChatError) {
        apply(try router.delete(id, in: &session, now: scheduler.now, wallClock: scheduler.wallClock))
    }

    package func rename(_ nickname: String) throws(ChatError) {
        apply(try router.rename(nickname, in: &session, wallClock: scheduler.wallClock))
    }

    package func setPresence(_ state: PresenceState) {
        apply(router.setPresence(state, in: &session, wallClock: scheduler.wallClock))
    }

    package func setMuted(_ peer: PeerID, _ isMuted: Bool) {
        router.setMuted(peer, isMuted)
    }

    /// Blocks by key, silently: the link is refused from now on.
    package func setBlocked(_ peer: PeerID, _ isBlocked: Bool) {
        router.setBlocked(peer, isBlocked)
        guard isBlocked else { return }
        for slot in linksByPeer[peer] ?? [] { drop(slot) }
    }

    private func requireLink(to peer: PeerID) throws(ChatError) {
        guard sendingLink(of: peer) != nil else {
            throw ChatError(.notConnected, "\(who(peer).displayName) is not connected")
        }
    }

    /// Takes one message's worth of the own rate, and gives it back if nothing was said.
    private func paced(_ say: () throws(ChatError) -> RouterOutcome) throws(ChatError) {
        var rest = pace
        guard rest.take(at: scheduler.now) else {
            throw ChatError(
                .rateLimited, "too fast: \(Int(configuration.messagesPerSecond)) messages a second is the most")
        }
        let outcome = try say()
        pace = rest
        apply(outcome)
    }
}
