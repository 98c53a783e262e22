package import Noise
package import Wire

/// The content of a publication, opened (Docs/Bridge.md): `kind u8 | fields | zeros`, as long as a record's plaintext.
///
/// It proves nothing about an author: certificate and signature are still to be checked.
package enum BridgedContent: Hashable, Sendable {
    /// A payload: the author's session certificate, and the body of a payload frame, marked as bridged.
    case payload(certificate: [UInt8], frame: [UInt8])
    /// A direct message that its author sealed for one peer: the body of a frame 9.
    case sealed([UInt8])
    /// A bridge has come: the others publish again which people are here.
    case greeting

    private enum Kind: UInt8 {
        case payload = 1
        case sealed = 2
        case greeting = 3
    }

    /// The hops of a frame that comes from a bridge.
    private static let hops = 1 | SignedPayload.bridgedBit

    /// A payload to publish.
    ///
    /// - Parameter certificate: the author's, of the payload's epoch.
    package init(_ payload: SignedPayload, certificate: Certificate) {
        let frame = [BridgedContent.hops] + payload.signedBytes + payload.signature
        self = .payload(certificate: certificate.bytes, frame: frame)
    }

    /// Decodes a plaintext strictly; nil if it is malformed.
    package init?(decoding plaintext: [UInt8]) {
        guard Limits.recordPlaintexts.contains(plaintext.count), let kind = Kind(rawValue: plaintext[0]) else {
            return nil
        }
        let rest = plaintext.dropFirst()
        switch kind {
        case .payload:
            guard let frame = BridgedContent.frame(in: rest.dropFirst(Certificate.byteCount)) else { return nil }
            self = .payload(certificate: Array(rest.prefix(Certificate.byteCount)), frame: frame)
        case .sealed:
            guard let size = SealedMessage.bodySizes.first(where: { $0 + Limits.lengthPrefix + 1 == plaintext.count }),
                rest.dropFirst(size).allSatisfy({ $0 == 0 })
            else { return nil }
            self = .sealed(Array(rest.prefix(size)))
        case .greeting:
            guard rest.allSatisfy({ $0 == 0 }) else { return nil }
            self = .greeting
        }
    }

    /// The plaintext, filled up to the smallest length of a record's plaintext that holds it. The largest payload fits.
    package func encoded() -> [UInt8] {
        let bytes: [UInt8] =
            switch self {
            case .payload(let certificate, let frame):
                [Kind.payload.rawValue] + certificate + frame.dropFirst()
            case .sealed(let body): [Kind.sealed.rawValue] + body
            case .greeting: [Kind.greeting.rawValue]
            }
        guard let size = Limits.recordPlaintexts.first(where: { $0 >= bytes.count }) else {
            preconditionFailure("a publication of \(bytes.count) bytes fits no record")
        }
        return bytes + [UInt8](repeating: 0, count: size - bytes.count)
    }

    /// The id of the payload; nil for other content.
    package var messageID: MessageID? {
        guard case .payload(_, let frame) = self else { return nil }
        return PayloadFrame.id(of: frame.span)
    }

    /// The author of what late joiners get too, as its frame claims, and how many messages it counts as; nil for other content.
    package var paced: (author: PeerID, cost: Double)? {
        guard case .payload(_, let bytes) = self, let frame = try? PayloadFrame(bytes.span), frame.isHistory else {
            return nil
        }
        return (frame.author, frame.type.bridgedCost)
    }

    /// The body of a payload frame of `S | sig[64] | zeros`; nil if the length in S and the zeros do not fit.
    private static func frame(in bytes: ArraySlice<UInt8>) -> [UInt8]? {
        let least = PayloadHeader.byteCount + SignedPayload.signatureBytes
        guard bytes.count >= least else { return nil }
        let lengthAt = bytes.startIndex + PayloadHeader.byteCount - 2
        let length = least + (Int(bytes[lengthAt]) << 8 | Int(bytes[lengthAt + 1]))
        guard bytes.count >= length, bytes.dropFirst(length).allSatisfy({ $0 == 0 }) else { return nil }
        return [hops] + bytes.prefix(length)
    }
}
