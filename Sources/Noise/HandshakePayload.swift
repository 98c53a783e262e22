import Wire

/// The payloads of the three messages. Each is padded to the smallest record, so that their lengths tell nothing and no
/// answer is longer than its question (Protocol.md section 4).
extension Handshake {
    /// Every message, in bytes: the ciphertext of the smallest record.
    package static let messageSize = Limits.recordPlaintexts[0] + Limits.sealOverhead

    /// The payloads of messages 1, 2 and 3, in bytes: the message less its keys and seals.
    package static let payloadSizes = [
        messageSize - PublicKey.byteCount - Limits.sealOverhead,
        messageSize - 2 * PublicKey.byteCount - 2 * Limits.sealOverhead,
        messageSize - PublicKey.byteCount - 2 * Limits.sealOverhead,
    ]

    /// The payload of message 1: zeros, which say nothing but that the sender has the room's key.
    package static let openingPayload = [UInt8](repeating: 0, count: payloadSizes[0])

    /// The payloads of messages 2 and 3 in an open link, whose certificates both sides have: zeros.
    package static func emptyPayload(by role: Role) -> [UInt8] {
        [UInt8](repeating: 0, count: certifiedSize(by: role))
    }

    private static func certifiedSize(by role: Role) -> Int {
        switch role {
        case .responder: payloadSizes[1]
        case .initiator: payloadSizes[2]
        }
    }

    /// For the responder's message 2 or the initiator's message 3: the certificate, then zeros.
    package static func payload(carrying certificate: Certificate, by role: Role) -> [UInt8] {
        certificate.bytes + repeatElement(0, count: certifiedSize(by: role) - Certificate.byteCount)
    }

    /// The genuine certificate in the payload of message 2 or 3. That its noise key is the link's is not checked here.
    package static func certificate(in payload: Span<UInt8>) throws(CertificateError) -> Certificate {
        guard payload.count >= Certificate.byteCount else { throw .wrongLength }
        for index in Certificate.byteCount..<payload.count where payload[index] != 0 { throw .paddingNotZero }
        return try Certificate(verifying: payload.extracting(..<Certificate.byteCount))
    }
}
