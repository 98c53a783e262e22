import Wire

/// One direction's key and how many messages it has sealed (Noise specification 5.1).
struct CipherState: ~Copyable {
    /// The largest message of Noise, seal included.
    static let largestMessage = 65_535

    private(set) var key: Secret
    private(set) var nonce: UInt64

    init(key: consuming Secret, nonce: UInt64 = 0) {
        self.key = key
        self.nonce = nonce
    }

    /// Appends the sealed plaintext, 16 bytes longer; nothing if it throws.
    mutating func seal(
        _ plaintext: Span<UInt8>, data: [UInt8], appendingTo output: inout [UInt8]
    ) throws(NoiseError) {
        guard plaintext.count <= CipherState.largestMessage - Sodium.sealBytes else { throw .messageTooLong }
        guard nonce < .max else { throw .nonceExhausted }
        Sodium.seal(plaintext, key: key, nonce: nonce, data: data, appendingTo: &output)
        nonce += 1
    }

    /// Replaces what `plaintext` held; leaves it empty if it throws.
    mutating func open(
        _ ciphertext: Span<UInt8>, data: [UInt8], into plaintext: inout [UInt8]
    ) throws(NoiseError) {
        // The buffer's owner overwrites the last plaintext alone, and a shorter one would leave the end of this one behind itself.
        for index in plaintext.indices { plaintext[index] = 0 }
        plaintext.removeAll(keepingCapacity: true)
        guard ciphertext.count <= CipherState.largestMessage else { throw .messageTooLong }
        guard ciphertext.count >= Sodium.sealBytes else { throw .messageTooShort }
        guard nonce < .max else { throw .nonceExhausted }
        guard Sodium.open(ciphertext, key: key, nonce: nonce, data: data, into: &plaintext) else {
            throw .decryptionFailed
        }
        nonce += 1
    }

    /// After every 256 messages, replaces the key by one from which the old can not be found; the count goes on
    /// (Protocol.md section 4; Noise specification 11.3).
    mutating func rekeyIfDue() {
        if nonce.isMultiple(of: Limits.recordsPerKey) { key = Sodium.rekey(key) }
    }
}

extension Limits {
    /// Records after which both directions of a link derive a new key. With more, a key that leaks opens more recorded
    /// traffic; with fewer, links spend more time on keys.
    static let recordsPerKey: UInt64 = 256
}
