package import Chat
package import Wire

extension Node {
    /// The user's decisions about peers, for storage.
    package var marks: PeerMarks { router.roster.marks }

    /// The code that the user and a peer compare to rule out a man in the middle.
    package func verificationCode(with peer: PeerID) -> VerificationCode { VerificationCode(context.me, peer) }

    /// Counts the entries in memory now.
    package func memoryUsage() -> MemoryUsage {
        let conversations = router.overview.map(\.conversation)
        return MemoryUsage(
            conversations: conversations.count,
            messages: conversations.reduce(0) { $0 + router.history($1).count }, peers: router.roster.count - 1)
    }
}

/// Counts of the entries that a node keeps in memory and discards when it ends.
package struct MemoryUsage: Hashable, Sendable {
    /// Includes the public conversation.
    package var conversations: Int
    package var messages: Int
    /// Known peers, linked or not.
    package var peers: Int

    package init(conversations: Int = 0, messages: Int = 0, peers: Int = 0) {
        self.conversations = conversations
        self.messages = messages
        self.peers = peers
    }

    package static func += (sum: inout MemoryUsage, other: MemoryUsage) {
        sum.conversations += other.conversations
        sum.messages += other.messages
        sum.peers += other.peers
    }
}
