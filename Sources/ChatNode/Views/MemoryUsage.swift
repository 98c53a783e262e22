package import Chat

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

    /// Counts the entries of a room now.
    package init(of router: borrowing MessageRouter) {
        let conversations = router.overview.map(\.conversation)
        self.init(
            conversations: conversations.count,
            messages: conversations.reduce(0) { $0 + router.history($1).count }, peers: router.roster.count - 1)
    }

    package static func += (sum: inout MemoryUsage, other: MemoryUsage) {
        sum.conversations += other.conversations
        sum.messages += other.messages
        sum.peers += other.peers
    }
}
