package import Wire

/// The identity of a node: the Ed25519 key that signs, and nothing else (Protocol.md section 1).
package struct Identity: ~Copyable {
    package static let seedBytes = 32
    package static let signatureBytes = 64

    /// The public key: what others know this identity by.
    package let id: PeerID
    private var key: Secret

    /// A new identity.
    package static func generate(using randomness: inout Randomness) -> Identity {
        Identity(seed: Secret(random: seedBytes, protection: .transient, using: &randomness))
    }

    /// The identity that a seed of 32 bytes stands for; the seed is zeroed.
    package init(seed: consuming Secret) {
        precondition(seed.count == Identity.seedBytes, "an identity's seed is 32 bytes")
        key = Sodium.signingKey(seed: seed)
        id = Identity.publicKey(in: key)
    }

    /// The peer id of a seed's identity.
    package static func id(ofSeed seed: borrowing Secret) -> PeerID {
        precondition(seed.count == Identity.seedBytes, "an identity's seed is 32 bytes")
        return publicKey(in: Sodium.signingKey(seed: seed))
    }

    /// A copy with its own key in memory, for another room of the process.
    package borrowing func copy() -> sending Identity { Identity(id: id, key: key.prefix(key.count)) }

    private init(id: PeerID, key: consuming Secret) {
        self.id = id
        self.key = key
    }

    /// The signature over the domain and the message, 64 bytes (RFC 8032).
    package borrowing func sign(domain: Domain, message: Span<UInt8>) -> [UInt8] {
        Sodium.sign(domain, message, with: key)
    }

    /// True only for a signature that `signer` made over exactly this domain and message.
    package static func verify(signature: Span<UInt8>, domain: Domain, message: Span<UInt8>, by signer: PeerID) -> Bool
    {
        SignatureMemory.isUsed
            ? SignatureMemory.verify(signature, domain, message, by: signer)
            : Sodium.verify(signature, domain, message, by: signer.bytes)
    }

    /// Zeroes the key: later signatures are invalid.
    package mutating func forget() {
        key = Secret(count: key.count)
    }

    /// The public key follows the seed.
    private static func publicKey(in key: borrowing Secret) -> PeerID {
        guard let id = PeerID([UInt8](copying: key.span.extracting(seedBytes...))) else {
            fatalError("an Ed25519 public key is 32 bytes")
        }
        return id
    }
}
