internal import ChatNode

/// The request of a person for a direct conversation.
public struct Request: Sendable, Hashable {
    let room: Room
    /// The person that asks.
    public let person: Person
    /// The first text, 1 to 240 characters, as it was sent: not safe to show.
    public let text: String

    /// Accepts the request. Its first text is no event, as the request has it; it is in `Conversation.messages()`.
    ///
    /// - Returns: the conversation, in which texts can be said from now on.
    /// - Throws: `SendError` with `notAccepted` if the request is not open any more, `ended`; `CancellationError`.
    @discardableResult
    public func accept() async throws -> Conversation {
        try await room.perform(.accept(person.key), nil)
        return Conversation(room, with: person)
    }

    /// Declines the request; the person gets no answer.
    ///
    /// - Throws: as `accept()`.
    public func decline() async throws { try await room.perform(.decline(person.key), nil) }
}
