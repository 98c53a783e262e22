/// BLAKE2b (RFC 7693): a digest for what is hashed so often that SHA-256 would be most of the work.
package enum BLAKE2b {
    /// The parameter that keeps digests of one purpose apart from those of another: 16 bytes.
    typealias Personalization = InlineArray<16, UInt8>

    /// The digest of 16 bytes as two big-endian words, without an allocation (Protocol.md section 6).
    ///
    /// - Parameter purpose: at most 16 ASCII characters, filled up with zeros.
    package static func words(_ purpose: StaticString, _ message: Span<UInt8>) -> (UInt64, UInt64) {
        let digest = Sodium.blake2b(message, personalization(purpose))
        return (0..<16).reduce(into: (UInt64(0), UInt64(0))) { words, index in
            words.0 = words.0 << 8 | words.1 >> 56
            words.1 = words.1 << 8 | UInt64(digest[index])
        }
    }

    private static func personalization(_ purpose: StaticString) -> Personalization {
        precondition(purpose.isASCII && purpose.utf8CodeUnitCount <= 16, "a purpose is at most 16 ASCII characters")
        return purpose.withUTF8Buffer { text in
            Personalization { index in index < text.count ? unsafe text[index] : 0 }
        }
    }
}
