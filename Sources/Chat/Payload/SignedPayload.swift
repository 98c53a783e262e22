package import Noise
internal import Wire

/// A payload with its bytes S, so that nothing is encoded twice (Protocol.md section 6). A payload for the room has its author's
/// signature; one for a single peer has none, and gets a MAC for its target each time that it is sent.
///
/// A class, so that ring, archive and links share one immutable object.
package final class SignedPayload: Sendable {
    static let signatureBytes = Identity.signatureBytes
    /// In front of S in a frame 16.
    static let serialBytes = 2
    /// In `hops`: the payload came over a bridge (Protocol.md section 6).
    package static let bridgedBit: UInt8 = 0x80

    package let payload: P2PPayload
    /// `S | sig`, as received or to be sent; of a direct payload S alone.
    private let bytes: [UInt8]

    init(_ payload: P2PPayload, bytes: [UInt8]) {
        precondition(
            payload.isDirect || bytes.count >= SignedPayload.signatureBytes,
            "a signed payload came without its signature")
        self.payload = payload
        self.bytes = bytes
    }

    /// Encodes a body, and signs one that is for the room.
    convenience init(
        _ body: PayloadBody, by identity: borrowing Identity, in room: RoomID, epoch: UInt64, sequence: UInt64,
        timestamp: Timestamp
    ) {
        let header = PayloadHeader(
            room: room, author: identity.id, epoch: epoch, sequence: sequence, timestamp: timestamp,
            kind: body.type.rawValue, isDirect: body.target != nil)
        let signed = header.encoded(with: body.encoded())
        let signature = header.isDirect ? [] : identity.sign(domain: SignedPayload.domain, message: signed.span)
        self.init(P2PPayload(header, body, MessageID(signed: signed.span)), bytes: signed + signature)
    }

    /// S.
    package var signedBytes: ArraySlice<UInt8> { bytes.dropLast(signature.count) }

    /// 64 bytes; none of a direct payload.
    package var signature: ArraySlice<UInt8> { bytes.suffix(payload.isDirect ? 0 : SignedPayload.signatureBytes) }

    /// The whole frame of a direct payload, with its type byte: `16 | serials[2] | S | mac[32]` (Protocol.md section 5). It has as
    /// many bytes as that of a public message with the same text.
    ///
    /// - Parameters:
    ///   - key: of both certificates.
    ///   - target: the certificate of the peer that it is for.
    package func directFrame(under key: DirectKey, from author: Certificate, to target: Certificate) -> [UInt8] {
        precondition(payload.isDirect, "a public payload was sent to one peer")
        let serials = [author, target].map { UInt8(truncatingIfNeeded: $0.serial) }
        let bytes = bytes
        return [FrameType.direct.rawValue] + serials + bytes + key.mac(of: bytes.span)
    }

    /// Bytes of a `directFrame`.
    package var directFrameLength: Int { 3 + bytes.count + DirectKey.macBytes }

    /// The whole frame of a public payload, with its type byte: `1 | hops u8 | S | sig` (Protocol.md section 5).
    ///
    /// - Parameter isBridged: whether the payload came over a bridge.
    package func frame(hops: UInt8, isBridged: Bool = false) -> [UInt8] {
        precondition(!payload.isDirect, "a direct payload was sent to all")
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

    private static var domain: Domain { "earshot/3 payload\0" }
}

extension SignedPayload: Hashable {
    package static func == (left: SignedPayload, right: SignedPayload) -> Bool {
        left === right || left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(payload.messageId) }
}
