package import Wire

/// What can be asked, and what the world does besides sending payloads.
extension MessageRouter {
    /// What is kept of a conversation, oldest first; nothing for one that there is not.
    package func history(_ conversation: Conversation) -> [Message] {
        switch conversation {
        case .publicRoom: Array(publicChat.messages)
        case .direct(let peer): directChats[peer].map { Array($0.messages) } ?? []
        }
    }

    /// The room, then the direct conversations in which something was said or may be, the one used last first.
    package var overview: [ConversationOverview] {
        let room = ConversationOverview(
            conversation: .publicRoom, isActive: publicChat.isActive, unread: publicChat.unreadCount,
            last: publicChat.last)
        return [room]
            + directChats.all.filter { $0.isActive || $0.state == .accepted || !$0.messages.isEmpty }.map {
                ConversationOverview(
                    conversation: .direct($0.peer), isActive: $0.isActive, unread: $0.unreadCount, last: $0.last)
            }
    }

    /// The requests that wait for an answer, oldest first; not those of the muted and blocked.
    package var requests: [(from: PeerID, text: String)] {
        directChats.requests.compactMap { chat in
            roster.isHidden(chat.peer) ? nil : chat.request.map { (chat.peer, $0.content) }
        }
    }

    /// Whether others than its receiver may have a payload (relayed or from history). Ask before routing it.
    ///
    /// An edit or a deletion only if its message is public: one of a direct message looks the same.
    package func isForEveryone(_ payload: P2PPayload) -> Bool {
        switch payload.body {
        case .publicMessage, .presence: true
        case .typing(let target, _): target == nil
        case .edit(let target, _), .delete(let target): publicChat.knows(target)
        case .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage, .delivered, .read: false
        }
    }

    /// Nothing that a muted peer says is shown or counted. It is not told.
    package mutating func setMuted(_ peer: PeerID, _ isMuted: Bool) -> [ChatEvent] {
        roster.setMuted(peer, isMuted)
        return isMuted ? typing.stopAll(of: peer) : []
    }

    /// As muting; besides, the caller refuses a blocked peer's links, and what was not delivered to it never is.
    package mutating func setBlocked(_ peer: PeerID, _ isBlocked: Bool) -> [ChatEvent] {
        roster.setBlocked(peer, isBlocked)
        guard isBlocked else { return [] }
        return typing.stopAll(of: peer) + (directChats.update(peer) { $0.giveUp() } ?? [])
    }

    /// That the person compared a peer's code with it. Nobody is told.
    package mutating func setVerified(_ peer: PeerID, _ isVerified: Bool) {
        roster.setVerified(peer, isVerified)
    }

    /// The first link to a peer stands.
    package mutating func linkOpened(_ peer: PeerID, now: Instant, wallClock: Timestamp) -> [ChatEvent] {
        roster.linkOpened(peer, now: now, wallClock: wallClock)
    }

    /// The last link to a peer has ended.
    package mutating func linkClosed(
        _ peer: PeerID, _ end: LinkEnd, now: Instant, wallClock: Timestamp
    ) -> [ChatEvent] {
        replies.removeAll { $0.peer == peer }
        var events = typing.stopAll(of: peer) + (directChats.update(peer) { $0.linkClosed() } ?? [])
        events.note(roster.linkClosed(peer, end, now: now, wallClock: wallClock))
        return events
    }

    /// When `tick` has something to do; nil for never.
    package var nextDeadline: Instant? {
        Instant.earlier(Instant.earlier(typing.nextDeadline, roster.nextDeadline), nextDelivery)
    }

    /// Does what is due. Then `takeReplies` may have something to send.
    package mutating func tick(_ now: Instant) -> [ChatEvent] { roster.tick(now) + typing.tick(now) }
}

/// What others are given of the public conversation, and what is asked of them (Protocol.md section 7).
extension MessageRouter {
    /// What is about to be given to somebody, with its signature checked: one that is false is given to nobody.
    ///
    /// - Parameter id: the first 8 bytes of its id.
    package mutating func verifySignature(of id: UInt64, with admission: inout Admission) -> SignatureCheck {
        publicChat.verifySignature(of: id) { admission.verifySignature(of: $0) }
    }

    /// Hands over what was taken into the public conversation since this was asked last, if anything was.
    package mutating func drainArchived(_ take: ([Archive.Item]) -> Void) { publicChat.drainItems(take) }

    /// Something that was asked for is not fit to be taken in: it is not asked for again.
    package mutating func noteFinal(_ id: UInt64) { publicChat.noteFinal(id) }
}

/// What noncopyable values are made of, for those who look at every table that a node keeps: reflection sees only what
/// can be copied.
extension MessageRouter {
    package var parts: [(name: String, value: Any)] {
        [
            ("publicChat", publicChat), ("directChats", directChats), ("paths", paths), ("typing", typing),
            ("pendingChanges", pendingChanges), ("replies", replies), ("peersOwedReceipts", peersOwedReceipts),
            ("peersWithBacklog", peersWithBacklog),
            ("refusals", refusals),
        ] + roster.parts.map { ("roster.\($0.name)", $0.value) }
    }
}

extension Roster {
    fileprivate var parts: [(name: String, value: Any)] {
        [
            ("muted", muted), ("marks", marks), ("known", known), ("numbers", numbers), ("renamed", renamed),
            ("deadlines", deadlines),
        ]
    }
}
