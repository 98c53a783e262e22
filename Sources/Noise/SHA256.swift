internal import Wire

/// SHA-256 (RFC 6234).
package enum SHA256 {
    package static let byteCount = 32

    /// The digest of the domain and the message, 32 bytes (Protocol.md sections 2, 3, 6 and 8).
    package static func hash(_ domain: Domain, _ message: Span<UInt8>) -> [UInt8] {
        let digest = domain.withBytes { Sodium.sha256($0, message) }
        return [UInt8](copying: digest.span)
    }

    /// The first 16 bytes of that digest as two big-endian words: what ids are made of, without an allocation.
    package static func words(_ domain: Domain, _ message: Span<UInt8>) -> (UInt64, UInt64) {
        let digest = domain.withBytes { Sodium.sha256($0, message) }
        let words = (0..<16).reduce(into: (UInt64(0), UInt64(0))) { words, index in
            words.0 = words.0 << 8 | words.1 >> 56
            words.1 = words.1 << 8 | UInt64(digest[index])
        }
        return words
    }

    /// The digest of the message alone, 32 bytes (Protocol.md section 8).
    package static func hash(_ message: Span<UInt8>) -> [UInt8] {
        let nothing: [UInt8] = []
        let digest = Sodium.sha256(message, nothing.span)
        return [UInt8](copying: digest.span)
    }
}
