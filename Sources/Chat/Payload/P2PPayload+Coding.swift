internal import Noise
package import Wire

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
