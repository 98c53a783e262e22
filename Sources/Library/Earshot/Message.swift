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
    /// The author, with the name that the message was said under.
    public let from: Person
    /// The conversation in which it was said.
    public let conversation: Conversation
    /// The text, 1 to 240 characters, as it was sent: not safe to show. Empty once it is deleted.
    public let text: String
    /// The time of the author's clock, in milliseconds since 1970-01-01T00:00:00Z.
    public let sentAt: UInt64
    /// Whether this user said it.
    public let isFromCurrentUser: Bool
    /// Whether it was said before, and came from the memory of a peer.
    public let isHistory: Bool
    /// Whether its author has changed the text.
    public let isEdited: Bool
    /// Whether it has the name of this user in its text, or answers a message of this user.
    public let isMention: Bool
    /// The message that it answers; nil for none.
    public let replyTo: ID?

    init(_ view: MessageView, in room: Room) {
        id = ID(value: view.id)
        from = Person(view.from)
        conversation = Conversation(view.conversation, in: room)
        (text, sentAt) = (view.text, view.sentAt.milliseconds)
        (isFromCurrentUser, isHistory, isEdited) = (view.isFromCurrentUser, view.isHistory, view.isEdited)
        (isMention, replyTo) = (view.isMention, view.replyTo.map { ID(value: $0) })
    }

    /// The text in a form that changes nothing on a screen but its own cells: safe to show on one line.
    public var safeText: String { DisplayGuard.safe(text) }

    /// The name of the author and the safe text.
    public var description: String { "<\(from.name)> \(safeText)" }

    /// Answers in the conversation of the message.
    ///
    /// - Throws: as `Room.send(_:)`.
    @discardableResult
    public func reply(_ text: String) async throws -> Message { try await conversation.send(text, replyTo: id) }

    /// Gives the message an emoji, instead of those that this user gave it before.
    ///
    /// - Throws: `SendError` with `invalidEmoji`, `unknownMessage`, `ended`; `CancellationError`.
    public func react(_ emoji: String) async throws {
        try await perform(.react(id.description, of: conversation.kind, .set(emoji)), .reactions)
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
