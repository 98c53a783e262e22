package import Chat
package import Noise
package import Wire

/// What all links of one node share: who we are to the other side.
package final class LinkContext {
    package let me: PeerID
    /// What we tell about ourselves now: it is renewed with the dm key and the epoch.
    package var certificate: Certificate
    let staticKey: StaticKey
    let prologue: [UInt8]

    package init(certificate: Certificate, staticKey: StaticKey, room: RoomID) {
        me = certificate.identity
        self.certificate = certificate
        self.staticKey = staticKey
        prologue = Array("earshot/1\0".utf8) + room.bytes
    }
}
