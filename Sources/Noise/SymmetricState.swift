import Wire

/// The transcript of a handshake and the keys mixed so far (Noise specification 5.2).
struct SymmetricState: ~Copyable {
    private var chainingKey: Secret
    /// Nil until the first key is mixed: until then everything is in the clear.
    private var cipher: CipherState?
    /// Of everything said so far; at the end, the name of the session.
    private(set) var hash: [UInt8]

    /// - Parameter protocolName: ASCII. Up to 32 bytes, with zeros behind it, are their own hash.
    init(protocolName: StaticString) {
        var name = Array(protocolName.description.utf8)
        if name.count > Sodium.digestBytes {
            name = SHA256.hash(name.span)
        } else {
            name += repeatElement(0, count: Sodium.digestBytes - name.count)
        }
        hash = name
        chainingKey = Secret(count: name.count, protection: .transient) { key in
            for index in name.indices { key[index] = name[index] }
        }
    }

    mutating func mixHash(_ data: Span<UInt8>) {
        let digest = Sodium.sha256(hash.span, data)
        hash = [UInt8](copying: digest.span)
    }

    mutating func mixKey(_ input: borrowing Secret) { mixKey(input.span) }

    /// For an input that is no secret, such as an ephemeral public key in a pattern with a pre-shared key.
    mutating func mixKey(_ input: Span<UInt8>) {
        let keys = DerivedKeys(chainingKey: chainingKey, input: input)
        chainingKey = keys.first
        cipher = CipherState(key: keys.second)
    }

    /// Mixes a pre-shared key into the chaining key, the hash and the cipher's key (Noise specification 9.1).
    mutating func mixKeyAndHash(_ input: borrowing Secret) {
        let keys = DerivedKeys.three(chainingKey: chainingKey, input: input.span)
        mixHash(keys.second)
        chainingKey = keys.first
        cipher = CipherState(key: keys.third)
    }

    private mutating func mixHash(_ secret: borrowing Secret) { mixHash(secret.span) }

    /// Mixes an ephemeral key of a pattern with a pre-shared key, also into the cipher's key: no two handshakes seal under one
    /// (Noise specification 9.2).
    mutating func mixEphemeral(_ key: PublicKey) {
        mixHash(key.span)
        mixKey(key.span)
    }

    /// Appends the plaintext, sealed once there is a key.
    mutating func encryptAndHash(
        _ plaintext: Span<UInt8>, appendingTo output: inout [UInt8]
    ) throws(NoiseError) {
        let start = output.count
        if cipher != nil {
            try cipher?.seal(plaintext, data: hash, appendingTo: &output)
        } else {
            output += [UInt8](copying: plaintext)
        }
        mixHash(output.span.extracting(start...))
    }

    mutating func decryptAndHash(_ ciphertext: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        var plaintext: [UInt8] = []
        if cipher != nil {
            try cipher?.open(ciphertext, data: hash, into: &plaintext)
        } else {
            plaintext = [UInt8](copying: ciphertext)
        }
        mixHash(ciphertext)
        return plaintext
    }

    /// The keys of the two directions, the initiator's first.
    consuming func split() -> DerivedKeys {
        let nothing: [UInt8] = []
        return DerivedKeys(chainingKey: chainingKey, input: nothing.span)
    }
}

/// HKDF with two outputs (RFC 5869, Noise specification 4.3).
struct DerivedKeys: ~Copyable {
    let first: Secret
    let second: Secret

    init(chainingKey: borrowing Secret, input: Span<UInt8>) {
        let nothing: [UInt8] = []
        let temporary = Sodium.hmac(key: chainingKey, input)
        first = Sodium.hmac(key: temporary, nothing.span, 1)
        second = DerivedKeys.next(temporary, after: first, 2)
    }

    /// HKDF with three outputs.
    static func three(chainingKey: borrowing Secret, input: Span<UInt8>) -> ThreeKeys {
        let nothing: [UInt8] = []
        let temporary = Sodium.hmac(key: chainingKey, input)
        let first = Sodium.hmac(key: temporary, nothing.span, 1)
        let second = next(temporary, after: first, 2)
        let third = next(temporary, after: second, 3)
        return ThreeKeys(first: first, second: second, third: third)
    }

    private static func next(_ key: borrowing Secret, after previous: borrowing Secret, _ number: UInt8) -> Secret {
        Sodium.hmac(key: key, previous.span, number)
    }
}

/// The three outputs of HKDF, of which the second is mixed into the hash.
struct ThreeKeys: ~Copyable {
    let first: Secret
    let second: Secret
    let third: Secret
}
