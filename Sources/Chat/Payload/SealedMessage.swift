package import Noise
package import Wire

/// A direct payload for a peer that is reachable only over relays, as frame 9 (Protocol.md section 8): `to[16] |
/// dmId[16] | Noise_N(certificate[178] | serials[2] | S | mac[32] | zeros)`.
///
/// A relay learns its target and which of three sizes it has.
package enum SealedMessage {
    package static let addressBytes = 16
    private static let idBytes = 16
    /// Of a frame 9, without the payload: address, id, seal and certificate.
    package static let overhead = addressBytes + idBytes + SealedBox.overhead + Certificate.byteCount

    /// The lengths of the body of a frame 9, each of which fills a record.
    package static let bodySizes = Limits.recordPlaintexts.map { $0 - Limits.lengthPrefix - 1 }

    /// The first bytes of a frame for `peer`.
    package static func address(of peer: PeerID) -> [UInt8] {
        Array(SHA256.hash(peer.bytes.span).prefix(addressBytes))
    }

    /// Seals a payload.
    ///
    /// - Parameters:
    ///   - key: of both certificates.
    ///   - certificate: our own, so that the target can answer.
    ///   - endpoint: our address and port, 6 or 18 bytes, for a link that the target may dial; empty for none.
    /// - Returns: the whole frame, with its type byte; nil if the target's key is invalid.
    package static func frame(
        sealing payload: VerifiedPayload, under key: DirectKey, with certificate: Certificate, to target: Certificate,
        endpoint: [UInt8] = [], using randomness: inout Randomness
    ) -> [UInt8]? {
        let id = randomness.bytes(idBytes)
        let direct = payload.signed.directFrame(under: key, from: certificate, to: target)
        var plaintext = certificate.bytes + direct.dropFirst()
        if SealedContent.endpointLengths.contains(endpoint.count) { plaintext += [UInt8(endpoint.count)] + endpoint }
        let overhead = addressBytes + idBytes + SealedBox.overhead
        guard let size = bodySizes.first(where: { $0 >= overhead + plaintext.count }) else { return nil }
        plaintext += repeatElement(0, count: size - overhead - plaintext.count)
        let sealed = try? SealedBox.seal(
            to: target.dm, prologue: prologue(for: target.identity, id), plaintext: plaintext.span, using: &randomness)
        return sealed.map { [FrameType.sealed.rawValue] + address(of: target.identity) + id + $0 }
    }

    /// Opens the body of a frame 9 for this identity. The body has one of `bodySizes`.
    package static func open(
        _ body: Span<UInt8>, for me: PeerID, with key: borrowing KeyPair
    ) throws(NoiseError) -> [UInt8] {
        guard body.count >= addressBytes + idBytes else { throw .messageTooShort }
        let id = [UInt8](copying: body.extracting(addressBytes..<addressBytes + idBytes))
        return try SealedBox.open(
            with: key, prologue: prologue(for: me, id), message: body.extracting((addressBytes + idBytes)...))
    }

    /// Binds target and id to the sealed bytes, so that no relay can readdress them.
    private static func prologue(for target: PeerID, _ id: [UInt8]) -> [UInt8] {
        Array("earshot/3 dm\0".utf8) + target.bytes + id
    }
}

/// The content of a sealed message, whose payload is not verified yet.
package struct SealedContent: Sendable {
    /// The lengths of an address and a port.
    static let endpointLengths = [6, 18]

    /// The author's; its signature is checked.
    package let certificate: Certificate
    /// The author's address and port, 6 or 18 bytes; empty if it sent none. As true as the payload, which only its author could
    /// seal for us.
    package let endpoint: [UInt8]
    /// The body of a frame 16: `serials[2] | S | mac`.
    package let frame: [UInt8]

    /// Reads `certificate[178] | serials[2] | S | mac[32] | (n u8 | endpoint[n])? | zeros`.
    package init(_ opened: [UInt8]) throws(DropReason) {
        let frameStart = Certificate.byteCount
        let signedStart = frameStart + SignedPayload.serialBytes
        let least = signedStart + PayloadHeader.byteCount + DirectKey.macBytes
        guard opened.count >= least else { throw .malformed }
        let lengthAt = signedStart + PayloadHeader.byteCount - 2
        let bodyLength = Int(opened[lengthAt]) << 8 | Int(opened[lengthAt + 1])
        guard opened.count >= least + bodyLength else { throw .malformed }
        let rest = opened[(least + bodyLength)...]
        let endpointLength = Int(rest.first ?? 0)
        guard endpointLength == 0 || SealedContent.endpointLengths.contains(endpointLength),
            rest.count > endpointLength || rest.isEmpty,
            rest.dropFirst(1 + endpointLength).allSatisfy({ $0 == 0 })
        else { throw .malformed }
        endpoint = Array(rest.dropFirst().prefix(endpointLength))
        do throws(CertificateError) {
            certificate = try Certificate(verifying: opened.span.extracting(..<frameStart))
        } catch {
            throw .badCertificate
        }
        frame = Array(opened[frameStart..<least + bodyLength])
    }
}
