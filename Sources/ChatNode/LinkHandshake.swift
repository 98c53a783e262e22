import Noise
import Wire

/// The handshake of a link: Noise XX, each message one record of the smallest size, certificates in the second and
/// third (Protocol.md section 3).
extension Link {
    mutating func receiveHandshake(
        _ record: Span<UInt8>, context: LinkContext, using randomness: inout Randomness
    ) throws(LinkError) -> LinkEvent? {
        guard record.count == Handshake.messageSize else { throw .handshakeFailed }
        let (payload, remoteStatic) = try read(record)
        guard let remoteStatic else {
            try write(Handshake.payload(carrying: context.certificate, by: .responder))
            return nil
        }
        let certificate = try Link.check(payload, remoteStatic: remoteStatic, context: context)
        if role == .initiator { try write(Handshake.payload(carrying: context.certificate, by: .initiator)) }
        try becomeOpen()
        return .established(certificate)
    }

    /// Appends our next message to the outbox, as a record.
    mutating func write(_ payload: [UInt8]) throws(LinkError) {
        var handshake = try takeHandshake()
        do throws(NoiseError) {
            let message = try handshake.writeMessage(payload: payload.span)
            outbox.append { $0 += [UInt8(message.count >> 8), UInt8(message.count & 255)] + message }
        } catch {
            throw .handshakeFailed
        }
        state = .shaking(handshake)
    }

    /// The payload of the other side's message, and its static key once that is proven.
    private mutating func read(_ record: Span<UInt8>) throws(LinkError) -> ([UInt8], PublicKey?) {
        var handshake = try takeHandshake()
        let payload: [UInt8]
        do throws(NoiseError) { payload = try handshake.readMessage(record) } catch { throw .handshakeFailed }
        let remoteStatic = handshake.remoteStatic
        state = .shaking(handshake)
        return (payload, remoteStatic)
    }

    /// The certificate that comes with the other side's static key, if it is about that key and not about ourselves.
    private static func check(
        _ payload: [UInt8], remoteStatic: PublicKey, context: LinkContext
    ) throws(LinkError) -> Certificate {
        let certificate: Certificate
        do throws(CertificateError) {
            certificate = try Handshake.certificate(in: payload.span)
        } catch {
            throw .badCertificate
        }
        guard certificate.noise == remoteStatic else { throw .badCertificate }
        guard certificate.identity != context.me else { throw .connectedToSelf }
        return certificate
    }

    private mutating func becomeOpen() throws(LinkError) {
        let handshake = try takeHandshake()
        do throws(NoiseError) { state = .open(try handshake.finish()) } catch { throw .handshakeFailed }
    }

    /// Moves the handshake out: whoever does not put it back leaves the link dead.
    private mutating func takeHandshake() throws(LinkError) -> Handshake {
        switch consume state {
        case .shaking(let handshake):
            state = .dead
            return handshake
        case .open, .dead:
            state = .dead
            throw .handshakeFailed
        }
    }
}
