package import Wire

/// A payload as a chat shows it.
package struct Message: Hashable, Sendable, Identifiable {
    package let id: MessageID
    package let author: PeerID
    /// As its author signed it when it was sent.
    package let senderNickname: String
    package let senderStage: SenderStage
    /// The text; an edit changes it.
    package internal(set) var content: String
    package let sentAt: Timestamp
    package let receivedAt: Timestamp
    /// From before we joined: never unread.
    package let isHistory: Bool
    package internal(set) var isEdited = false
}
