package import Chat
import Phrases
package import Wire

/// Views of the node's state for the program, with current names.
extension Node {
    package func me() -> PeerName {
        let known = router.roster.who(context.me)
        return PeerName(
            number: known.number, suffix: known.suffix, nickname: router.session.nickname, stage: router.session.stage,
            key: context.me)
    }

    /// Whether the node's room is this one.
    package func isIn(_ room: Room) -> Bool { configuration.room.isSame(as: room) }

    /// The room, for an invitation to it.
    package var ownRoom: Room { configuration.room }

    /// The profile in the own presence.
    package var profile: Profile { router.session.profile }

    /// The open rooms that linked peers say to be in, with the number of those peers.
    package var announcedRooms: [String: Int] { router.roster.announcedRooms }

    /// True if a direct conversation with the peer is accepted.
    package func isAccepted(_ peer: PeerID) -> Bool { router.directChats[peer]?.state == .accepted }

    /// The name of the room.
    package var room: String { configuration.room.name }

    /// The author of the latest direct message to this node.
    ///
    /// - Throws: `not_accepted` if there is none.
    package func latestCorrespondent() throws(ChatError) -> PeerID {
        let latest = router.directChats.all.compactMap { chat in
            chat.messages.last { $0.author == chat.peer }.map { (peer: chat.peer, at: $0.receivedAt) }
        }
        guard let newest = latest.max(by: { $0.at < $1.at }) else {
            throw ChatError(.notAccepted, .noOneToAnswer)
        }
        return newest.peer
    }

    package func who(_ peer: PeerID) -> PeerName {
        peer == context.me ? me() : router.roster.who(peer)
    }

    /// True if there is a link to a peer.
    package func isOnline(_ peer: PeerID) -> Bool { router.roster.isOnline(peer) }

    /// True if a peer is in the room, with a link or without.
    package func isHere(_ peer: PeerID) -> Bool { router.roster.isHere(peer) }

    /// The peers that are here.
    package func online() -> Int { router.roster.online }

    /// True if so many are here that `peers` has not all of them.
    package var isCrowded: Bool { crowd.isFolded && online() > Limits.heardPeersShown }

    /// The peers that are here, then the last 64 that left. Of a crowd, the 64 here that were heard last.
    package func peers() -> [PeerView] {
        (crowd.isFolded ? router.roster.latestRows : router.roster.rows).map(view)
    }

    /// The blocked peers, in the order in which they were blocked; those of earlier runs too.
    package func blocked() -> [PeerName] { router.roster.marks.blocked.inOrder.map { router.roster.who($0) } }

    /// One peer; nil if it never was here.
    package func person(_ peer: PeerID) -> PeerView? { router.roster.row(of: peer).map(view) }

    private func view(_ row: Roster.Row) -> PeerView {
        PeerView(
            who: row.who, state: row.state, since: row.since,
            roundTrip: connections.info(of: row.who.key)?.roundTrip, isMuted: row.isMuted,
            isVerified: row.isVerified, isBlocked: row.isBlocked, reason: row.reason, profile: row.profile,
            isElsewhere: row.isElsewhere)
    }

    /// Finds the peer that `text` names (`Roster.find`).
    ///
    /// - Parameter meant: the peers that a command can be about; they come first among those of one name.
    /// - Throws: `unknown_peer`, or `ambiguous_peer` with the choices in its message.
    package func find(_ text: String, among meant: MeantPeers = .all) throws(ChatError) -> PeerID {
        switch router.roster.find(text, where: { isMeant($0, by: meant) }) {
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
        case .requesting: router.directChats[peer]?.request != nil
        case .conversing: router.directChats[peer] != nil
        case .muted: router.roster.isMuted(peer)
        case .blocked: router.roster.isBlocked(peer)
        case .contacts: router.roster.contacts[peer] != nil
        }
    }

    /// Whether a peer of this name, number or key has an open request.
    package func hasRequest(of text: String) -> Bool {
        guard let key = try? find(text, among: .requesting) else { return false }
        return requests().contains { $0.who.key == key }
    }

    /// Open requests for a direct conversation, the oldest first.
    package func requests() -> [(who: PeerName, text: String)] {
        router.requests.map { (who($0.from), $0.text) }
    }

    package var activeConversation: ConversationView { view(router.activeConversation) }

    /// The stored messages of a conversation, the oldest first; at most 100.
    package func history(_ conversation: Conversation) -> [MessageView] {
        let unread = router.overview.first { $0.conversation == conversation }?.unread ?? 0
        return router.history(conversation).map { view($0, in: conversation, unread: unread) }
    }

    /// Every conversation with its unread count and last message, the public room first.
    package func summaries() -> [ConversationSummary] {
        router.overview.map { row in
            ConversationSummary(
                conversation: view(row.conversation), isActive: row.isActive, unread: row.unread,
                last: row.last.map { view($0, in: row.conversation, unread: row.unread) })
        }
    }

    func view(_ event: consuming ChatEvent) -> NodeEvent {
        switch consume event {
        case .message(let conversation, let message, let unread):
            .message(view(message, in: conversation, unread: unread))
        case .edited(let conversation, let message, let unread):
            .edited(view(message, in: conversation, unread: unread))
        case .deleted(let conversation, let message, let unread):
            .deleted(view(message, in: conversation, unread: unread).withoutText)
        case .request(let peer, let text):
            .request(from: who(peer), text: text)
        case .direct(let change, let peer):
            .direct(change, with: who(peer))
        case .invitation(let peer, let invitation):
            .invitation(from: who(peer), to: Room(invitation))
        case .delivered(let peer, let ids):
            .delivered(with: who(peer), ids: ids)
        case .read(let peer, let ids):
            .read(with: who(peer), ids: ids)
        case .failed(let peer, let messages):
            .failed(with: who(peer), messages: messages)
        case .typing(let peer, let conversation, let isOn):
            .typing(who(peer), view(conversation), isOn: isOn)
        case .presence(let peer, let state, let reason, let was, let online):
            .peer(state, who(peer), reason: reason, was: was, online: online)
        case .elsewhere(let peer, let state, let reason, let was):
            .elsewhere(state, who(peer), reason: reason, was: was)
        case .blocked(let peer, let isOn):
            .blocked(who(peer), isOn: isOn)
        }
    }

    /// A conversation with the name to show.
    package func view(_ conversation: Conversation) -> ConversationView {
        switch conversation {
        case .publicRoom: .publicRoom
        case .direct(let peer): .direct(with: who(peer))
        }
    }

    private func isOpenRequest(_ message: Message, in conversation: Conversation) -> Bool {
        guard case .direct(let peer) = conversation, message.author == context.me else { return false }
        return router.directChats[peer]?.state == .requestedByUs
    }

    private func view(_ message: Message, in conversation: Conversation, unread: Int) -> MessageView {
        return MessageView(
            conversation: view(conversation), id: message.id, from: router.roster.who(of: message),
            text: message.content,
            sentAt: message.sentAt, receivedAt: message.receivedAt,
            isFromCurrentUser: message.isFromCurrentUser(context.me), isHistory: message.isHistory,
            isMissed: message.isMissed, isEdited: message.isEdited, unread: unread,
            delivery: conversation == .publicRoom ? nil : router.delivery(of: message, in: conversation),
            isRequest: isOpenRequest(message, in: conversation),
            isMention: message.author != context.me && router.session.mention.isIn(message.content))
    }
}
