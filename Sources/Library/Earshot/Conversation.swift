internal import Chat
internal import ChatNode

/// A conversation in a room: that of all its people, or the direct one with one person.
public struct Conversation: Sendable, Hashable {
    /// The room.
    public let room: Room
    /// The other side of a direct conversation; nil for that of the room.
    public let person: Person?

    init(_ room: Room, with person: Person? = nil) { (self.room, self.person) = (room, person) }

    init(_ view: ConversationView, in room: Room) {
        switch view {
        case .publicRoom: self.init(room)
        case .direct(let who): self.init(room, with: Person(who))
        }
    }

    var kind: Chat.Conversation { person.map { .direct($0.key) } ?? .publicRoom }

    /// Says a text in the conversation, as `Room.send(_:)`. The first text for a person is a request, which the person accepts or
    /// declines; until it is accepted, a further text throws `SendError` with `notAccepted`.
    ///
    /// - Parameters:
    ///   - text: 1 to 240 characters.
    ///   - target: the message that it answers; nil for none.
    /// - Returns: the message as others get it. Of a direct message, `Event.delivered` follows.
    /// - Throws: `SendError`; `CancellationError` where the task is cancelled while it waits.
    @discardableResult
    public func send(_ text: String, replyTo target: Message.ID? = nil) async throws -> Message {
        let events = try await room.perform(.send(text, to: kind, replyTo: target?.description))
        for case .message(let view) in events where view.isFromCurrentUser { return Message(view, in: room) }
        throw SendError.ended
    }

    /// Shows to the others that this user types here, or no longer. It ends by itself 5 s after the last call, with a message of this user, and
    /// where the user types in another conversation. Each 3 s at most one sign is sent, and none to a crowd, to a
    /// person that has not accepted the conversation, or once the room is left.
    ///
    /// - Parameter isTyping: whether a key was pressed; false if the text was discarded.
    public func setTyping(_ isTyping: Bool) async { await room.owner.change(.typing(isTyping, in: kind)) }

    /// The messages that are kept, at most 100: the oldest first, by the clocks of their authors.
    public func messages() async -> [Message] {
        await room.owner.messages(in: kind).map { Message($0, in: room) }
    }

    /// Ends a direct conversation; that of the room ends with the room.
    ///
    /// - Throws: `SendError` with `notAccepted` where none goes on.
    public func leave() async throws {
        if let person { try await room.perform(.leave(person.key), nil) }
    }
}
