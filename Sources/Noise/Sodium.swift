import CSodium

/// libsodium, with lengths that are checked and secrets that stay where they are zeroed.
///
/// The only file that sees the library. A `Secret` that is borrowed for a call lives as long as the call, which is what
/// makes its pointer safe to hand to C.
enum Sodium {
    static let keyBytes = 32
    static let digestBytes = 32
    static let signatureBytes = 64
    static let sealBytes = 16

    /// Selects the fastest implementations and opens the source of randomness; thread-safe, and once.
    static let isReady = sodium_init() >= 0

    private static func prepare() {
        guard isReady else { fatalError("libsodium can not start: the system offers it no randomness") }
    }
}

// Memory.
extension Sodium {
    /// Pages of their own between guard pages, locked against swapping as far as the limits allow.
    static func allocateGuarded(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
        prepare()
        guard let start = unsafe sodium_malloc(count) else { return nil }
        return unsafe start.assumingMemoryBound(to: UInt8.self)
    }

    /// Zeroes the bytes first.
    static func freeGuarded(_ start: UnsafeMutablePointer<UInt8>) {
        unsafe sodium_free(start)
    }

    /// Zeroes in a way that no optimiser removes.
    static func zero(_ start: UnsafeMutablePointer<UInt8>, _ count: Int) {
        unsafe sodium_memzero(start, count)
    }

    /// In a time that does not tell where they differ.
    static func areEqual(_ left: borrowing Secret, _ right: borrowing Secret) -> Bool {
        unsafe left.count == right.count && sodium_memcmp(left.start, right.start, left.count) == 0
    }

    static func randomize(_ bytes: inout MutableSpan<UInt8>) {
        prepare()
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe randombytes_buf(start, buffer.count)
        }
    }
}

// SHA-256 (RFC 6234) and HMAC with it (RFC 2104).
extension Sodium {
    /// The digest of two pieces one after the other, 32 bytes.
    static func sha256(_ first: Span<UInt8>, _ second: Span<UInt8>) -> InlineArray<32, UInt8> {
        prepare()
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var state = crypto_hash_sha256_state()
        unsafe crypto_hash_sha256_init(&state)
        unsafe withBytes(first) { _ = unsafe crypto_hash_sha256_update(&state, $0, $1) }
        unsafe withBytes(second) { _ = unsafe crypto_hash_sha256_update(&state, $0, $1) }
        var space = digest.mutableSpan
        unsafe space.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { fatalError("a digest has no room") }
            unsafe crypto_hash_sha256_final(&state, start)
        }
        return digest
    }

    /// BLAKE2b without a key (RFC 7693), 16 bytes.
    static func blake2b(_ message: Span<UInt8>, _ purpose: BLAKE2b.Purpose) -> InlineArray<16, UInt8> {
        prepare()
        var digest = InlineArray<16, UInt8>(repeating: 0)
        var space = digest.mutableSpan
        unsafe space.withUnsafeMutableBufferPointer { output in
            guard let start = output.baseAddress else { fatalError("a digest has no room") }
            unsafe withBytes(message) { input, count in
                unsafe withBytes(purpose.bytes.span) { purpose, _ in
                    _ = unsafe crypto_generichash_blake2b_salt_personal(
                        start, output.count, input, count, nil, 0, nil, purpose)
                }
            }
        }
        return digest
    }

    /// BLAKE2b with a key of 32 bytes, 32 bytes.
    static func blake2b(_ message: Span<UInt8>, key: borrowing Secret) -> Secret {
        prepare()
        let digest = Secret(count: digestBytes)
        unsafe withBytes(message) { input, count in
            _ = unsafe crypto_generichash_blake2b(digest.start, digest.count, input, count, key.start, key.count)
        }
        return digest
    }

    /// HMAC-SHA256 of a message and at most one byte behind it.
    static func hmac(key: borrowing Secret, _ message: Span<UInt8>, _ suffix: UInt8? = nil) -> Secret {
        prepare()
        let digest = Secret(count: digestBytes)
        var state = crypto_auth_hmacsha256_state()
        defer { unsafe sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size) }
        unsafe crypto_auth_hmacsha256_init(&state, key.start, key.count)
        unsafe withBytes(message) { _ = unsafe crypto_auth_hmacsha256_update(&state, $0, $1) }
        if var suffix { unsafe crypto_auth_hmacsha256_update(&state, &suffix, 1) }
        unsafe crypto_auth_hmacsha256_final(&state, digest.start)
        return digest
    }
}

// X25519 (RFC 7748).
extension Sodium {
    /// The public key of a secret, 32 bytes.
    static func publicKey(of secret: borrowing Secret) -> [UInt8] {
        prepare()
        var point = [UInt8](repeating: 0, count: keyBytes)
        unsafe crypto_scalarmult_curve25519_base(&point, secret.start)
        return point
    }

    /// The shared secret; nil if the point has low order, so that any observer could compute the result.
    static func agree(_ secret: borrowing Secret, _ point: PublicKey) -> Secret? {
        prepare()
        let shared = Secret(count: keyBytes)
        let status = unsafe withBytes(point.span) { point, _ in
            unsafe crypto_scalarmult_curve25519(shared.start, secret.start, point)
        }
        guard status == 0 else { return nil }
        return shared
    }
}

// Ed25519 (RFC 8032).
extension Sodium {
    /// The seed and, behind it, the public key it gives: 64 bytes, guarded.
    static func signingKey(seed: borrowing Secret) -> Secret {
        prepare()
        let key = Secret(count: 2 * keyBytes, protection: .guarded)
        var publicKey = [UInt8](repeating: 0, count: keyBytes)
        unsafe crypto_sign_ed25519_seed_keypair(&publicKey, key.start, seed.start)
        return key
    }

    static func sign(_ domain: Domain, _ message: Span<UInt8>, with key: borrowing Secret) -> [UInt8] {
        prepare()
        var signature = [UInt8](repeating: 0, count: signatureBytes)
        unsafe withJoined(domain, message) {
            _ = unsafe crypto_sign_ed25519_detached(&signature, nil, $0, $1, key.start)
        }
        return signature
    }

    /// False also for a signature or key of the wrong length, a scalar not reduced, and points of low order.
    static func verify(
        _ signature: Span<UInt8>, _ domain: Domain, _ message: Span<UInt8>, by key: [UInt8]
    ) -> Bool {
        guard signature.count == signatureBytes, key.count == keyBytes else { return false }
        prepare()
        return unsafe withJoined(domain, message) { joined, count in
            unsafe withBytes(signature) { signature, _ in
                unsafe crypto_sign_ed25519_verify_detached(signature, joined, count, key) == 0
            }
        }
    }

    /// The domain and the message in one piece, because Ed25519 reads its message twice; on the stack if it is small.
    private static func withJoined<R>(
        _ domain: Domain, _ message: Span<UInt8>, _ body: (UnsafePointer<UInt8>, UInt64) -> R
    ) -> R {
        domain.withBytes { domain in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: domain.count + message.count) { joined in
                for index in domain.indices { unsafe joined.initializeElement(at: index, to: domain[index]) }
                unsafe message.withUnsafeBufferPointer {
                    _ = unsafe joined[domain.count...].initialize(fromContentsOf: $0)
                }
                return unsafe withBytes(joined.span, body)
            }
        }
    }
}

// ChaCha20-Poly1305 (RFC 8439) with the nonce of Noise: 32 zero bits, then the counter in little-endian order.
extension Sodium {
    static func seal(
        _ plaintext: Span<UInt8>, key: borrowing Secret, nonce: UInt64, data: [UInt8], appendingTo output: inout [UInt8]
    ) {
        prepare()
        let count = plaintext.count + sealBytes
        output.append(addingCapacity: count) { space in
            unsafe space.withUnsafeMutableBufferPointer { ciphertext, written in
                guard let start = ciphertext.baseAddress else { fatalError("an array has no room it was asked for") }
                unsafe withBytes(plaintext) { plaintext, length in
                    unsafe withNonce(nonce) {
                        _ = unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
                            start, nil, plaintext, length, data, UInt64(data.count), nil, $0, key.start)
                    }
                }
                written += count
            }
        }
    }

    /// Replaces what `plaintext` held. False, and nothing in `plaintext`, if the ciphertext is not genuine.
    static func open(
        _ ciphertext: Span<UInt8>, key: borrowing Secret, nonce: UInt64, data: [UInt8], into plaintext: inout [UInt8]
    ) -> Bool {
        plaintext.removeAll(keepingCapacity: true)
        let count = ciphertext.count - sealBytes
        guard count >= 0 else { return false }
        prepare()
        var isGenuine = false
        // Never 0: for an empty array that would write to the storage that all empty arrays of the process share.
        plaintext.append(addingCapacity: max(count, 1)) { space in
            unsafe space.withUnsafeMutableBufferPointer { plaintext, written in
                let status = unsafe withBytes(ciphertext) { ciphertext, length in
                    unsafe withNonce(nonce) {
                        unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
                            plaintext.baseAddress, nil, nil, ciphertext, length, data, UInt64(data.count), $0, key.start
                        )
                    }
                }
                isGenuine = status == 0
                if isGenuine { written += count }
            }
        }
        return isGenuine
    }

    /// The next key of a direction: what 32 zeros become under the largest nonce (Noise specification 4.2).
    static func rekey(_ key: borrowing Secret) -> Secret {
        prepare()
        let zeros = [UInt8](repeating: 0, count: keyBytes)
        let sealed = Secret(count: keyBytes + sealBytes)
        unsafe withNonce(.max) {
            _ = unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
                sealed.start, nil, zeros, UInt64(zeros.count), nil, 0, nil, $0, key.start)
        }
        return sealed.prefix(keyBytes)
    }

    private static func withNonce<R>(_ counter: UInt64, _ body: (UnsafePointer<UInt8>) -> R) -> R {
        let nonce: InlineArray<12, UInt8> = InlineArray { index in
            index < 4 ? 0 : UInt8(truncatingIfNeeded: counter >> UInt64(8 * (index - 4)))
        }
        return unsafe withBytes(nonce.span) { nonce, _ in unsafe body(nonce) }
    }
}

// Argon2id (RFC 9106), and XChaCha20-Poly1305, whose nonce is long enough to be drawn at random.
extension Sodium {
    static let saltBytes = 16
    static let longNonceBytes = 24

    /// The key that a pass phrase is stretched to; nil where the memory for that, in bytes, is not to be had.
    static func stretch(_ phrase: borrowing Secret, salt: [UInt8], passes: UInt64, memory: Int) -> Secret? {
        precondition(salt.count == saltBytes, "a salt is 16 bytes")
        prepare()
        let key = Secret(count: keyBytes)
        let status = unsafe phrase.start.withMemoryRebound(to: CChar.self, capacity: phrase.count) {
            unsafe crypto_pwhash(
                key.start, UInt64(keyBytes), $0, UInt64(phrase.count), salt, passes, memory,
                crypto_pwhash_alg_argon2id13())
        }
        guard status == 0 else { return nil }
        return key
    }

    static func seal(_ secret: borrowing Secret, key: borrowing Secret, longNonce: [UInt8], data: [UInt8]) -> [UInt8] {
        precondition(longNonce.count == longNonceBytes, "a long nonce is 24 bytes")
        prepare()
        var box = [UInt8](repeating: 0, count: secret.count + sealBytes)
        unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            &box, nil, secret.start, UInt64(secret.count), data, UInt64(data.count), nil, longNonce, key.start)
        return box
    }

    /// Nil if the box is not genuine.
    static func open(_ box: [UInt8], key: borrowing Secret, longNonce: [UInt8], data: [UInt8]) -> Secret? {
        guard box.count >= sealBytes, longNonce.count == longNonceBytes else { return nil }
        prepare()
        let secret = Secret(count: box.count - sealBytes)
        let status = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            secret.start, nil, nil, box, UInt64(box.count), data, UInt64(data.count), longNonce, key.start)
        guard status == 0 else { return nil }
        return secret
    }
}

// Spans as C takes them.
extension Sodium {
    /// The address and the count of the bytes: an address even where there are none, as C wants it.
    private static func withBytes<R>(_ bytes: Span<UInt8>, _ body: (UnsafePointer<UInt8>, UInt64) -> R) -> R {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else {
                var nothing: UInt8 = 0
                return unsafe body(&nothing, 0)
            }
            return unsafe body(start, UInt64(buffer.count))
        }
    }
}
