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

/// The key that all bridges of a room share, 32 bytes: it seals what they publish (Docs/Bridge.md).
package final class BridgeKey: Sendable {
    package static let byteCount = Sodium.keyBytes
    /// Bytes of a box beyond its plaintext: the nonce and the seal.
    package static let overhead = Sodium.longNonceBytes + Sodium.sealBytes

    /// Never changed: the lock lets threads share it.
    private let key: Mutex<Secret>

    /// A copy in guarded memory.
    ///
    /// - Parameter key: 32 bytes.
    package init(_ key: borrowing Secret) {
        precondition(key.count == BridgeKey.byteCount, "a bridge key is 32 bytes")
        self.key = Mutex(key.guarded())
    }

    /// - Parameter bytes: 32 of them.
    package convenience init(_ bytes: [UInt8]) {
        precondition(bytes.count == BridgeKey.byteCount, "a bridge key is 32 bytes")
        self.init(
            Secret(count: bytes.count, protection: .transient) { secret in
                for index in bytes.indices { secret[index] = bytes[index] }
            })
    }

    /// A new key.
    package convenience init(using randomness: inout Randomness) {
        self.init(Secret(random: BridgeKey.byteCount, protection: .transient, using: &randomness))
    }

    /// The key, to be kept in a file.
    package func copyBytes() -> [UInt8] { key.withLock { [UInt8](copying: $0.span) } }

    /// Seals with XChaCha20-Poly1305 under a random nonce: `nonce[24] || ciphertext || tag[16]`.
    ///
    /// - Parameter context: bound to the box, which opens in no other one.
    package func seal(_ plaintext: [UInt8], in context: [UInt8], using randomness: inout Randomness) -> [UInt8] {
        let nonce = randomness.bytes(Sodium.longNonceBytes)
        let ciphertext = key.withLock { key in
            let secret = Secret(count: plaintext.count, protection: .transient) { bytes in
                for index in plaintext.indices { bytes[index] = plaintext[index] }
            }
            return Sodium.seal(secret, key: key, longNonce: nonce, data: context)
        }
        return nonce + ciphertext
    }

    /// Opens a box; nil if it was not sealed under this key and in this context.
    package func open(_ box: [UInt8], in context: [UInt8]) -> [UInt8]? {
        guard box.count >= BridgeKey.overhead else { return nil }
        let nonce = Array(box.prefix(Sodium.longNonceBytes))
        let ciphertext = Array(box.dropFirst(Sodium.longNonceBytes))
        return key.withLock { key in
            switch Sodium.open(ciphertext, key: key, longNonce: nonce, data: context) {
            case .some(let secret): [UInt8](copying: secret.span)
            case .none: nil
            }
        }
    }

    /// HMAC-SHA-256 of a domain and a message under the key, 32 bytes.
    package func digest(_ domain: Domain, _ message: [UInt8]) -> [UInt8] {
        let input = domain.withBytes { [UInt8](copying: $0) } + message
        return key.withLock { key in
            let digest = Sodium.hmac(key: key, input.span)
            return [UInt8](copying: digest.span)
        }
    }
}
