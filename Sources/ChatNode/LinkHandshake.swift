import Noise
import Wire

/// The handshake of a link: Noise XX, each message one record of the smallest size, certificates in the second and
/// third (Protocol.md section 3).
extension Link {
    mutating func receiveHandshake(
        _ record: Span<UInt8>, context: LinkContext, using randomness: inout Randomness
    ) throws(LinkError) -> LinkEvent? {
        let payload = try read(record, context: context)
        guard try isCertificateDue else {
            try writeHandshake(context: context, using: &randomness)
            return nil
        }
        let certificate = try check(payload, context: context)
        if role == .initiator { try writeHandshake(context: context, using: &randomness) }
        try becomeOpen()
        return .established(certificate)
    }

    /// Appends the next message of ours to the outbox, as a record.
    mutating func writeHandshake(context: LinkContext, using randomness: inout Randomness) throws(LinkError) {
        switch consume state {
        case .shaking(var handshake):
            do throws(NoiseError) {
                let message = try handshake.writeMessage(
                    payload: payload(for: handshake.step, context: context, using: &randomness).span,
                    staticKey: context.staticKey)
                outbox.append { $0 += [UInt8(message.count >> 8), UInt8(message.count & 255)] + message }
                state = .shaking(handshake)
            } catch {
                state = .dead
                throw .handshakeFailed
            }
        case .open, .dead:
            state = .dead
            throw .handshakeFailed
        }
    }
}
