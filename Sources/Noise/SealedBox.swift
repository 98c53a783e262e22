import Wire

/// Noise_N_25519_ChaChaPoly_SHA256: one message to an absent receiver, from an anonymous sender; the author's signature is
/// inside (Protocol.md section 8; Noise specification 7.4).
package enum SealedBox {
    /// How much longer than its plaintext a sealed message is.
    package static let overhead = PublicKey.byteCount + Sodium.sealBytes

    /// Only the owner of `recipient` can open it, and only with the same prologue.
    ///
    /// - Throws: `invalidKey` if the recipient's key has low order, `messageTooLong` beyond 65,487 bytes.
    package static func seal(
        to recipient: PublicKey, prologue: [UInt8], plaintext: Span<UInt8>, using randomness: inout Randomness
    ) throws(NoiseError) -> [UInt8] {
        let ephemeral = KeyPair.generate(using: &randomness, protection: .transient)
        var symmetric = start(to: recipient, prologue: prologue)
        return try seal(to: recipient, plaintext: plaintext, ephemeral: ephemeral, mixing: &symmetric)
    }

    /// The plaintext, if the message was sealed to this key with this prologue.
    package static func open(
        with key: borrowing KeyPair, prologue: [UInt8], message: Span<UInt8>
    ) throws(NoiseError) -> [UInt8] {
        var symmetric = start(to: key.publicKey, prologue: prologue)
        return try open(with: key, message: message, mixing: &symmetric)
    }

    /// Both sides know the recipient's key beforehand.
    static func start(to recipient: PublicKey, prologue: [UInt8]) -> SymmetricState {
        var symmetric = SymmetricState(protocolName: "Noise_N_25519_ChaChaPoly_SHA256")
        symmetric.mixHash(prologue.span)
        symmetric.mixHash(recipient.span)
        return symmetric
    }

    /// With an ephemeral key that must never be used again.
    static func seal(
        to recipient: PublicKey, plaintext: Span<UInt8>, ephemeral: borrowing KeyPair,
        mixing symmetric: inout SymmetricState
    ) throws(NoiseError) -> [UInt8] {
        guard plaintext.count <= CipherState.largestMessage - overhead else { throw .messageTooLong }
        var message = ephemeral.publicKey.bytes
        symmetric.mixHash(ephemeral.publicKey.span)
        symmetric.mixKey(try ephemeral.agree(with: recipient))
        try symmetric.encryptAndHash(plaintext, appendingTo: &message)
        return message
    }

    static func open(
        with key: borrowing KeyPair, message: Span<UInt8>, mixing symmetric: inout SymmetricState
    ) throws(NoiseError) -> [UInt8] {
        guard message.count <= CipherState.largestMessage else { throw .messageTooLong }
        guard message.count >= overhead, let ephemeral = PublicKey(message.extracting(..<PublicKey.byteCount)) else {
            throw .messageTooShort
        }
        symmetric.mixHash(ephemeral.span)
        symmetric.mixKey(try key.agree(with: ephemeral))
        return try symmetric.decryptAndHash(message.extracting(PublicKey.byteCount...))
    }
}
