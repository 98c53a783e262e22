package import Chat
package import ChatNode

/// A room with all that a face shows of it, at one time.
package struct RoomSnapshot: Sendable {
    package let overview: RoomOverview
    /// The event of that name, with the names of now; nil before it.
    package let ready: NodeEvent?
    package let profile: Profile
    package let peers: [PeerView]
    /// The stored messages of each conversation, the oldest first; in the order of `overview`.
    package let histories: [(conversation: ConversationView, messages: [MessageView])]

    init(
        _ overview: RoomOverview, ready: NodeEvent?, profile: Profile, peers: [PeerView],
        histories: [(conversation: ConversationView, messages: [MessageView])]
    ) {
        (self.overview, self.ready, self.profile) = (overview, ready, profile)
        (self.peers, self.histories) = (peers, histories)
    }
}
