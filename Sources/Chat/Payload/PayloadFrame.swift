package import Wire

/// The body of a payload frame, `hops u8 | S | sig`, with nothing proven yet (Protocol.md section 5).
///
/// Parsed once, where the frame comes in.
package struct PayloadFrame: ~Escapable {
    package let body: Span<UInt8>
    let header: PayloadHeader
    package let type: PayloadType
    package let id: MessageID

    /// - Throws: `.malformed`, or `.unknownKind`.
    @_lifetime(copy body)
    package init(_ body: Span<UInt8>) throws(DropReason) {
        let least = 1 + PayloadHeader.byteCount + SignedPayload.signatureBytes
        guard body.count >= least else { throw .malformed }
        let signed = body.extracting(1..<body.count - SignedPayload.signatureBytes)
        let header: PayloadHeader
        do throws(PayloadError) { header = try PayloadHeader(signed) } catch { throw DropReason(error) }
        guard let type = PayloadType(rawValue: header.kind) else { throw .unknownKind }
        self.body = body
        self.header = header
        self.type = type
        id = MessageID(signed: signed)
    }

    /// The id of the signed bytes in a body that need not be valid; nil if it is too short.
    package static func id(of body: Span<UInt8>) -> MessageID? {
        guard body.count > 1 + SignedPayload.signatureBytes else { return nil }
        return MessageID(signed: body.extracting(1..<body.count - SignedPayload.signatureBytes))
    }

    /// The author that the frame claims.
    package var author: PeerID { header.author }

    /// The time that the frame claims.
    package var timestamp: Timestamp { header.timestamp }

    /// The epoch and number that the frame claims.
    package var authorClock: AuthorClock { AuthorClock(epoch: header.epoch, sequence: header.sequence) }

    /// The number of relays it passed, according to the last one.
    package var hops: UInt8 { body[0] & ~SignedPayload.bridgedBit }

    /// True if it came over a bridge, according to the last relay.
    package var isBridged: Bool { body[0] & SignedPayload.bridgedBit != 0 }

    /// True for a presence that claims that its author is in a crowd.
    package var isPresenceOfCrowd: Bool {
        // The part about bridges is the last byte.
        let bridging = Bridging(encoded: body[body.count - SignedPayload.signatureBytes - 1])
        return type == .presence && bridging?.isInCrowd == true
    }

    var isSignatureValid: Bool {
        SignedPayload.isSignatureValid(in: body.extracting(1...), by: header.author)
    }

    /// Decodes the whole payload; until then only the header is read.
    func signedPayload() throws(DropReason) -> SignedPayload {
        let signed = body.extracting(1..<body.count - SignedPayload.signatureBytes)
        do throws(PayloadError) {
            let payload = try P2PPayload(header, signed, id)
            return SignedPayload(payload, bytes: [UInt8](copying: body.extracting(1...)))
        } catch {
            throw DropReason(error)
        }
    }
}
