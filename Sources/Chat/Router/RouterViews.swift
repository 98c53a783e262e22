import Phrases
package import Wire

/// Queries, which change nothing.
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
                    last: last(of: $0.messages), standing: $0.standing)
            }
    }

    /// Whether a peer of this name, number or key has an open request.
    package func hasRequest(of text: String) -> Bool {
        guard let key = try? find(text, among: .requesting) else { return false }
        return requests.contains { $0.from == key }
    }

    /// The open requests of peers that are not hidden, oldest first.
    package var requests: [(from: PeerID, text: String)] {
        directChats.requests.compactMap { chat in
            roster.isHidden(chat.peer) ? nil : chat.request.map { (chat.peer, $0.content) }
        }
    }

    /// True if a payload is passed on to others. To be called before routing it.
    ///
    /// An edit or a deletion only if its message is known: those of messages that never were cost their author nothing.
    package func isForEveryone(_ payload: P2PPayload) -> Bool {
        switch payload.body {
        case .publicMessage, .presence, .card: true
        case .typing(let target, _): target == nil
        // It may come before its message: they spread over the trees of different authors.
        case .reaction(let receiver, _, _): receiver == nil
        case .edit(let receiver, let target, _), .delete(let receiver, let target):
            receiver == nil && publicChat.knows(target)
        case .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage, .delivered, .read, .invitation: false
        }
    }

    /// The delivery state of an own direct message; nil for any other message.
    package func delivery(of message: Message, in conversation: Conversation) -> DeliveryState? {
        switch conversation {
        case .publicRoom: nil
        case .direct(let peer): message.author == me ? directChats[peer]?.delivery(of: message.id) : nil
        }
    }

    /// True if a payload was sent to the peer that it acknowledges without asking its user.
    package func awaitsReceipts(from peer: PeerID) -> Bool { directChats[peer]?.queue.awaitsReceipts ?? false }

    /// True if a direct conversation with a peer is kept, in whatever state.
    package func hasConversation(with peer: PeerID) -> Bool { directChats[peer] != nil }

    /// True if a direct conversation with a peer is accepted.
    package func isAccepted(_ peer: PeerID) -> Bool { directChats[peer]?.state == .accepted }

    /// True if a request, a message or a change has no receipt of the peer yet.
    package func isUnacknowledged(by peer: PeerID) -> Bool { directChats[peer].map { !$0.queue.isEmpty } ?? false }

    /// True if the arrivals and departures of a peer have events in a crowd too: it has a direct conversation with the user, the
    /// user looks at one with it, or has given it a name or a mark.
    package func isNoted(_ peer: PeerID) -> Bool {
        if roster.isNoted(peer) || isShown(.direct(peer)) { return true }
        return switch directChats[peer]?.state {
        case .requestedByUs, .requestedByThem, .accepted: true
        case .declined, .left, .none?, nil: false
        }
    }
}

/// Whether an operation of the user can be done, and to which message.
extension MessageRouter {
    /// The fewest hexadecimal digits of an id that name a message, if they are unique among own messages.
    package static let shortestReference = 6

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

    func ownMessage(
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

    /// The message of a conversation that an answer or a reaction names.
    ///
    /// - Parameter reference: the 32 hexadecimal digits of its id, which need not be here, or at least the first 6 if they are unique
    ///   there.
    package func message(_ reference: String, in conversation: Conversation) throws(ChatError) -> MessageID {
        let digits = reference.lowercased()
        guard digits.utf8.count >= MessageRouter.shortestReference else {
            throw ChatError(.unknownMessage, .shortMessageID)
        }
        let matches = history(conversation).filter { $0.id.hexadecimal.hasPrefix(digits) }
        if let match = matches.first, matches.count == 1 { return match.id }
        guard matches.isEmpty, let id = MessageID(hexadecimal: digits), !isElsewhere(id, than: conversation) else {
            throw ChatError(.unknownMessage, .unknownReference, "\(matches.count)")
        }
        return id
    }

    /// True for a message of another conversation: no id of a private one is named in a room.
    private func isElsewhere(_ id: MessageID, than conversation: Conversation) -> Bool {
        if conversation != .publicRoom, publicChat.messages.contains(id: id) { return true }
        return directChats.all.contains { conversation != .direct($0.peer) && $0.messages.contains(id: id) }
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

/// Names, as faces show them.
extension MessageRouter {
    /// The user's own name.
    package var ownName: PeerName {
        let known = roster.who(me)
        return PeerName(
            number: known.number, suffix: known.suffix, nickname: session.nickname, stage: session.stage, key: me)
    }

    /// The present name of a peer, or the user's own.
    package func name(of peer: PeerID) -> PeerName { peer == me ? ownName : roster.who(peer) }

    /// The conversation that is looked at.
    package var activeView: ConversationView { view(activeConversation) }

    /// A conversation with the name to show.
    package func view(_ conversation: Conversation) -> ConversationView {
        switch conversation {
        case .publicRoom: .publicRoom
        case .direct(let peer): .direct(with: name(of: peer))
        }
    }

    /// - Parameter unread: the unread messages in the conversation, with this one.
    package func view(_ message: Message, in conversation: Conversation, unread: Int) -> MessageView {
        MessageView(
            conversation: view(conversation), id: message.id, from: roster.who(of: message), text: message.content,
            sentAt: message.sentAt, receivedAt: message.receivedAt, placeTime: message.placeTime,
            authorClock: message.authorClock, isFromCurrentUser: message.isFromCurrentUser(me),
            isHistory: message.isHistory,
            isMissed: message.isMissed, isEdited: message.isEdited, unread: unread,
            delivery: delivery(of: message, in: conversation), isRequest: isOpenRequest(message, in: conversation),
            mention: message.author == me ? nil : session.mention, replyTo: message.replyTo,
            isReplyToOwn: isReplyToOwn(message, in: conversation),
            reactions: reactions(to: message.id, in: conversation))
    }

    private func isReplyToOwn(_ message: Message, in conversation: Conversation) -> Bool {
        guard message.author != me, let target = message.replyTo else { return false }
        return log(conversation)?.messages[id: target]?.author == me
    }

    /// The reactions to a message that are shown: the most given ones, in the order in which they came here.
    func reactions(to message: MessageID, in conversation: Conversation) -> [ReactionCount] {
        guard let reactions = log(conversation)?.reactions, !reactions.isEmpty else { return [] }
        let all = authors(on: message, in: conversation).map { emoji, authors in
            ReactionCount(emoji: emoji, count: authors.count, isOwn: authors.contains(me))
        }
        guard all.count > Limits.emojisOfMessage else { return all }
        let fewest = all.map(\.count).sorted(by: >)[Limits.emojisOfMessage - 1]
        let more = all.count { $0.count > fewest }
        var room = Limits.emojisOfMessage - more
        return all.filter { emoji in
            guard emoji.count == fewest else { return emoji.count > fewest }
            room -= 1
            return room >= 0
        }
    }

    /// The emojis of a message, each with its authors that are not hidden.
    private func authors(
        on message: MessageID, in conversation: Conversation
    ) -> [(emoji: String, authors: [PeerID])] {
        log(conversation)?.reactions.authors(on: message) { !roster.isHidden($0) } ?? []
    }

    /// The authors of each emoji on a message.
    package func reactors(
        _ reference: String, in conversation: Conversation? = nil
    ) throws(ChatError) -> (message: MessageView, [(emoji: String, who: [PeerName])]) {
        let conversation = conversation ?? activeConversation
        let id = try message(reference, in: conversation)
        guard let message = history(conversation).first(where: { $0.id == id }) else {
            throw ChatError(.unknownMessage, .unknownReference, "0")
        }
        let unread = log(conversation)?.unreadCount ?? 0
        return (
            view(message, in: conversation, unread: unread),
            authors(on: id, in: conversation).map { ($0.emoji, $0.authors.map { name(of: $0) }) }
        )
    }

    /// The event of a reaction; nil if its message is not here, or not shown, or the reaction is not.
    ///
    /// - Parameter id: of the payload; nil if the reaction counts no more, or again, without one.
    func reaction(
        _ emojis: [String], by author: PeerID, on target: MessageID, in conversation: Conversation, _ id: MessageID?,
        isHistory: Bool
    ) -> ReactionEvent? {
        guard let log = log(conversation), let message = log.messages[id: target], !roster.isBlocked(message.author),
            id == nil || !roster.isHidden(author)
        else { return nil }
        return ReactionEvent(
            message: view(message, in: conversation, unread: log.unreadCount), by: name(of: author), emojis: emojis,
            id: id, isFromCurrentUser: author == me, isHistory: isHistory)
    }

    /// The messages and reactions of a conversation; nil if there is none.
    func log(_ conversation: Conversation) -> ConversationLog? {
        switch conversation {
        case .publicRoom: publicChat.log
        case .direct(let peer): directChats[peer]?.log
        }
    }

    func view(_ card: Card) -> CardView {
        CardView(
            id: card.id, from: roster.who(of: card), content: card.content, sentAt: card.source.payload.timestamp,
            expiresAt: card.expiresAt, isFromCurrentUser: card.author == me,
            isHistory: card.isHistory, order: card.signedOrder)
    }

    /// The cards of the notice board without those of hidden peers, in the order in which they were signed.
    package var board: [CardView] { publicChat.board.cards.filter { !roster.isHidden($0.author) }.map { view($0) } }

    private func isOpenRequest(_ message: Message, in conversation: Conversation) -> Bool {
        guard case .direct(let peer) = conversation, message.author == me, let chat = directChats[peer] else {
            return false
        }
        // Nothing can be said behind an open request; own messages in front of it are of an earlier conversation.
        return chat.state == .requestedByUs && chat.last?.id == message.id
    }

    /// The stored messages of a conversation, the oldest first; at most 100.
    package func messages(in conversation: Conversation) -> [MessageView] {
        let unread = overview.first { $0.conversation == conversation }?.unread ?? 0
        return history(conversation).map { message in
            var view = view(message, in: conversation, unread: unread)
            view.isUnread = isUnread(message.id, in: conversation)
            return view
        }
    }

    private func isUnread(_ id: MessageID, in conversation: Conversation) -> Bool {
        switch conversation {
        case .publicRoom: publicChat.isUnread(id)
        case .direct(let peer): directChats[peer]?.isUnread(id) ?? false
        }
    }

    /// Every conversation with its unread count and last message, the public room first.
    package var summaries: [ConversationSummary] {
        overview.map { row in
            ConversationSummary(
                conversation: view(row.conversation), isActive: row.isActive, isOpen: isOpen(row.conversation),
                unread: row.unread,
                last: row.last.map { view($0, in: row.conversation, unread: row.unread) }, standing: row.standing)
        }
    }

    /// Finds the peer that `text` names (`Roster.find`).
    ///
    /// - Parameter meant: the peers that a command can be about; they come first among those of one name.
    /// - Throws: `unknown_peer`, or `ambiguous_peer` with the choices in its message.
    package func find(_ text: String, among meant: MeantPeers = .all) throws(ChatError) -> PeerID {
        switch roster.find(text, where: { isMeant($0, by: meant) }) {
        case .one(let peer):
            return peer
        case .none:
            throw ChatError(.unknownPeer, .noSuchPeer, text)
        case .ambiguous(let choices):
            let names = choices.map(\.displayName).joined(separator: ", ")
            throw ChatError(.ambiguousPeer, .ambiguousPeer, text, names)
        }
    }

    private func isMeant(_ peer: PeerID, by meant: MeantPeers) -> Bool {
        switch meant {
        case .all: false
        case .requesting: directChats[peer]?.request != nil
        case .conversing: directChats[peer] != nil
        case .muted: roster.isMuted(peer)
        case .blocked: roster.isBlocked(peer)
        case .contacts: roster.contacts[peer] != nil
        }
    }

    /// The author of the latest direct message to the user.
    ///
    /// - Throws: `not_accepted` if there is none.
    package func latestCorrespondent() throws(ChatError) -> PeerID {
        let latest = directChats.all.compactMap { chat in
            chat.messages.last { $0.author == chat.peer }.map { (peer: chat.peer, at: $0.receivedAt) }
        }
        guard let newest = latest.max(by: { $0.at < $1.at }) else {
            throw ChatError(.notAccepted, .noOneToAnswer)
        }
        return newest.peer
    }
}

/// The peers that a command can be about.
package enum MeantPeers: Hashable, Sendable {
    case all
    /// Those whose request for a direct conversation is open.
    case requesting
    /// Those with a direct conversation.
    case conversing
    case muted
    case blocked
    case contacts
}

/// The parts of values that are not copyable, for the census of tables: reflection sees only copyable values.
extension MessageRouter {
    package var parts: [(name: String, value: Any)] {
        [
            ("publicChat", publicChat), ("directChats", directChats), ("paths", paths), ("typing", typing),
            ("pendingChanges", pendingChanges), ("pendingReactions", pendingReactions), ("givers", givers),
            ("replies", replies),
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
