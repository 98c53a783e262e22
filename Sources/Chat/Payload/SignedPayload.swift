internal import Noise
internal import Wire

/// A payload with the bytes that its author signed, so that nothing is encoded twice (Protocol.md section 6).
///
/// A class, so that ring, archive and links share one immutable object.
package final class SignedPayload: Sendable {
    static let signatureBytes = Identity.signatureBytes
    /// In `hops`: the payload came over a bridge (Protocol.md section 6).
    package static let bridgedBit: UInt8 = 0x80

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
