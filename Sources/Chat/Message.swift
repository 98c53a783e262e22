package import Wire

/// A payload as a chat shows it.
package struct Message: Hashable, Sendable, Identifiable {
    package let id: MessageID
    package let author: PeerID
    /// As its author signed it when it was sent.
    package let senderNickname: String
    package let senderStage: SenderStage
    /// The text; an edit changes it.
    package private(set) var content: String
    /// In its author's counting.
    package let revision: Revision
    package let sentAt: Timestamp
    package let receivedAt: Timestamp
    /// From before we joined: never unread.
    package let isHistory: Bool
    /// The edit that is shown; nil for the text as it was sent.
    package private(set) var edit: Revision?

    package var isEdited: Bool { edit != nil }

    /// The only conversion. Nil for a payload that is no message.
    ///
    /// - Parameter knownStage: how settled the roster knows the author to be: direct payloads carry no stage.
    package init?(
        from payload: P2PPayload, knownStage: @autoclosure () -> SenderStage, receivedAt: Timestamp, isHistory: Bool
    ) {
        switch payload.body {
        case .publicMessage(let stage, let nickname, let text):
            (senderStage, senderNickname, content) = (stage, nickname, text)
        case .dmRequest(_, let nickname, let text), .directMessage(_, let nickname, let text):
            (senderStage, senderNickname, content) = (knownStage(), nickname, text)
        case .presence, .typing, .edit, .delete, .dmAccept, .dmDecline, .dmLeave, .delivered, .read:
            return nil
        }
        id = payload.messageId
        author = payload.author
        revision = payload.revision
        sentAt = payload.timestamp
        self.receivedAt = receivedAt
        self.isHistory = isHistory
    }

    package func isFromCurrentUser(in session: borrowing UserSession) -> Bool { author == session.id }

    /// The author as named when the message was sent, with the number that its key has, without a suffix:
    /// whether one is needed only the roster knows.
    package var displayName: String {
        Who(
            number: SenderNumber(of: author).number, suffix: nil, nickname: senderNickname, stage: senderStage,
            key: author
        ).displayName
    }

    /// Shows a later text; edits that come out of order end in the same text everywhere.
    ///
    /// - Returns: false if the text shown is newer than this one.
    mutating func show(_ text: String, as revision: Revision) -> Bool {
        if let edit, edit >= revision { return false }
        content = text
        edit = revision
        return true
    }
}
