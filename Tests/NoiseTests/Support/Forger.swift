@testable import Noise

/// Writes handshake messages by hand, as an attacker does that is not bound by the pattern.
struct Forger: ~Copyable {
    private var symmetric = SymmetricState(protocolName: "Noise_XXpsk0_25519_ChaChaPoly_SHA256")
    private let ephemeral: KeyPair

    init(seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        ephemeral = KeyPair.generate(using: &randomness, protection: .transient)
        let prologue = Duo.prologue
        symmetric.mixHash(prologue.span)
        Duo.room.withSecret { symmetric.mixKeyAndHash($0) }
    }

    /// Message 2 to the author of message 1, claiming a static key and mixing for `es` the result of `agreement` on the
    /// other side's ephemeral key.
    mutating func answer(
        to first: [UInt8], claiming key: [UInt8], agreement: (PublicKey) throws(NoiseError) -> Secret
    ) throws(NoiseError) -> [UInt8] {
        let remote = try publicKey(first)
        symmetric.mixEphemeral(remote)
        _ = try symmetric.decryptAndHash(first.span.extracting(32...))
        var message = ephemeral.publicKey.bytes
        symmetric.mixEphemeral(ephemeral.publicKey)
        symmetric.mixKey(try ephemeral.agree(with: remote))
        try claim(key, mixing: agreement(remote), into: &message)
        return message
    }

    /// Message 1, claiming an ephemeral key; nil for the forger's own.
    mutating func begin(claiming key: PublicKey? = nil) throws(NoiseError) -> [UInt8] {
        let nothing: [UInt8] = []
        let claimed = key ?? ephemeral.publicKey
        var message = claimed.bytes
        symmetric.mixEphemeral(claimed)
        try symmetric.encryptAndHash(nothing.span, appendingTo: &message)
        return message
    }

    /// Message 3 after an answer without payload, likewise, for `se`.
    mutating func conclude(
        after second: [UInt8], claiming key: [UInt8], agreement: (PublicKey) throws(NoiseError) -> Secret
    ) throws(NoiseError) -> [UInt8] {
        let remote = try publicKey(second)
        symmetric.mixEphemeral(remote)
        symmetric.mixKey(try ephemeral.agree(with: remote))
        let remoteStatic = try symmetric.decryptAndHash(second.span.extracting(32..<80))
        symmetric.mixKey(try ephemeral.agree(with: publicKey(remoteStatic)))
        _ = try symmetric.decryptAndHash(second.span.extracting(80...))
        var message: [UInt8] = []
        try claim(key, mixing: agreement(remote), into: &message)
        return message
    }

    private mutating func claim(
        _ key: [UInt8], mixing secret: borrowing Secret, into message: inout [UInt8]
    ) throws(NoiseError) {
        let payload: [UInt8] = Array("let me in".utf8)
        try symmetric.encryptAndHash(key.span, appendingTo: &message)
        symmetric.mixKey(secret)
        try symmetric.encryptAndHash(payload.span, appendingTo: &message)
    }

    private func publicKey(_ bytes: [UInt8]) throws(NoiseError) -> PublicKey {
        guard bytes.count >= 32, let key = PublicKey(bytes.span.extracting(..<32)) else { throw .messageTooShort }
        return key
    }
}
