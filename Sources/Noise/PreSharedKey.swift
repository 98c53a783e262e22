/// The key that all nodes of a room mix into their handshakes, 32 bytes (Noise specification 9).
///
/// A class, because a secret has one owner and a node has many handshakes; it is zeroed when the last lets go. Sendable,
/// because the secret is written once, before any other thread knows it.
package final class PreSharedKey: @unchecked Sendable {
    package static let byteCount = Sodium.keyBytes

    let secret: Secret

    /// - Parameter secret: 32 bytes.
    package init(_ secret: consuming Secret) {
        precondition(secret.count == PreSharedKey.byteCount, "a pre-shared key is 32 bytes")
        self.secret = secret
    }
}
