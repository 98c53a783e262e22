import Chat
import Noise
import Wire

/// For parts that still see a `Connection`.
extension Node {
    func markDirty(_ connection: Connection) {
        links.markDirty(connection)
        askForTurnEnd()
    }

    func send(_ frame: [UInt8], on connection: Connection) { send(frame, on: LinkInfo(connection)) }

    func ban(_ connection: Connection) { ban(LinkInfo(connection)) }

    func drop(_ connection: Connection) { close(LinkInfo(connection), .violation) }

    func flush(_ connection: Connection) { flush(LinkInfo(connection)) }

    func arm(_ connection: Connection) { arm(LinkInfo(connection)) }

    func sendCertificate(for author: PeerID, on connection: Connection) {
        sendCertificate(for: author, on: LinkInfo(connection))
    }

    func sendCertificate(_ certificate: Certificate, as type: FrameType, on connection: Connection) {
        links.send(certificate, as: type, on: LinkInfo(connection))
        askForTurnEnd()
    }

    func greet(_ connection: Connection) { greet(LinkInfo(connection)) }
}
