package import Wire

/// Queries, and changes that do not come from payloads.
extension MessageRouter {
    /// The kept messages of a conversation without those of blocked peers, oldest first; empty if there is none.
    package func history(_ conversation: Conversation) -> [Message] {
        let messages =
            switch conversation {
            case .publicRoom: Array(publicChat.messages)
            case .direct(let peer): directChats[peer].map { Array($0.messages) } ?? []
            }
        return roster.marks.blocked.isEmpty ? messages : messages.filter { !roster.isBlocked($0.author) }
    }

    /// The last message to show; nil if there is none.
    private func last(of ring: MessageRing) -> Message? {
        roster.marks.blocked.isEmpty ? ring.last : ring.last { !roster.isBlocked($0.author) }
    }

    /// The room, then the direct conversations that are accepted, active or have messages, the one used last first.
    package var overview: [ConversationOverview] {
        let room = ConversationOverview(
            conversation: .publicRoom, isActive: publicChat.isActive, unread: publicChat.unreadCount,
            last: last(of: publicChat.messages))
        return [room]
            + directChats.all.filter { $0.isActive || $0.state == .accepted || !$0.messages.isEmpty }.map {
                ConversationOverview(
                    conversation: .direct($0.peer), isActive: $0.isActive, unread: $0.unreadCount,
                    last: last(of: $0.messages))
            }
    }

    /// The open requests of peers that are not hidden, oldest first.
    package var requests: [(from: PeerID, text: String)] {
        directChats.requests.compactMap { chat in
            roster.isHidden(chat.peer) ? nil : chat.request.map { (chat.peer, $0.content) }
        }
    }

    /// True if peers other than its receiver may have a payload (relayed or from history). To be called before routing
    /// it.
    ///
    /// An edit or a deletion only if its message is public: one of a direct message looks the same.
    package func isForEveryone(_ payload: P2PPayload) -> Bool {
        switch payload.body {
        case .publicMessage, .presence: true
        case .typing(let target, _): target == nil
        case .edit(let target, _), .delete(let target): publicChat.knows(target)
        case .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage, .delivered, .read, .invitation: false
        }
    }

    /// Hides a peer's payloads, or shows them again. The peer does not learn it.
    package mutating func setMuted(_ peer: PeerID, _ isMuted: Bool) -> [ChatEvent] {
        roster.setMuted(peer, isMuted)
        return isMuted ? typing.stopAll(of: peer) : []
    }

    /// As `setMuted`. The caller refuses a blocked peer's links too, and messages to it are given up.
    package mutating func setBlocked(_ peer: PeerID, _ isBlocked: Bool) -> [ChatEvent] {
        let before = roster.isBlocked(peer)
        roster.setBlocked(peer, isBlocked)
        directChats.noteChange(with: peer)
        return before == isBlocked ? [] : blockChanged(peer, isBlocked)
    }

    private mutating func blockChanged(_ peer: PeerID, _ isBlocked: Bool) -> [ChatEvent] {
        guard isBlocked else { return [.blocked(peer, isOn: false)] }
        publicChat.readAll(of: peer)
        let lost = directChats.update(peer) { chat in
            chat.readAll(of: peer)
            return chat.giveUp()
        }
        return typing.stopAll(of: peer) + (lost ?? []) + [.blocked(peer, isOn: true)]
    }

    /// The peers of accepted direct conversations, to be remembered for later runs, the one used last at the end; nil if they
    /// are the same as at the last call. A blocked peer is not among them.
    package mutating func takeAcceptedChange() -> [PeerID]? {
        guard directChats.takeChange() else { return nil }
        return directChats.accepted.filter { !roster.isBlocked($0) }
    }

    /// Notes that the user compared the peer's code. No peer learns it.
    package mutating func setVerified(_ peer: PeerID, _ isVerified: Bool) {
        roster.setVerified(peer, isVerified)
    }

    /// Takes over marks that were set in another room of the same identity.
    ///
    /// - Returns: the events of the peers that are blocked now, and those peers.
    package mutating func adopt(_ marks: PeerMarks) -> (events: [ChatEvent], blocked: [PeerID], admitted: [PeerID]) {
        let before = Set(roster.marks.blocked.inOrder)
        let after = marks.blocked.inOrder.filter { $0 != me }
        let blocked = after.filter { !before.contains($0) }
        let admitted = roster.marks.blocked.inOrder.filter { !after.contains($0) }
        roster.setMarks(marks)
        for peer in blocked + admitted { directChats.noteChange(with: peer) }
        let events = blocked.flatMap { blockChanged($0, true) } + admitted.flatMap { blockChanged($0, false) }
        return (events, blocked, admitted)
    }

    package mutating func setContacts(_ contacts: [PeerID: String]) { roster.setContacts(contacts) }

    /// Notes from where a neighbour's link comes; nil for an address that many users share.
    package mutating func setGiver(_ giver: Giver?, of neighbour: PeerID) { givers.set(giver, for: neighbour) }

    /// Notes the first link to a peer.
    package mutating func linkOpened(_ peer: PeerID, now: Instant, wallClock: Timestamp) -> [ChatEvent] {
        roster.linkOpened(peer, now: now, wallClock: wallClock)
    }

    /// Notes the end of the last link to a peer.
    ///
    /// - Parameter staysHere: true if its presence holds without the link, as in a crowd.
    package mutating func linkClosed(
        _ peer: PeerID, _ end: LinkEnd, staysHere: Bool = false, now: Instant, wallClock: Timestamp
    ) -> [ChatEvent] {
        replies.removeAll { $0.peer == peer }
        givers.set(nil, for: peer)
        var events = typing.stopAll(of: peer) + (directChats.update(peer) { $0.linkClosed() } ?? [])
        events.note(roster.linkClosed(peer, end, staysHere: staysHere, now: now, wallClock: wallClock))
        return events
    }

    /// Notes what the newest presence of a peer says, in a crowd; false for one that left or whose presence has lapsed.
    package mutating func notePresence(
        of peer: PeerID, isHere: Bool, now: Instant, wallClock: Timestamp
    ) -> [ChatEvent] {
        roster.notePresence(of: peer, isHere: isHere && !roster.isBlocked(peer), now: now, wallClock: wallClock)
    }

    /// True if the arrivals and departures of a peer have events in a crowd too: it has a direct conversation with the user, who
    /// looks at one with it, or gave it a name or a mark.
    package func isNoted(_ peer: PeerID) -> Bool {
        if roster.isNoted(peer) || activeConversation == .direct(peer) { return true }
        return switch directChats[peer]?.state {
        case .requestedByUs, .requestedByThem, .accepted: true
        case .declined, .left, .none?, nil: false
        }
    }

    package mutating func takeMovements() -> Movements { roster.takeMovements() }

    /// When `tick` has something to do; nil for never.
    package var nextDeadline: Instant? {
        Instant.earlier(Instant.earlier(typing.nextDeadline, roster.nextDeadline), nextDelivery)
    }

    /// Does what is due. Then `takeReplies` may have payloads to send.
    package mutating func tick(_ now: Instant) -> [ChatEvent] { roster.tick(now) + typing.tick(now) }
}

/// Public history (Protocol.md section 7).
extension MessageRouter {
    /// Checks the signature of a kept payload before it is sent to a peer.
    ///
    /// - Parameter id: the first 8 bytes of its id.
    package mutating func verifySignature(of id: UInt64, with admission: inout Admission) -> SignatureCheck {
        publicChat.verifySignature(of: id) { admission.verifySignature(of: $0) }
    }

    /// Hands over the payloads that the public conversation kept since the last call, if any.
    package mutating func drainArchived(_ take: ([Archive.Item]) -> Void) { publicChat.drainItems(take) }

    /// Notes that a payload from history was refused: it is never asked for again.
    package mutating func noteFinal(_ id: UInt64) { publicChat.noteFinal(id) }
}

/// The parts of values that are not copyable, for the census of tables: reflection sees only copyable values.
extension MessageRouter {
    package var parts: [(name: String, value: Any)] {
        [
            ("publicChat", publicChat), ("directChats", directChats), ("paths", paths), ("typing", typing),
            ("pendingChanges", pendingChanges), ("givers", givers),
            ("replies", replies), ("peersOwedReceipts", peersOwedReceipts),
            ("peersWithBacklog", peersWithBacklog),
            ("refusals", refusals),
        ] + roster.parts.map { ("roster.\($0.name)", $0.value) }
    }
}

extension Roster {
    fileprivate var parts: [(name: String, value: Any)] {
        [
            ("muted", muted), ("marks", marks), ("known", known), ("numbers", numbers), ("lookAlikes", lookAlikes),
            ("renamed", renamed),
            ("deadlines", deadlines), ("elsewhere", elsewhere),
        ]
    }
}
