package import Chat
package import Noise
package import Wire

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
