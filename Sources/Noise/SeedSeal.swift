internal import Wire

/// Seals data that is kept beside an identity, under a key derived from the identity's seed: XChaCha20-Poly1305 with a random
/// nonce.
package struct SeedSeal: ~Copyable {
    /// Bytes of a box beyond its plaintext: the nonce and the seal.
    package static let overhead = Sodium.longNonceBytes + Sodium.sealBytes

    private let key: Secret
    /// The purpose, which each box is bound to as well.
    private let data: [UInt8]

    private init(key: consuming Secret, data: [UInt8]) {
        self.key = key
        self.data = data
    }

    /// The seal of a seed's identity, with a key of its own.
    ///
    /// - Parameter purpose: the kind of the data; the key of another purpose opens none of it.
    package static func derived(from seed: borrowing Secret, purpose: Domain) -> sending SeedSeal {
        let data = purpose.withBytes { [UInt8](copying: $0) }
        let key = Sodium.hmac(key: seed, data.span)
        return SeedSeal(key: key.prefix(key.count), data: data)
    }

    /// The nonce, then the ciphertext.
    package func seal(_ plaintext: borrowing Secret, using randomness: inout Randomness) -> [UInt8] {
        let nonce = randomness.bytes(Sodium.longNonceBytes)
        return nonce + Sodium.seal(plaintext, key: key, longNonce: nonce, data: data)
    }

    /// The plaintext; nil for a box that this key did not seal.
    package func open(_ box: [UInt8]) -> Secret? {
        let nonce = Array(box.prefix(Sodium.longNonceBytes))
        return Sodium.open(Array(box.dropFirst(Sodium.longNonceBytes)), key: key, longNonce: nonce, data: data)
    }
}
