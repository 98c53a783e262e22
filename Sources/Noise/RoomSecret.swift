import Wire

/// The secret of a room, 32 bytes, from which everything that its nodes have in common is derived (Protocol.md section 3).
///
/// Sendable, because the bytes are written once, before any other thread knows them.
package final class RoomSecret: @unchecked Sendable {
    package static let byteCount = Sodium.digestBytes
    /// Bytes of a salt for a pass phrase.
    package static let saltBytes = Sodium.saltBytes

    private let key: Secret

    /// The published secret of every open room: zeros.
    package static let open = RoomSecret(Secret(count: byteCount, protection: .guarded))

    /// The secret of a generated key.
    package init(generated bits: borrowing Secret, purpose: Domain) {
        let message = purpose.withBytes { [UInt8](copying: $0) }
        key = RoomSecret.guarded(Sodium.hmac(key: bits, message.span))
    }

    /// The secret that a pass phrase is stretched to by Argon2id with libsodium's moderate cost: three passes over 256 MiB, about
    /// a second of computing. It blocks the thread.
    ///
    /// - Returns: nil where there is not as much memory.
    package init?(stretching phrase: borrowing Secret, salt: [UInt8]) {
        guard let key = Sodium.stretch(phrase, salt: salt, passes: 3, memory: 256 << 20) else { return nil }
        self.key = RoomSecret.guarded(key)
    }

    private init(_ key: consuming Secret) { self.key = key }

    /// HMAC-SHA-256 of a domain and the name of a room under the secret, 32 bytes, as a key.
    package func preSharedKey(_ domain: Domain, name: [UInt8]) -> PreSharedKey {
        PreSharedKey(RoomSecret.guarded(derived(domain, name)))
    }

    /// The same, for what the nodes say or announce.
    package func identifier(_ domain: Domain, name: [UInt8]) -> [UInt8] {
        let derived = derived(domain, name)
        return [UInt8](copying: derived.span)
    }

    private func derived(_ domain: Domain, _ name: [UInt8]) -> Secret {
        let message = domain.withBytes { [UInt8](copying: $0) } + name
        return Sodium.hmac(key: key, message.span)
    }

    private static func guarded(_ secret: consuming Secret) -> Secret {
        Secret(count: secret.count, protection: .guarded) { bytes in
            for index in bytes.indices { bytes[index] = secret.span[index] }
        }
    }
}
