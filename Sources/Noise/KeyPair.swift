/// An X25519 key pair (Protocol.md section 1): a link's ephemeral key, a node's noise or dm key.
package struct KeyPair: ~Copyable {
    package let publicKey: PublicKey
    private var secret: Secret

    /// A fresh pair, guarded unless it lives no longer than a handshake.
    package static func generate(
        using randomness: inout Randomness, protection: Secret.Protection = .guarded
    ) -> KeyPair {
        KeyPair(secret: Secret(random: Sodium.keyBytes, protection: protection, using: &randomness))
    }

    /// The pair of a secret of 32 bytes.
    package init(secret: consuming Secret) {
        precondition(secret.count == Sodium.keyBytes, "an X25519 secret is 32 bytes")
        guard let publicKey = PublicKey(Sodium.publicKey(of: secret).span) else {
            fatalError("an X25519 public key is 32 bytes")
        }
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Zeroes the secret half: later agreements are with no peer.
    package mutating func forget() {
        secret = Secret(count: secret.count)
    }

    /// The secret shared with the owner of a public key.
    ///
    /// - Throws: `invalidKey` for a point of low order: any observer could compute its result.
    func agree(with point: PublicKey) throws(NoiseError) -> Secret {
        guard let shared = Sodium.agree(secret, point) else { throw .invalidKey }
        return shared
    }
}
