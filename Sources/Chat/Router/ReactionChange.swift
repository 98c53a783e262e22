import Phrases
internal import Wire

/// A change of the user's reactions to a message.
package enum ReactionChange: Hashable, Sendable {
    case set(String)
    case unset(String)
    /// Takes all of them back.
    case clear

    /// The reactions once it is done.
    ///
    /// - Throws: `invalid_emoji`; `too_many_reactions` for one more than an author may have.
    func applied(to before: [String]) throws(ChatError) -> [String] {
        switch self {
        case .clear: return []
        case .unset(let given):
            let emoji = try Emoji.compose(given)
            return before.filter { $0 != emoji }
        case .set(let given):
            let emoji = try Emoji.compose(given)
            guard !before.contains(emoji) else { return before }
            guard before.count < Limits.reactionsOfAuthor else {
                throw ChatError(.tooManyReactions, .tooManyReactions, "\(Limits.reactionsOfAuthor)")
            }
            return before + [emoji]
        }
    }
}
