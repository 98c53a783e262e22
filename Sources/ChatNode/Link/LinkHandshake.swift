package import Chat
package import Noise
package import Wire

/// The handshake of a link: Noise XXpsk0 with the room's key, each message one record of the smallest size, certificates in the
/// second and third (Protocol.md section 3).
extension Link {
    mutating func receiveHandshake(_ record: Span<UInt8>, context: LinkContext) throws(LinkError) -> LinkEvent? {
        guard record.count == Handshake.messageSize else { throw .handshakeFailed }
        let (payload, remoteStatic) = try state.readMessage(record)
        guard let remoteStatic else {
            guard payload == Handshake.openingPayload else { throw .handshakeFailed }
            try write(Handshake.payload(carrying: context.certificate, by: .responder))
            return nil
        }
        let certificate = try Link.check(payload, remoteStatic: remoteStatic, context: context)
        if role == .initiator { try write(Handshake.payload(carrying: context.certificate, by: .initiator)) }
        try state.becomeOpen()
        decoder.endHandshake()
        return .established(certificate)
    }

    /// Appends our next message to the outbox, as a record.
    mutating func write(_ payload: [UInt8]) throws(LinkError) {
        let message = try state.writeMessage(payload)
        outbox.append([UInt8(message.count >> 8), UInt8(message.count & 255)] + message)
    }

    /// The certificate that comes with the other side's static key, if it is about that key and not of this very run of ours.
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
        guard !certificate.isOfSameRun(as: context.certificate) else { throw .connectedToSelf }
        return certificate
    }
}

/// The secrets and statements that all links of one node share.
package final class LinkContext {
    package let me: PeerID
    /// Our current certificate: it is renewed with the dm key and the epoch.
    package var certificate: Certificate
    let staticKey: StaticKey
    let room: Room

    package init(certificate: Certificate, staticKey: StaticKey, room: Room) {
        me = certificate.identity
        self.certificate = certificate
        self.staticKey = staticKey
        self.room = room
    }

    /// The handshake by which an open link replaces its keys. Its prologue is not that of a new connection, so that a member can
    /// not pass its messages on to another node.
    func renewal(_ role: Handshake.Role, using randomness: inout Randomness) -> Handshake {
        Handshake(
            role: role, prologue: room.prologue + LinkContext.renewalSuffix, room: room.preSharedKey, key: staticKey,
            using: &randomness)
    }

    private static let renewalSuffix = Array("renewal\0".utf8)

    /// A handshake with the keys of this node and its room.
    func handshake(_ role: Handshake.Role, using randomness: inout Randomness) -> Handshake {
        Handshake(role: role, prologue: room.prologue, room: room.preSharedKey, key: staticKey, using: &randomness)
    }
}
