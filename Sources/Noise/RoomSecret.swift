import Synchronization
import Wire

/// The secret of a room, 32 bytes, from which everything that its nodes have in common is derived (Protocol.md section 3).
package final class RoomSecret: Sendable {
    package static let byteCount = Sodium.digestBytes
    /// Bytes of a salt for a pass phrase.
    package static let saltBytes = Sodium.saltBytes

    /// Never changed: the lock lets threads share it.
    private let key: Mutex<Secret>

    /// The published secret of every open room: zeros.
    package static let open = RoomSecret(Secret(count: byteCount))

    /// The secret of a generated key.
    package convenience init(generated bits: borrowing Secret, purpose: Domain) {
        let message = purpose.withBytes { [UInt8](copying: $0) }
        self.init(Sodium.hmac(key: bits, message.span))
    }

    /// The secret that a pass phrase is stretched to by Argon2id with libsodium's moderate cost: three passes over 256 MiB, about
    /// a second of computing. It blocks the thread.
    ///
    /// - Returns: nil where there is not as much memory.
    package convenience init?(stretching phrase: borrowing Secret, salt: [UInt8]) {
        guard let key = Sodium.stretch(phrase, salt: salt, passes: 3, memory: 256 << 20) else { return nil }
        self.init(key)
    }

    /// - Parameter bytes: 32 of them, from a member of the room.
    package convenience init(_ bytes: [UInt8]) {
        precondition(bytes.count == RoomSecret.byteCount, "the secret of a room is 32 bytes")
        self.init(
            Secret(count: bytes.count, protection: .transient) { secret in
                for index in bytes.indices { secret[index] = bytes[index] }
            })
    }

    /// A copy, for another peer.
    package func copyBytes() -> [UInt8] { key.withLock { [UInt8](copying: $0.span) } }

    private init(_ key: borrowing Secret) { self.key = Mutex(key.guarded()) }

    /// HMAC-SHA-256 of a domain and the name of a room under the secret, 32 bytes, as a key.
    package func preSharedKey(_ domain: Domain, name: [UInt8]) -> PreSharedKey {
        key.withLock { PreSharedKey(RoomSecret.derived($0, domain, name)) }
    }

    /// HMAC-SHA-256 of a domain and the name of a room, 32 bytes, to be sent or announced.
    package func identifier(_ domain: Domain, name: [UInt8]) -> [UInt8] {
        key.withLock { key in
            let derived = RoomSecret.derived(key, domain, name)
            return [UInt8](copying: derived.span)
        }
    }

    private static func derived(_ key: borrowing Secret, _ domain: Domain, _ name: [UInt8]) -> Secret {
        let message = domain.withBytes { [UInt8](copying: $0) } + name
        return Sodium.hmac(key: key, message.span)
    }
}

/// The key that all nodes of a room mix into their handshakes, 32 bytes (Noise specification 9).
///
/// A class, because a secret has one owner and a node has many handshakes; it is zeroed when the last lets go.
package final class PreSharedKey: Sendable {
    package static let byteCount = Sodium.keyBytes

    /// Never changed: the lock lets threads share it.
    private let key: Mutex<Secret>

    /// A copy in guarded memory.
    ///
    /// - Parameter key: 32 bytes.
    package init(_ key: borrowing Secret) {
        precondition(key.count == PreSharedKey.byteCount, "a pre-shared key is 32 bytes")
        self.key = Mutex(key.guarded())
    }

    /// Lends the key.
    func withSecret(_ body: (borrowing Secret) -> Void) {
        key.withLock { body($0) }
    }
}
