internal import Noise
package import Wire

/// What a peer said or did, at one moment, in one room: the content of a payload frame (Protocol.md section 6).
///
/// Being decoded says nothing about who sent it: only a `VerifiedPayload` may be routed, shown or relayed.
package struct P2PPayload: Hashable, Sendable {
    package let room: RoomID
    package let author: PeerID
    /// Which run of the author's identity (Protocol.md section 9).
    package let epoch: UInt64
    /// Counts the author's payloads within its epoch, from 1.
    package let sequence: UInt64
    /// The author's wall clock.
    package let timestamp: Timestamp
    package let body: PayloadBody
    /// Computed from the signed bytes.
    package let messageId: MessageID

    package var type: PayloadType { body.type }

    /// Nil where the kind carries no stage.
    package var senderStage: SenderStage? {
        switch body {
        case .publicMessage(let stage, _, _), .presence(_, let stage, _): stage
        case .typing, .edit, .delete, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage, .delivered, .read:
            nil
        }
    }

    /// Nil where the kind carries no nickname.
    package var senderNickname: String? {
        switch body {
        case .publicMessage(_, let nickname, _), .presence(_, _, let nickname), .dmRequest(_, let nickname, _),
            .directMessage(_, let nickname, _):
            nickname
        case .typing, .edit, .delete, .dmAccept, .dmDecline, .dmLeave, .delivered, .read: nil
        }
    }

    /// The text; nil where the kind carries none.
    package var content: String? {
        switch body {
        case .publicMessage(_, _, let text), .edit(_, let text), .dmRequest(_, _, let text),
            .directMessage(_, _, let text):
            text
        case .presence, .typing, .delete, .dmAccept, .dmDecline, .dmLeave, .delivered, .read: nil
        }
    }

    /// The only peer it is meant for; nil for what the whole room may hear.
    package var target: PeerID? {
        switch body {
        case .typing(let target, _): target
        case .dmRequest(let target, _, _), .dmAccept(let target), .dmDecline(let target), .dmLeave(let target),
            .directMessage(let target, _, _), .delivered(let target, _), .read(let target, _):
            target
        case .publicMessage, .presence, .edit, .delete: nil
        }
    }

    /// The message that an edit or a deletion is about.
    package var targetMessage: MessageID? {
        switch body {
        case .edit(let target, _), .delete(let target): target
        case .publicMessage, .presence, .typing, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage,
            .delivered, .read:
            nil
        }
    }
}

extension P2PPayload {
    /// Reads what an author signed, strictly, and computes its id (Protocol.md section 6).
    package init(decoding signed: Span<UInt8>) throws(PayloadError) {
        try self.init(PayloadHeader(signed), signed, MessageID(signed: signed))
    }

    /// The same, with the header and the id that are known already.
    init(_ header: PayloadHeader, _ signed: Span<UInt8>, _ id: MessageID) throws(PayloadError) {
        guard let type = PayloadType(rawValue: header.kind) else { throw .unknownKind(header.kind) }
        let body = try PayloadBody(type, decoding: signed.extracting(PayloadHeader.byteCount...))
        self.init(header, body, id)
    }

    init(_ header: PayloadHeader, _ body: PayloadBody, _ id: MessageID) {
        self.init(
            room: header.room, author: header.author, epoch: header.epoch, sequence: header.sequence,
            timestamp: header.timestamp, body: body, messageId: id)
    }

    /// The author as people call it (Protocol.md section 2).
    package var senderNumber: SenderNumber { SenderNumber(of: author) }
}

extension MessageID {
    /// Made once: each id needs it.
    private static let purpose: BLAKE2b.Purpose = "earshot/1 id"

    /// The id of what `signed` says: nobody can choose or reserve one (Protocol.md section 6).
    package init(signed: Span<UInt8>) {
        let words = BLAKE2b.words(MessageID.purpose, signed)
        self.init(words.0, words.1)
    }
}

/// When, in its author's own counting, something was signed: orders an author's payloads whichever way they came.
package struct AuthorClock: Hashable, Comparable, Sendable {
    package let epoch: UInt64
    package let sequence: UInt64

    package static func < (left: AuthorClock, right: AuthorClock) -> Bool {
        (left.epoch, left.sequence) < (right.epoch, right.sequence)
    }
}

extension P2PPayload {
    package var authorClock: AuthorClock { AuthorClock(epoch: epoch, sequence: sequence) }
}
