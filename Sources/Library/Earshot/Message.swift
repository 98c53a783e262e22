internal import Chat
internal import ChatNode
internal import Wire

/// A message as it was when it was read. Two values are equal if their ids are.
public struct Message: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// The id of a message, computed from what its author signed: equal in each program.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        let value: MessageID

        /// 32 hexadecimal digits.
        public var description: String { value.hexadecimal }
    }

    /// The id.
    public let id: ID
    /// The author, with the name that the message was said under, and without a presence.
    public let author: Person
    /// The conversation in which it was said.
    public let conversation: Conversation
    /// The text, 1 to 240 characters, as it was sent: not safe to show. Empty once it is deleted.
    public let text: String
    /// The time at which the author sent it, in milliseconds since 1970-01-01T00:00:00Z, by the author's clock: it can be wrong, and
    /// differs from the order of messages then. In Foundation, `Date(timeIntervalSince1970: Double(sentAt) / 1_000)`.
    public let sentAt: UInt64
    /// Whether this user said it.
    public let isFromCurrentUser: Bool
    /// Whether it was said before, and came from the memory of a peer.
    public let isHistory: Bool
    /// Whether it is history with a time behind the joining of this user: it was missed in an outage, or before the link was up. Clocks that
    /// differ make a difference in the first seconds.
    public let isMissed: Bool
    /// Whether its author has changed the text.
    public let isEdited: Bool
    /// Whether it has the name of this user in its text, or answers a message of this user.
    public let isMention: Bool
    /// The message that it answers; nil for none.
    public let replyTo: ID?
    /// The emojis that people gave it, in the order in which they came here: at most 20, those that the most people gave.
    public let reactions: [Reaction]

    /// The longest beginning of a text that can be sent: 240 characters and 3,072 bytes at most, without white space at its ends; empty if there
    /// is none.
    public static func fitting(_ text: String) -> String {
        var beginning = text.drop(while: \.isWhitespace).prefix(Limits.messageCharacters)
        while !beginning.isEmpty {
            if let composed = try? Text.compose(String(beginning)) { return composed }
            beginning = beginning.dropLast()
        }
        return ""
    }

    init(_ view: MessageView, in room: Room) {
        id = ID(value: view.id)
        author = Person(view.from)
        conversation = Conversation(view.conversation, in: room)
        (text, sentAt) = (view.text, view.sentAt.milliseconds)
        (isFromCurrentUser, isHistory, isEdited) = (view.isFromCurrentUser, view.isHistory, view.isEdited)
        (isMissed, isMention, replyTo) = (view.isMissed, view.isMention, view.replyTo.map { ID(value: $0) })
        reactions = view.reactions.map { Reaction($0) }
    }

    /// The text in a form that changes nothing on a screen but its own cells: safe to show on one line.
    public var safeText: String { DisplayGuard.safe(text) }

    /// The name of the author and the safe text.
    public var description: String { "<\(author.name)> \(safeText)" }

    /// Answers in the conversation of the message.
    ///
    /// - Throws: as `Room.send(_:)`.
    @discardableResult
    public func reply(_ text: String) async throws -> Message { try await conversation.send(text, replyTo: id) }

    /// Gives the message an emoji, beside those that this user has given it. It waits for the pace of reactions, two a
    /// second (ten at once).
    ///
    /// - Parameter emoji: one character that is an emoji.
    /// - Throws: `SendError` with `invalidEmoji`, `tooManyReactions`, `unknownMessage`, `notAccepted`, `ended`;
    ///   `CancellationError`.
    public func react(with emoji: String) async throws { try await change(.set(emoji)) }

    /// Takes an emoji of this user back; nothing happens if the message has none of it. It waits as `react(with:)` does.
    ///
    /// - Parameter emoji: one emoji; nil for all that this user has given the message.
    /// - Throws: as `react(with:)`, without `tooManyReactions`.
    public func removeReaction(_ emoji: String? = nil) async throws {
        try await change(emoji.map { .unset($0) } ?? .clear)
    }

    private func change(_ change: ReactionChange) async throws {
        try await perform(.react(id.description, of: conversation.kind, change), .reactions)
    }

    /// Changes the text of an own message.
    ///
    /// - Throws: as `Room.send(_:)`, and `unknownMessage` for another author's.
    public func edit(_ text: String) async throws { try await perform(.edit(id.description, text)) }

    /// Deletes an own message in each program that honours it.
    ///
    /// - Throws: `SendError` with `unknownMessage`, `ended`; `CancellationError`.
    public func delete() async throws { try await perform(.delete(id.description)) }

    private func perform(_ action: UserAction, _ pace: Pace = .messages(1)) async throws {
        try await conversation.room.perform(action, pace)
    }

    /// Whether both have one id.
    public static func == (left: Message, right: Message) -> Bool { left.id == right.id }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
