internal import Chat

/// An emoji on a message, and the number of people that gave it.
public struct Reaction: Sendable, Hashable {
    /// The emoji as it was sent: not safe to show.
    public let emoji: String
    /// The number of people that gave it, at least 1; this user counts.
    public let count: Int
    /// Whether this user gave it.
    public let isFromCurrentUser: Bool

    init(_ reaction: ReactionCount) {
        (emoji, count, isFromCurrentUser) = (reaction.emoji, reaction.count, reaction.isOwn)
    }
}
