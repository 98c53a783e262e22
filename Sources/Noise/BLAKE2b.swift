/// BLAKE2b (RFC 7693): a digest for what is hashed so often that SHA-256 would be most of the work.
package enum BLAKE2b {
    /// The parameter that keeps digests of one purpose apart from those of another.
    package struct Purpose: Sendable, ExpressibleByStringLiteral {
        let bytes: InlineArray<16, UInt8>

        /// At most 16 ASCII characters, filled up with zeros.
        package init(stringLiteral text: StaticString) {
            precondition(text.isASCII && text.utf8CodeUnitCount <= 16, "a purpose is at most 16 ASCII characters")
            bytes = text.withUTF8Buffer { text in
                InlineArray { index in index < text.count ? unsafe text[index] : 0 }
            }
        }
    }

    /// The digest of 16 bytes as two big-endian words, without an allocation (Protocol.md section 6).
    package static func words(_ purpose: Purpose, _ message: Span<UInt8>) -> (UInt64, UInt64) {
        let digest = Sodium.blake2b(message, purpose)
        return (word(digest.span.extracting(first: 8)), word(digest.span.extracting(last: 8)))
    }

    private static func word(_ bytes: Span<UInt8>) -> UInt64 {
        bytes.indices.reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }
}
