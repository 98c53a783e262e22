internal import Chat
internal import Wire

/// The reason why an action in a room was refused. Nothing has changed, and the room goes on.
public struct SendError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause, for programs. The raw values are the codes of Docs/JSON.md.
    public enum Reason: String, Sendable, Hashable {
        /// The text is empty.
        case empty
        /// The text has more than 240 characters.
        case tooLong = "too_long"
        /// The text has more than 3,072 bytes.
        case tooManyBytes = "too_many_bytes"
        /// The text has too many marks on one character.
        case tooDense = "too_dense"
        /// The person is not known here any more.
        case unknownPerson = "unknown_peer"
        /// The person is not here, or is blocked.
        case notConnected = "not_connected"
        /// The conversation is not accepted yet, or is over.
        case notAccepted = "not_accepted"
        /// The message is not here any more, or is another author's.
        case unknownMessage = "unknown_message"
        /// The text is not one emoji.
        case invalidEmoji = "invalid_emoji"
        /// One user gives a message three emojis at most.
        case tooManyReactions = "too_many_reactions"
        /// The room was left, or its node has ended.
        case ended
        /// Another rule, which the message names.
        case refused
    }

    /// The cause.
    public let reason: Reason
    /// One lower-case line for people, with the rule and the figures.
    public let message: String

    /// The message.
    public var description: String { message }

    static let ended = SendError(reason: .ended, message: "the room was left, or its node has ended")

    private init(reason: Reason, message: String) { (self.reason, self.message) = (reason, message) }

    init(_ error: ChatError) {
        let reason = Reason(rawValue: error.code.rawValue) ?? .refused
        self.init(reason: reason, message: SendError.message(of: reason) ?? error.message)
    }

    /// For rules whose text in the program names its commands; nil for the others.
    private static func message(of reason: Reason) -> String? {
        switch reason {
        case .unknownMessage: "the message is not here any more, or is another author's"
        case .tooManyReactions:
            "\(Limits.reactionsOfAuthor) emojis on a message are the most; take one back first"
        case .empty, .tooLong, .tooManyBytes, .tooDense, .unknownPerson, .notConnected, .notAccepted, .invalidEmoji,
            .ended, .refused:
            nil
        }
    }
}
