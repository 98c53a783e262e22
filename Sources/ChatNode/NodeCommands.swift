package import Chat
import Noise
import Phrases
package import Wire

/// The actions of the user. After an error the node goes on.
extension Node {
    /// Runs `body` in one turn of the node.
    package func inTurn<Result: Sendable>(_ body: @Sendable (isolated Node) -> Result) -> Result { body(self) }

    /// Waits until a message may be sent, and runs `body` in that turn, before any other sender.
    ///
    /// - Returns: nil if the node leaves instead.
    package func whenMaySend<Result: Sendable>(_ body: @Sendable (isolated Node) -> Result) async -> Result? {
        guard await waitUntilMaySend() else { return nil }
        return body(self)
    }

    package var wallClock: Timestamp { scheduler.wallClock }

    /// Says `text` in a conversation.
    ///
    /// - Parameter conversation: nil for the one that is being looked at.
    package func send(_ text: String, to conversation: Conversation? = nil) throws(ChatError) {
        let conversation = conversation ?? router.activeConversation
        try paced { () throws(ChatError) in
            try router.send(text, to: conversation, at: moment)
        }
        sendTyping(typingTracker.said(in: conversation))
    }

    /// Says `text` to the room, whatever is being looked at.
    package func say(_ text: String) throws(ChatError) {
        try paced { () throws(ChatError) in
            try router.say(text, at: moment)
        }
        sendTyping(typingTracker.said(in: .publicRoom))
    }

    /// Sends a direct message; the first one to a peer is a request.
    package func direct(to peer: PeerID, _ text: String) throws(ChatError) {
        try paced { () throws(ChatError) in
            try router.direct(to: peer, text, at: moment)
        }
        sendTyping(typingTracker.said(in: .direct(peer)))
    }

    package func accept(_ peer: PeerID) throws(ChatError) {
        try act { () throws(ChatError) in
            try router.accept(peer, at: moment)
        }
    }

    package func decline(_ peer: PeerID) throws(ChatError) {
        apply(try router.decline(peer))
    }

    package func leave(_ peer: PeerID) throws(ChatError) {
        try act { () throws(ChatError) in
            try router.leave(peer, at: moment)
        }
    }

    /// Looks at a conversation: its unread count becomes 0, the others count from now on.
    package func open(_ conversation: Conversation) {
        apply(router.open(conversation))
        sendTyping(typingTracker.moved(to: conversation))
        askForTurnEnd()
    }

    /// Looks at the public room again.
    package func close() {
        open(.publicRoom)
    }

    /// Looks at no conversation of this room any more: all of them count unread messages from now on.
    package func lookAway() {
        apply(router.lookAway())
        sendTyping(typingTracker.moved(to: .publicRoom))
        askForTurnEnd()
    }

    /// Changes an own message: the last one of a conversation, or the one whose id begins with `id`.
    ///
    /// - Parameter conversation: nil for the one that is being looked at.
    package func edit(_ id: String?, of conversation: Conversation? = nil, _ text: String) throws(ChatError) {
        try paced { () throws(ChatError) in
            try router.edit(id, of: conversation, text, at: moment)
        }
    }

    /// Deletes an own message, named as in `edit`.
    package func delete(_ id: String?, of conversation: Conversation? = nil) throws(ChatError) {
        try paced { () throws(ChatError) in
            try router.delete(id, of: conversation, at: moment)
        }
    }

    package func rename(_ nickname: String) throws(ChatError) {
        let before = me()
        apply(try router.rename(nickname, at: moment))
        if me().nickname != before.nickname { emit(.renamed(me(), was: before)) }
    }

    /// - Parameter reason: a result of `AwayReason.compose`; nil for none.
    package func setAway(_ isAway: Bool, reason: String? = nil) {
        apply(router.setAway(isAway, reason: reason, at: moment))
    }

    /// Invites a peer to a room, which may be another than this one.
    package func invite(_ peer: PeerID, to room: Room) throws(ChatError) {
        try paced { () throws(ChatError) in
            try router.invite(peer, to: room, at: moment)
        }
    }

    /// Changes what the user shows of themselves to the room; its texts are composed.
    package func setProfile(_ profile: Profile) {
        apply(router.setProfile(profile, at: moment))
    }

    /// Takes over the user's own names for peers.
    package func setContacts(_ contacts: [PeerID: String]) { router.setContacts(contacts) }

    /// Takes over marks that were set in another room of the same identity.
    package func adopt(_ marks: PeerMarks) {
        let (events, blocked, admitted) = router.adopt(marks)
        apply(events)
        for peer in blocked { shutOut(peer) }
        for peer in admitted { finder.admit(peer, now: scheduler.now) }
        arm(.dialler)
    }

    package func setMuted(_ peer: PeerID, _ isMuted: Bool) {
        apply(router.setMuted(peer, isMuted))
    }

    /// Blocks by key, silently: the peer's links are refused from now on.
    package func setBlocked(_ peer: PeerID, _ isBlocked: Bool) {
        apply(router.setBlocked(peer, isBlocked))
        if isBlocked { shutOut(peer) } else { finder.admit(peer, now: scheduler.now) }
        arm(.dialler)
        askForTurnEnd()
    }

    private func shutOut(_ peer: PeerID) {
        let key = intake.certificate(of: peer, now: scheduler.now)?.noise
        // The peer is gone for us at once, without the grace of a lost link.
        for link in connections.allInfo(of: peer) { close(link, .blocked) }
        finder.shutOut(peer, key)
    }

    /// Notes that a peer's code was compared, or takes that back. No peer is informed.
    package func setVerified(_ peer: PeerID, _ isVerified: Bool) {
        router.setVerified(peer, isVerified)
    }

    /// Takes one message's worth of the own rate, unless nothing is said.
    private func paced(_ say: () throws(ChatError) -> Outcome) throws(ChatError) {
        var rest = pacer
        let mayNow = rest.take(now: scheduler.now)
        guard mayNow else {
            let rate = configuration.ownPace
            throw ChatError(.rateLimited, .tooFast, "\(rate)")
        }
        try act(say)
        pacer = rest
    }
}
