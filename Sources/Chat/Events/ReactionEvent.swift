package import Wire

/// An emoji on a message, and how many have given it.
package struct ReactionCount: Hashable, Sendable {
    /// Not made safe for display.
    package let emoji: String
    package let count: Int
    /// Whether the user is one of them.
    package let isOwn: Bool

    package init(emoji: String, count: Int, isOwn: Bool) {
        (self.emoji, self.count, self.isOwn) = (emoji, count, isOwn)
    }
}

/// An author has other emojis on a message than before.
package struct ReactionEvent: Hashable, Sendable {
    /// In its present form, with all reactions.
    package let message: MessageView
    package let by: PeerName
    /// All emojis of this author on the message now; none if it took them back, or is not counted any more.
    package let emojis: [String]
    /// The payload that changed them; nil for a change that came of none.
    package let id: MessageID?
    package let isFromCurrentUser: Bool
    package let isHistory: Bool
}
