package import Wire

/// Says that an identity speaks with these keys: signed, so that no value of this type was ever made by somebody who
/// does not hold the identity (Protocol.md section 1).
///
/// `version u8 | flags u8 | ed[32] | noise[32] | dm[32] | epoch u64 | issuedAtMs u64 | sig[64]`
package struct Certificate: Hashable, Sendable {
    package static let byteCount = 178

    private static let version: UInt8 = 1
    private static let signedBytes = byteCount - Identity.signatureBytes
    private static let domain: Domain = "earshot/1 session\0"

    /// The certificate as it crosses the wire.
    package let bytes: [UInt8]
    package let identity: PeerID
    /// Static key of the handshake.
    package let noise: PublicKey
    /// Opens relayed direct messages.
    package let dm: PublicKey
    /// Which run of the identity: the higher one is the later.
    package let epoch: UInt64
    package let issuedAt: Timestamp

    /// A certificate of one's own identity. The flags, reserved for later versions, are zero.
    package static func issue(
        by identity: borrowing Identity, noise: PublicKey, dm: PublicKey, epoch: UInt64, at time: Timestamp
    ) -> Certificate {
        var writer = ByteWriter(capacity: byteCount)
        writer.write(version)
        writer.write(UInt8(0))
        writer.write(identity.id)
        writer.write(noise.bytes)
        writer.write(dm.bytes)
        writer.write(epoch)
        writer.write(time.milliseconds)
        writer.write(identity.sign(domain: domain, message: writer.bytes.span))
        return Certificate(
            bytes: writer.bytes, identity: identity.id, noise: noise, dm: dm, epoch: epoch, issuedAt: time)
    }

    /// The certificate in exactly 178 bytes, if its signature holds. Unknown flags are ignored.
    package init(verifying bytes: Span<UInt8>) throws(CertificateError) {
        guard bytes.count == Certificate.byteCount else { throw .wrongLength }
        guard bytes[0] == Certificate.version else { throw .unknownVersion }
        guard let certificate = try? Certificate(reading: bytes) else { throw .wrongLength }
        let isGenuine = Identity.verify(
            signature: bytes.extracting(Certificate.signedBytes...), domain: Certificate.domain,
            message: bytes.extracting(..<Certificate.signedBytes), by: certificate.identity)
        guard isGenuine else { throw .badSignature }
        self = certificate
    }

    /// Whether this is of a later run of the same identity; of two runs with one epoch, the larger noise key counts as
    /// the later, so that everybody decides alike (Protocol.md section 9).
    package func isBetter(than other: Certificate) -> Bool {
        (epoch, noise) > (other.epoch, other.noise)
    }

    /// Whether both are of one run, whichever was issued later: a run has one noise key.
    package func isOfSameRun(as other: Certificate) -> Bool {
        identity == other.identity && noise == other.noise
    }

    /// Whether this is of the same run and issued later, because the dm key has rotated.
    package func isRenewal(of other: Certificate) -> Bool {
        identity == other.identity && epoch == other.epoch && noise == other.noise && issuedAt > other.issuedAt
    }

    /// The fields, whoever signed them: private, so that no such value leaves this file.
    private init(reading bytes: Span<UInt8>) throws(TruncatedInput) {
        var reader = ByteReader(bytes)
        _ = try reader.readRange(2)
        identity = try reader.readPeerID()
        noise = try Certificate.readKey(&reader)
        dm = try Certificate.readKey(&reader)
        epoch = try reader.readUInt64()
        issuedAt = Timestamp(milliseconds: try reader.readUInt64())
        self.bytes = [UInt8](copying: bytes)
    }

    private static func readKey(_ reader: inout ByteReader) throws(TruncatedInput) -> PublicKey {
        let bytes = try reader.readBytes(PublicKey.byteCount)
        guard let key = PublicKey(bytes.span) else { throw TruncatedInput() }
        return key
    }

    private init(
        bytes: [UInt8], identity: PeerID, noise: PublicKey, dm: PublicKey, epoch: UInt64, issuedAt: Timestamp
    ) {
        self.bytes = bytes
        self.identity = identity
        self.noise = noise
        self.dm = dm
        self.epoch = epoch
        self.issuedAt = issuedAt
    }

    package static func == (left: Certificate, right: Certificate) -> Bool { left.bytes == right.bytes }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
