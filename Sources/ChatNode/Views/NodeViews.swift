package import Chat
import Phrases
package import Wire

/// Views of the node's state for the program, with current names.
extension Node {
    package func me() -> PeerName { router.ownName }

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
    package func latestCorrespondent() throws(ChatError) -> PeerID { try router.latestCorrespondent() }

    package func who(_ peer: PeerID) -> PeerName { router.name(of: peer) }

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
            roundTrip: connections.sendingLink(of: row.who.key)?.roundTrip, isMuted: row.isMuted,
            isVerified: row.isVerified, isBlocked: row.isBlocked, reason: row.reason, profile: row.profile,
            isElsewhere: row.isElsewhere)
    }

    /// Finds the peer that `text` names (`Roster.find`).
    ///
    /// - Parameter meant: the peers that a command can be about; they come first among those of one name.
    /// - Throws: `unknown_peer`, or `ambiguous_peer` with the choices in its message.
    package func find(_ text: String, among meant: MeantPeers = .all) throws(ChatError) -> PeerID {
        try router.find(text, among: meant)
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

    package var activeConversation: ConversationView { router.view(router.activeConversation) }

    /// The stored messages of a conversation, the oldest first; at most 100.
    package func history(_ conversation: Conversation) -> [MessageView] { router.messages(in: conversation) }

    /// Every conversation with its unread count and last message, the public room first.
    package func summaries() -> [ConversationSummary] { router.summaries }

    /// A conversation with the name to show.
    package func view(_ conversation: Conversation) -> ConversationView { router.view(conversation) }
}
