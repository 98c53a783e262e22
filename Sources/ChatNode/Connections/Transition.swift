import Chat
import Noise
import Wire

/// For parts that still see a `Connection`.
typealias Connection = LinkInfo

extension LinkInfo {
    init(_ link: LinkInfo) { self = link }

    var connection: LinkInfo { self }
}

extension Connections {
    var activeLinks: [LinkInfo] { active }

    func info(_ id: ConnectionID) -> LinkInfo? { self[id] }

    func info(of peer: PeerID) -> LinkInfo? { sendingLink(of: peer) }

    func allInfo(of peer: PeerID) -> [LinkInfo] { links(of: peer) }
}

extension Node {
    func drop(_ link: LinkInfo) { close(link, .violation) }

    func sendCertificate(_ certificate: Certificate, as type: FrameType, on link: LinkInfo) {
        links.send(certificate, as: type, on: link)
        askForTurnEnd()
    }

    func enqueue(_ frame: [UInt8], on link: LinkInfo) {
        links.enqueue(frame, on: link)
        askForTurnEnd()
    }
}
