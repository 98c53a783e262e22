package import Chat
package import Wire

/// What a person sees: names as they are now, put to what the chats hold.
extension Node {
    package func me() -> Who { router.roster.who(of: session) }

    func who(_ peer: PeerID) -> Who {
        peer == context.me ? me() : router.roster.who(peer)
    }

    /// Peers with a link.
    package func online() -> Int { linksByPeer.count }

    /// Peers that are here or away, then those that have gone; the longest first.
    package func peers() -> [PeerView] {
        router.roster.entries.map { entry in
            PeerView(
                who: who(entry.key), state: entry.state, since: entry.since,
                roundTrip: sendingLink(of: entry.key)?.link.roundTrip, isMuted: entry.isMuted,
                isVerified: entry.isVerified)
        }
    }

    /// The one peer that `text` names: `4821`, `#4821`, `#4821-3377` or a nickname.
    ///
    /// - Throws: `unknown_peer`, or `ambiguous_peer` with the choices in its message.
    package func find(_ text: String) throws(ChatError) -> PeerID {
        try router.roster.find(text)
    }

    /// Open requests for a direct conversation, the oldest first.
    package func requests() -> [(who: Who, text: String)] {
        router.requests.map { (who($0.peer), $0.text) }
    }

    package var activeConversation: ConversationView { view(router.active) }

    /// The messages that are kept, the oldest first; at most 100.
    package func history(_ conversation: Conversation) -> [MessageView] {
        router.history(conversation).map { view($0, in: conversation, unread: router.unread(conversation)) }
    }

    /// Every conversation with its unread count and last message, the public room first.
    package func summaries() -> [ConversationSummary] {
        router.conversations.map { conversation in
            let unread = router.unread(conversation)
            return ConversationSummary(
                conversation: view(conversation), isActive: conversation == router.active, unread: unread,
                last: router.last(conversation).map { view($0, in: conversation, unread: unread) })
        }
    }

    /// Counters by name, all of them, in a fixed order.
    package func statistics() -> [Counter] {
        [
            Counter(name: "peers_online", value: online()),
            Counter(name: "connections", value: slots.count),
            Counter(name: "candidates", value: table.count),
            Counter(name: "half_open_handshakes", value: gate.halfOpen),
        ] + counts.counters
    }

    func view(_ event: ChatEvent) -> NodeEvent {
        switch event {
        case .message(let conversation, let message, let unread):
            .message(view(message, in: conversation, unread: unread))
        case .edited(let conversation, let message, let unread):
            .edited(view(conversation), message.id, text: message.content, unread: unread)
        case .deleted(let conversation, let id, let unread):
            .deleted(view(conversation), id, unread: unread)
        case .request(let peer, let text):
            .request(from: who(peer), text: text)
        case .direct(let change, let peer):
            .direct(change, with: who(peer))
        case .delivered(let peer, let ids):
            .delivered(with: who(peer), ids: ids)
        case .read(let peer, let ids):
            .read(with: who(peer), ids: ids)
        case .typing(let peer, let conversation, let isOn):
            .typing(who(peer), view(conversation), isOn: isOn)
        case .presence(let peer, let state, let online):
            .peer(state, who(peer), online: online)
        }
    }

    private func view(_ conversation: Conversation) -> ConversationView {
        switch conversation {
        case .publicRoom: .publicRoom
        case .direct(let peer): .direct(with: who(peer))
        }
    }

    private func view(_ message: Message, in conversation: Conversation, unread: Int) -> MessageView {
        let now = who(message.author)
        let author = Who(
            number: now.number, suffix: now.suffix, nickname: message.senderNickname, stage: message.senderStage,
            key: message.author)
        return MessageView(
            conversation: view(conversation), id: message.id, from: author, text: message.content,
            sentAt: message.sentAt, receivedAt: message.receivedAt,
            isFromCurrentUser: message.isFromCurrentUser(in: session), isHistory: message.isHistory,
            isEdited: message.isEdited, unread: unread)
    }
}
