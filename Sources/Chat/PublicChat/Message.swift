package import Wire

/// A payload as a chat shows it.
///
/// It goes through many hands, so it is small: what its author signed is one object that all of them share. In the public
/// conversation it is also what others are given of it (Protocol.md section 7).
package struct Message: Hashable, Sendable, Identifiable {
    /// What its author signed.
    private(set) var source: VerifiedPayload
    package let senderStage: SenderStage
    package let receivedAt: Timestamp
    /// True if we asked for it, because it was said before we joined or while we missed it: never unread.
    package let isHistory: Bool
    /// The time of its place in a ring: the signed one, but never later than it came or was asked for.
    let placeTime: Timestamp
    /// The edit that is shown; nil for the text as it was sent.
    package private(set) var edit: AuthorClock?
    private var editedText: String?

    private var signed: SignedPayload { source.signed }
    package var id: MessageID { signed.payload.messageId }
    package var author: PeerID { signed.payload.author }
    /// As its author signed it when it was sent.
    package var senderNickname: String { signed.payload.senderNickname ?? "" }
    /// The text; an edit changes it.
    package var content: String { editedText ?? signed.payload.content ?? "" }
    /// In its author's counting.
    package var authorClock: AuthorClock { signed.payload.authorClock }
    package var sentAt: Timestamp { signed.payload.timestamp }
    package var isEdited: Bool { edit != nil }

    /// Of a payload that is known to be a message.
    ///
    /// - Parameter askedAt: when it was asked for as history; nil if it came unasked.
    init(of source: VerifiedPayload, stage: SenderStage, receivedAt: Timestamp, askedAt: Timestamp?) {
        self.source = source
        senderStage = stage
        self.receivedAt = receivedAt
        isHistory = askedAt != nil
        let signedTime = source.signed.payload.timestamp
        placeTime = askedAt.map { signedTime.placeTime(askedAt: $0) } ?? signedTime.placeTime(receivedAt: receivedAt)
    }

    /// Nil for a payload that is no message.
    ///
    /// - Parameters:
    ///   - knownStage: the author's stage as the roster knows it: direct payloads carry none.
    ///   - askedAt: when it was asked for as history; nil if it came unasked.
    package init?(
        from source: VerifiedPayload, knownStage: @autoclosure () -> SenderStage, receivedAt: Timestamp,
        askedAt: Timestamp?
    ) {
        // By the kind, which is a number: the body would be copied with its words.
        switch source.type {
        case .publicMessage, .dmRequest, .directMessage:
            let stage = source.signed.payload.senderStage ?? knownStage()
            self.init(of: source, stage: stage, receivedAt: receivedAt, askedAt: askedAt)
        case .presence, .typing, .edit, .delete, .dmAccept, .dmDecline, .dmLeave, .delivered, .read:
            return nil
        }
    }

    /// Its place in a ring: the lowest is evicted first.
    package var place: SortKey { SortKey(time: placeTime, signed: signedOrder) }

    var signedOrder: SignedOrder { signed.payload.signedOrder }

    package func isFromCurrentUser(_ me: PeerID) -> Bool { author == me }

    /// The author as named when the message was sent, with the number that its key has, without a suffix:
    /// whether one is needed only the roster knows.
    package var displayName: String {
        Who(
            number: SenderNumber(of: author).number, suffix: nil, nickname: senderNickname, stage: senderStage,
            key: author
        ).displayName
    }

    /// The same payload, with its signature checked.
    mutating func replaceSource(with proven: VerifiedPayload) { source = proven }

    /// Shows a later text; edits that come out of order end in the same text everywhere.
    ///
    /// - Returns: false if the text shown is newer than this one.
    mutating func show(_ text: String, as authorClock: AuthorClock) -> Bool {
        if let edit, edit >= authorClock { return false }
        edit = authorClock
        editedText = text
        return true
    }
}
