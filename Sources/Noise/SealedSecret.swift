internal import Wire

/// A secret that only a pass phrase opens: Argon2id (RFC 9106) stretches the phrase to the key of a box of
/// XChaCha20-Poly1305.
package struct SealedSecret: Hashable, Sendable {
    /// Why a box did not open, or could not be made.
    package enum Failure: Error, Hashable, Sendable {
        /// Or the box is not what was sealed.
        case wrongPhrase
        case outOfMemory
    }

    package static let saltBytes = Sodium.saltBytes
    /// Bytes of a box beyond its secret: the nonce and the seal.
    package static let overhead = Sodium.longNonceBytes + Sodium.sealBytes

    package let cost: Cost
    package let salt: [UInt8]
    /// The nonce, then the ciphertext.
    package let box: [UInt8]

    /// Reads a stored box; nil for lengths that no seal has.
    package init?(cost: Cost, salt: [UInt8], box: [UInt8]) {
        guard salt.count == SealedSecret.saltBytes, box.count > SealedSecret.overhead else { return nil }
        self.cost = cost
        self.salt = salt
        self.box = box
    }

    /// Seals a secret.
    ///
    /// - Parameters:
    ///   - phrase: at least one byte.
    ///   - purpose: what the secret is; a box of another purpose does not open.
    package init(
        sealing secret: borrowing Secret, under phrase: borrowing Secret, cost: Cost, purpose: Domain,
        using randomness: inout Randomness
    ) throws(Failure) {
        let salt = randomness.bytes(SealedSecret.saltBytes)
        let nonce = randomness.bytes(Sodium.longNonceBytes)
        let key = try SealedSecret.key(of: phrase, cost, salt)
        let ciphertext = Sodium.seal(secret, key: key, longNonce: nonce, data: SealedSecret.data(purpose))
        self.cost = cost
        self.salt = salt
        box = nonce + ciphertext
    }

    /// The secret, if this is its phrase and its purpose.
    package func open(with phrase: borrowing Secret, purpose: Domain) throws(Failure) -> Secret {
        let key = try SealedSecret.key(of: phrase, cost, salt)
        let nonce = Array(box.prefix(Sodium.longNonceBytes))
        let ciphertext = Array(box.dropFirst(Sodium.longNonceBytes))
        let secret = Sodium.open(ciphertext, key: key, longNonce: nonce, data: SealedSecret.data(purpose))
        guard let secret else { throw .wrongPhrase }
        return secret
    }

    private static func key(of phrase: borrowing Secret, _ cost: Cost, _ salt: [UInt8]) throws(Failure) -> Secret {
        let key = Sodium.stretch(phrase, salt: salt, passes: cost.passes, memory: cost.memory << 10)
        guard let key else { throw .outOfMemory }
        return key
    }

    private static func data(_ purpose: Domain) -> [UInt8] { purpose.withBytes { [UInt8](copying: $0) } }
}

extension SealedSecret {
    /// The cost of one guess at a pass phrase.
    package struct Cost: Hashable, Sendable {
        /// Passes over the memory.
        package let passes: UInt64
        /// In KiB.
        package let memory: Int

        /// 64 MiB, which a small machine has, and three passes (RFC 9106 section 4): about a tenth of a second.
        package static let standard = Cost(uncheckedPasses: 3, memory: 65_536)

        /// Nil for what libsodium does not offer, and for what could be meant to exhaust the machine: over 64 passes, or
        /// over 1 GiB.
        package init?(passes: UInt64, memory: Int) {
            guard (1...64).contains(passes), (8...1_048_576).contains(memory) else { return nil }
            self.init(uncheckedPasses: passes, memory: memory)
        }

        private init(uncheckedPasses passes: UInt64, memory: Int) {
            self.passes = passes
            self.memory = memory
        }
    }
}
