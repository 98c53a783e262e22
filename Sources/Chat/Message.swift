package import Wire

/// A payload as a chat shows it.
///
/// It goes through many hands, so it is small: what its author signed is one object that all of them share.
package struct Message: Hashable, Sendable, Identifiable {
    /// What an edit changes.
    private struct Edit: Hashable, Sendable {
        let text: String
        let revision: Revision
    }

    private let signed: SignedPayload
    package let senderStage: SenderStage
    package let receivedAt: Timestamp
    /// From before we joined: never unread.
    package let isHistory: Bool
    private var shownEdit: Edit?

    package var id: MessageID { signed.payload.messageId }
    package var author: PeerID { signed.payload.author }
    /// As its author signed it when it was sent.
    package var senderNickname: String { signed.payload.senderNickname ?? "" }
    /// The text; an edit changes it.
    package var content: String { shownEdit?.text ?? signed.payload.content ?? "" }
    /// In its author's counting.
    package var revision: Revision { signed.payload.revision }
    package var sentAt: Timestamp { signed.payload.timestamp }
    /// The edit that is shown; nil for the text as it was sent.
    package var edit: Revision? { shownEdit?.revision }
    package var isEdited: Bool { shownEdit != nil }

    /// The only conversion. Nil for a payload that is no message.
    ///
    /// - Parameter knownStage: how settled the roster knows the author to be: direct payloads carry no stage.
    package init?(
        from signed: SignedPayload, knownStage: @autoclosure () -> SenderStage, receivedAt: Timestamp, isHistory: Bool
    ) {
        // By the kind, which is a number: the body would be copied with its words.
        switch signed.payload.type {
        case .publicMessage, .dmRequest, .directMessage:
            senderStage = signed.payload.senderStage ?? knownStage()
        case .presence, .typing, .edit, .delete, .dmAccept, .dmDecline, .dmLeave, .delivered, .read:
            return nil
        }
        self.signed = signed
        self.receivedAt = receivedAt
        self.isHistory = isHistory
    }

    package func isFromCurrentUser(_ me: PeerID) -> Bool { author == me }

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
        shownEdit = Edit(text: text, revision: revision)
        return true
    }
}
