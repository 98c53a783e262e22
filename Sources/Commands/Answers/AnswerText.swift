package import Chat
package import Wire

/// A text of a peer in an answer, by which the answer is found when the text is to be forgotten.
package struct AnswerText: Hashable, Sendable {
    package let room: RoomLabel
    /// Nil for a text that a peer says of itself.
    package let conversation: ConversationView?
    /// Nil for a text that is no message.
    package let message: MessageID?
    package let author: PeerID

    package init(_ message: MessageView, in room: RoomLabel) {
        (self.room, self.message, author) = (room, message.id, message.from.key)
        conversation = message.conversation
    }

    package init(_ card: CardView, in room: RoomLabel) {
        (self.room, conversation, message, author) = (room, .publicRoom, card.id, card.from.key)
    }

    /// A text without a message.
    ///
    /// - Parameter conversation: that of a request.
    init(of author: PeerID, in conversation: ConversationView? = nil, _ room: RoomLabel) {
        (self.room, self.conversation, self.author) = (room, conversation, author)
        message = nil
    }
}
