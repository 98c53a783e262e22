package import Wire

/// A payload as a conversation shows it.
///
/// It is copied often, so it is small: the signed payload is one shared object. In the public conversation that object
/// is also sent to others as history (Protocol.md section 7).
package struct Message: Hashable, Sendable, Identifiable {
    /// The signed payload.
    private(set) var source: VerifiedPayload
    package let senderStage: SenderStage
    package let receivedAt: Timestamp
    /// True if this node asked for it, because it missed it.
    package let isHistory: Bool
    /// True for history that was said after this node came: it was missed in an outage, or before the link was up.
    package let isMissed: Bool
    /// The time of its place in a ring: the signed one, but never later than it came or was asked for.
    package let placeTime: Timestamp
    /// The edit that is shown; nil if the text is the original one.
    package private(set) var edit: AuthorClock?
    private var editedText: String?

    private var signed: SignedPayload { source.signed }
    package var id: MessageID { signed.payload.messageId }
    package var author: PeerID { signed.payload.author }
    /// The nickname in the payload.
    package var senderNickname: String { signed.payload.senderNickname ?? "" }
    /// The text, with the latest edit.
    package var content: String { editedText ?? signed.payload.content ?? "" }
    /// Its position among its author's payloads.
    package var authorClock: AuthorClock { signed.payload.authorClock }
    package var sentAt: Timestamp { signed.payload.timestamp }
    package var isEdited: Bool { edit != nil }
    /// The message that it answers; nil for none.
    package var replyTo: MessageID? { signed.payload.replyTo }

    /// Makes a message of a payload that has a text.
    ///
    /// - Parameters:
    ///   - askedAt: when it was asked for as history; nil if it came unasked.
    ///   - joinedAt: when this node came; nil for a node that counts nothing as missed.
    ///   - correction: of the wall clock that these times are of, in milliseconds.
    init(
        of source: VerifiedPayload, stage: SenderStage, receivedAt: Timestamp, askedAt: Timestamp?,
        joinedAt: Timestamp? = nil, correction: Int64 = 0
    ) {
        self.source = source
        senderStage = stage
        self.receivedAt = receivedAt
        isHistory = askedAt != nil
        let signedTime = source.signed.payload.timestamp
        let time =
            askedAt.map { signedTime.placeTime(askedAt: $0.moved(by: correction)) }
            ?? signedTime.placeTime(receivedAt: receivedAt.moved(by: correction))
        placeTime = time
        isMissed = askedAt != nil && joinedAt.map { $0.moved(by: correction) <= time } ?? false
    }

    /// Nil if the payload is no message.
    ///
    /// - Parameters:
    ///   - knownStage: the author's stage in the roster: direct payloads carry none.
    ///   - askedAt: when it was asked for as history; nil if it came unasked.
    ///   - joinedAt: when this node came; nil for a node that counts nothing as missed.
    ///   - correction: of the wall clock that these times are of, in milliseconds.
    package init?(
        from source: VerifiedPayload, knownStage: @autoclosure () -> SenderStage, receivedAt: Timestamp,
        askedAt: Timestamp?, joinedAt: Timestamp? = nil, correction: Int64 = 0
    ) {
        // By the kind, which is a number: matching the body would copy its strings.
        switch source.type {
        case .publicMessage, .dmRequest, .directMessage:
            let stage = source.signed.payload.senderStage ?? knownStage()
            self.init(
                of: source, stage: stage, receivedAt: receivedAt, askedAt: askedAt, joinedAt: joinedAt,
                correction: correction)
        case .presence, .typing, .edit, .delete, .reaction, .card, .dmAccept, .dmDecline, .dmLeave, .delivered, .read,
            .invitation:
            return nil
        }
    }

    /// True for history that was said before this node came: never unread, and shown before all other messages.
    package var isFromBefore: Bool { isHistory && !isMissed }

    /// True for a message that was missed and said within the last 30 s: in a busy room that takes all places of a ring in less, it is on its
    /// way here as a live message too, which would come as a repeated one.
    ///
    /// - Parameter correction: of the wall clock, in milliseconds.
    func isMissedLately(_ correction: Int64) -> Bool {
        isMissed && placeTime.distance(to: receivedAt.moved(by: correction)) < Limits.latestMilliseconds
    }

    /// Its place in a ring: the lowest is evicted first.
    package var place: SortKey { SortKey(time: placeTime, signed: signedOrder) }

    var signedOrder: SignedOrder { signed.payload.signedOrder }

    package func isFromCurrentUser(_ me: PeerID) -> Bool { author == me }

    /// The author's nickname in the payload with its number, without a suffix: only the roster knows whether one is
    /// needed.
    package var displayName: String {
        PeerName(
            number: SenderNumber(of: author).number, suffix: nil, nickname: senderNickname, stage: senderStage,
            key: author
        ).displayName
    }

    /// Takes over the same payload with its signature checked.
    mutating func replaceSource(with proven: VerifiedPayload) { source = proven }

    /// Shows an edit, unless a later one is shown: edits in any order give the same text.
    ///
    /// - Returns: false if a later edit is shown.
    mutating func show(_ text: String, as authorClock: AuthorClock) -> Bool {
        if let edit, edit >= authorClock { return false }
        edit = authorClock
        editedText = text
        return true
    }
}

extension Limits {
    /// Age, by its signed time, up to which a payload from history counts as one of now, in milliseconds: it goes on over the trees, and is shown
    /// though later ones take all places. With a larger one, a newcomer's history floods the trees; with a smaller one, a late payload
    /// reaches the others only by history.
    package static let latestMilliseconds: UInt64 = 30_000
}
