package import Chat
package import Wire

/// What may outlast the node, and what is lost with it.
extension Node {
    /// What the person has decided about peers.
    package var marks: PeerMarks { router.roster.marks }

    /// What the person and a peer compare to know that nobody sits between them.
    package func verificationCode(with peer: PeerID) -> VerificationCode { VerificationCode(context.me, peer) }

    /// How much is kept in memory at this moment.
    package func memoryUsage() -> MemoryUsage {
        let conversations = router.overview.map(\.conversation)
        return MemoryUsage(
            conversations: conversations.count,
            messages: conversations.reduce(0) { $0 + router.history($1).count }, peers: router.roster.count - 1)
    }
}

/// What a node knows, counted: all of it is forgotten with the node.
package struct MemoryUsage: Hashable, Sendable {
    /// The public one among them.
    package let conversations: Int
    package let messages: Int
    /// Everybody heard of, whether here or gone.
    package let peers: Int

    package init(conversations: Int, messages: Int, peers: Int) {
        self.conversations = conversations
        self.messages = messages
        self.peers = peers
    }
}
