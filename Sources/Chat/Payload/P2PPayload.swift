internal import Noise
package import Wire

/// The content of a payload frame: an action of a peer at one moment in one room (Protocol.md section 6).
///
/// Decoding proves nothing about the sender: only a `VerifiedPayload` may be routed, shown or relayed.
package struct P2PPayload: Hashable, Sendable {
    package let room: RoomID
    package let author: PeerID
    /// The run of the author's identity (Protocol.md section 9).
    package let epoch: UInt64
    /// Counts the author's payloads to the room within its epoch, or those to `target`, from 1.
    package let sequence: UInt64
    /// The author's wall clock; of a public message, its hybrid clock (Protocol.md section 7).
    package let timestamp: Timestamp
    package let body: PayloadBody
    /// Computed from the signed bytes.
    package let messageId: MessageID

    package var type: PayloadType { body.type }

    /// Nil if the kind carries no stage.
    package var senderStage: SenderStage? {
        switch body {
        case .publicMessage(let stage, _, _, _), .card(_, let stage, _): stage
        case .presence(let presence): presence.stage
        case .typing, .edit, .delete, .reaction, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage,
            .delivered, .read,
            .invitation:
            nil
        }
    }

    /// Nil if the kind carries no nickname.
    package var senderNickname: String? {
        switch body {
        case .publicMessage(_, let nickname, _, _), .dmRequest(_, let nickname, _),
            .directMessage(_, let nickname, _, _),
            .card(_, _, let nickname):
            nickname
        case .presence(let presence): presence.nickname
        case .typing, .edit, .delete, .reaction, .dmAccept, .dmDecline, .dmLeave, .delivered, .read, .invitation: nil
        }
    }

    /// The text; nil if the kind carries none.
    package var content: String? {
        switch body {
        case .publicMessage(_, _, let text, _), .edit(_, _, let text), .dmRequest(_, _, let text),
            .directMessage(_, _, let text, _):
            text
        case .card(let card, _, _): card.text
        case .presence, .typing, .delete, .reaction, .dmAccept, .dmDecline, .dmLeave, .delivered, .read, .invitation:
            nil
        }
    }

    /// The only peer it is meant for; nil if it is meant for the room.
    package var target: PeerID? { body.target }

    /// True if it is meant for one peer, which a MAC authenticates it to; false if its author signed it for all.
    package var isDirect: Bool { target != nil }

    /// True if late joiners get it, and if the trees of a large room carry it: it became part of the public conversation.
    package var isHistory: Bool { type.isHistory && !isDirect }

    /// The message that it answers; nil for none, and for kinds that answer nothing.
    package var replyTo: MessageID? {
        switch body {
        case .publicMessage(_, _, _, let replyTo), .directMessage(_, _, _, let replyTo): replyTo
        case .presence, .typing, .edit, .delete, .reaction, .card, .dmRequest, .dmAccept, .dmDecline, .dmLeave,
            .delivered, .read, .invitation:
            nil
        }
    }

    /// The message that an edit, a deletion or a reaction is about; nil for other kinds.
    package var targetMessage: MessageID? {
        switch body {
        case .edit(_, let target, _), .delete(_, let target), .reaction(_, let target, _): target
        case .publicMessage, .presence, .typing, .card, .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage,
            .delivered, .read, .invitation:
            nil
        }
    }
}

extension P2PPayload {
    /// Decodes S strictly and computes the id (Protocol.md section 6).
    package init(decoding signed: Span<UInt8>) throws(PayloadError) {
        try self.init(PayloadHeader(signed), signed, MessageID(signed: signed))
    }

    /// Decodes signed bytes whose header and id are known.
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
}

extension MessageID {
    /// Made once, because every id needs it.
    private static let purpose: BLAKE2b.Purpose = "earshot/3 id"

    /// The id of signed bytes: a digest, so that no author can choose or reserve an id (Protocol.md section 6).
    package init(signed: Span<UInt8>) {
        let words = BLAKE2b.words(MessageID.purpose, signed)
        self.init(words.0, words.1)
    }
}

/// The position of a payload among those of its author: orders them whichever way they came.
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
