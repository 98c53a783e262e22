package import Chat
package import ChatNode

/// A room with all that a face shows of it, at one time.
package struct RoomSnapshot: Sendable {
    package let overview: RoomOverview
    /// The event of that name, with the names of now; nil before it.
    package let ready: NodeEvent?
    package let status: OwnStatus
    /// Why no peer may be found; nil if nothing is known to be in the way.
    package let obstacle: Obstacle?
    package let peers: [PeerView]
    /// The stored messages of each conversation, the oldest first; in the order of `overview`.
    package let histories: [(conversation: ConversationView, messages: [MessageView])]
    /// Those of the notice board, in the order in which they were signed.
    package let cards: [CardView]

    /// A room as its node has it now; its events before are delivered.
    init(of node: Node, _ overview: () -> RoomOverview) {
        node.flushEvents()
        let overview = overview()
        self.init(
            overview, ready: node.readyEvent(), status: node.chat.session.status, obstacle: node.obstacle,
            peers: node.peers(),
            histories: overview.conversations.map {
                ($0.conversation, node.chat.messages(in: Conversation($0.conversation)))
            }, cards: node.chat.board)
    }

    init(
        _ overview: RoomOverview, ready: NodeEvent?, status: OwnStatus, obstacle: Obstacle? = nil, peers: [PeerView],
        histories: [(conversation: ConversationView, messages: [MessageView])], cards: [CardView] = []
    ) {
        (self.overview, self.ready, self.status) = (overview, ready, status)
        (self.obstacle, self.peers, self.histories, self.cards) = (obstacle, peers, histories, cards)
    }

    /// The first reports of a client that hears of later events: events of this turn and before are not among those.
    func tailStart(withHistory: Bool) -> [RoomReport] {
        let messages = histories.first { $0.conversation == .publicRoom }?.messages ?? []
        let kept = withHistory ? Report.answer(.history(.publicRoom, messages)) : nil
        let reports = [.snapshot(self), ready.map(Report.event), kept].compactMap(\.self)
        return reports.map { RoomReport(overview.room, $0) }
    }
}
