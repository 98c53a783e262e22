internal import Noise
package import Wire

/// A payload with the bytes that its author signed, so that nothing is encoded twice (Protocol.md section 6).
///
/// A class, so that ring, archive and links share one immutable object.
package final class SignedPayload: Sendable {
    static let signatureBytes = Identity.signatureBytes
    /// In `hops`: the payload came over a bridge (Protocol.md section 6).
    static let bridgedBit: UInt8 = 0x80

    package let payload: P2PPayload
    /// `S | sig`, as received or to be sent.
    private let bytes: [UInt8]

    init(_ payload: P2PPayload, bytes: [UInt8]) {
        precondition(bytes.count >= SignedPayload.signatureBytes, "a signed payload came without its signature")
        self.payload = payload
        self.bytes = bytes
    }

    /// Signs a body.
    convenience init(
        _ body: PayloadBody, by identity: borrowing Identity, in room: RoomID, epoch: UInt64, sequence: UInt64,
        timestamp: Timestamp
    ) {
        let header = PayloadHeader(
            room: room, author: identity.id, epoch: epoch, sequence: sequence, timestamp: timestamp,
            kind: body.type.rawValue)
        let signed = header.encoded(with: body.encoded())
        self.init(
            P2PPayload(header, body, MessageID(signed: signed.span)),
            bytes: signed + identity.sign(domain: SignedPayload.domain, message: signed.span))
    }

    /// S, the signed bytes.
    package var signedBytes: ArraySlice<UInt8> { bytes.dropLast(SignedPayload.signatureBytes) }

    /// 64 bytes.
    package var signature: ArraySlice<UInt8> { bytes.suffix(SignedPayload.signatureBytes) }

    /// The whole frame, with its type byte: `1 | hops u8 | S | sig` (Protocol.md section 5).
    ///
    /// - Parameter isBridged: whether the payload came over a bridge.
    package func frame(hops: UInt8, isBridged: Bool = false) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(2 + bytes.count)
        frame.append(FrameType.payload.rawValue)
        frame.append(isBridged ? hops | SignedPayload.bridgedBit : hops)
        frame.append(contentsOf: bytes)
        return frame
    }

    /// The kind of the payload in a frame's body, `hops u8 | S | sig`, which need not be valid; nil if the body is too short.
    package static func kind(inFrame body: Span<UInt8>) -> UInt8? {
        let place = 1 + PayloadHeader.byteCount - 3
        return body.count > place ? body[place] : nil
    }

    /// Whether a frame's body claims to be a presence.
    ///
    /// - Parameter isInCrowd: what the presence says about its author; nil for either.
    package static func isPresence(inFrame body: Span<UInt8>, ofCrowd isInCrowd: Bool? = nil) -> Bool {
        guard kind(inFrame: body) == PayloadType.presence.rawValue, body.count > 1 + signatureBytes else {
            return false
        }
        // The part about bridges is the last byte.
        let bridging = Bridging(encoded: body[body.count - signatureBytes - 1])
        return isInCrowd == nil || bridging?.isInCrowd == isInCrowd
    }

    /// The id of the payload in a frame's body, `hops u8 | S | sig`, which need not be valid; nil if the body is too
    /// short.
    package static func id(inFrame body: Span<UInt8>) -> MessageID? {
        guard body.count > 1 + signatureBytes else { return nil }
        return MessageID(signed: body.extracting(1..<body.count - signatureBytes))
    }

    /// The relays that the payload in a frame's body passed, according to the last one.
    package static func hops(inFrame body: Span<UInt8>) -> UInt8 { body.isEmpty ? 0 : body[0] & ~bridgedBit }

    /// Whether the payload in a frame's body came over a bridge, according to the last relay.
    package static func isBridged(inFrame body: Span<UInt8>) -> Bool { !body.isEmpty && body[0] & bridgedBit != 0 }

    /// The author that a frame's body claims; nil if the body is too short.
    package static func author(inFrame body: Span<UInt8>) -> PeerID? {
        guard body.count > 1 + signatureBytes else { return nil }
        return try? PayloadHeader(body.extracting(1..<body.count - signatureBytes)).author
    }

    /// The author, epoch and number that a frame's body claims; nil if the body is too short.
    package static func authorClock(inFrame body: Span<UInt8>) -> (author: PeerID, clock: AuthorClock)? {
        guard body.count > 1 + signatureBytes,
            let header = try? PayloadHeader(body.extracting(1..<body.count - signatureBytes))
        else { return nil }
        return (header.author, AuthorClock(epoch: header.epoch, sequence: header.sequence))
    }

    /// The time that a frame's body claims; nil if the body is too short.
    package static func time(inFrame body: Span<UInt8>) -> Timestamp? {
        guard body.count > 1 + signatureBytes else { return nil }
        return try? PayloadHeader(body.extracting(1..<body.count - signatureBytes)).timestamp
    }

    /// The kind that a frame's body claims; nil if the body is too short, or the kind unknown.
    package static func type(inFrame body: Span<UInt8>) -> PayloadType? {
        guard body.count > 1 + signatureBytes,
            let header = try? PayloadHeader(body.extracting(1..<body.count - signatureBytes))
        else { return nil }
        return PayloadType(rawValue: header.kind)
    }

    var isSignatureValid: Bool {
        let bytes = bytes
        return SignedPayload.isSignatureValid(in: bytes.span, by: payload.author)
    }

    /// True if `bytes`, `S | sig`, are signed by `author`.
    static func isSignatureValid(in bytes: Span<UInt8>, by author: PeerID) -> Bool {
        let end = bytes.count - signatureBytes
        return Identity.verify(
            signature: bytes.extracting(end...), domain: domain, message: bytes.extracting(..<end), by: author)
    }

    private static var domain: Domain { "earshot/2 payload\0" }
}

extension SignedPayload: Hashable {
    package static func == (left: SignedPayload, right: SignedPayload) -> Bool {
        left === right || left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(payload.messageId) }
}
