package import Wire

/// States that an identity speaks with these keys: signed, so that only a holder of the identity can have made a value of
/// this type (Protocol.md section 1).
///
/// `version u8 | flags u8 | ed[32] | noise[32] | dm[32] | epoch u64 | serial u64 | sig[64]`
package struct Certificate: Hashable, Sendable {
    package static let byteCount = 178

    private static let version: UInt8 = 3
    private static let signedBytes = byteCount - Identity.signatureBytes
    private static let domain: Domain = "earshot/3 session\0"

    /// Once for all that keep the certificate: a link does, and the table of those that are known.
    private final class Content: Sendable {
        let fields: Fields
        let signature: InlineArray<64, UInt8>

        init(_ fields: Fields, signature: Span<UInt8>) {
            self.fields = fields
            self.signature = InlineArray { signature[$0] }
        }
    }

    private let content: Content

    package var identity: PeerID { content.fields.identity }
    /// Static key of the handshake.
    package var noise: PublicKey { content.fields.noise }
    /// Opens relayed direct messages.
    package var dm: PublicKey { content.fields.dm }
    /// Which run of the identity: the higher one is the later.
    package var epoch: UInt64 { content.fields.epoch }
    /// Orders the certificates of one run: the higher one is the later. It is no time, which would tell when the run began.
    package var serial: UInt64 { content.fields.serial }
    /// The certificate as it crosses the wire; made each time.
    package var bytes: [UInt8] { content.fields.bytes + [UInt8](copying: content.signature.span) }

    /// A certificate of one's own identity. The flags, reserved for later versions, are zero.
    package static func issue(
        by identity: borrowing Identity, noise: PublicKey, dm: PublicKey, epoch: UInt64, serial: UInt64
    ) -> Certificate {
        let fields = Fields(flags: 0, identity: identity.id, noise: noise, dm: dm, epoch: epoch, serial: serial)
        let signature = identity.sign(domain: domain, message: fields.bytes.span)
        return Certificate(content: Content(fields, signature: signature.span))
    }

    /// The certificate in exactly 178 bytes, if its signature holds. Unknown flags are ignored.
    package init(verifying bytes: Span<UInt8>) throws(CertificateError) {
        guard bytes.count == Certificate.byteCount else { throw .wrongLength }
        guard bytes[0] == Certificate.version else { throw .unknownVersion }
        guard let fields = try? Fields(reading: bytes) else { throw .wrongLength }
        let signature = bytes.extracting(Certificate.signedBytes...)
        let isGenuine = Identity.verify(
            signature: signature, domain: Certificate.domain, message: bytes.extracting(..<Certificate.signedBytes),
            by: fields.identity)
        guard isGenuine else { throw .badSignature }
        content = Content(fields, signature: signature)
    }

    private init(content: Content) { self.content = content }

    /// True if this belongs to a later run of the identity; of two runs with one epoch, the larger noise key counts as the
    /// later, so that all peers decide alike (Protocol.md section 9).
    package func isBetter(than other: Certificate) -> Bool {
        (epoch, noise) > (other.epoch, other.noise)
    }

    /// Whether both are of one run, whichever was issued later: a run has one noise key.
    package func isOfSameRun(as other: Certificate) -> Bool {
        identity == other.identity && noise == other.noise
    }

    /// Whether this is of the same run and issued later, because the dm key has rotated.
    package func isRenewal(of other: Certificate) -> Bool {
        identity == other.identity && epoch == other.epoch && noise == other.noise && serial > other.serial
    }

    package static func == (left: Certificate, right: Certificate) -> Bool {
        left.content === right.content || left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension Certificate {
    /// The signed fields, before the signature is checked: private to this file, so that they do not pass for a
    /// certificate.
    fileprivate struct Fields {
        let flags: UInt8
        let identity: PeerID
        let noise: PublicKey
        let dm: PublicKey
        let epoch: UInt64
        let serial: UInt64

        /// As they cross the wire, with room for the signature.
        var bytes: [UInt8] {
            var writer = ByteWriter(capacity: byteCount)
            writer.write(version)
            writer.write(flags)
            writer.write(identity)
            writer.write(noise.bytes)
            writer.write(dm.bytes)
            writer.write(epoch)
            writer.write(serial)
            return writer.bytes
        }
    }
}

extension Certificate.Fields {
    fileprivate init(reading bytes: Span<UInt8>) throws(TruncatedInput) {
        var reader = ByteReader(bytes)
        _ = try reader.readRange(1)
        flags = try reader.readUInt8()
        identity = try reader.readPeerID()
        noise = try Self.readKey(&reader)
        dm = try Self.readKey(&reader)
        epoch = try reader.readUInt64()
        serial = try reader.readUInt64()
    }

    private static func readKey(_ reader: inout ByteReader) throws(TruncatedInput) -> PublicKey {
        let bytes = try reader.readBytes(PublicKey.byteCount)
        guard let key = PublicKey(bytes.span) else { throw TruncatedInput() }
        return key
    }
}
