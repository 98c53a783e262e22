package import Noise
import Wire

/// The name of a node's instance in mDNS: 16 bytes that look random, and that a holder of the Noise key of the node's run
/// can recognise (Protocol.md section 10).
package struct InstanceName: Hashable, Comparable, Sendable {
    private let salt: UInt64
    private let mark: UInt64

    /// Another name each time, for the run that has this Noise key.
    package init(of key: PublicKey, using generator: inout some RandomNumberGenerator) {
        salt = generator.next()
        mark = InstanceName.mark(key, salt)
    }

    /// Nil for what is no 16 bytes in lower-case base32: an address that was named, say.
    package init?(_ text: String) {
        guard let bytes = Base32.decode(text), bytes.count == 16 else { return nil }
        let words = bytes.reduce((UInt64(0), UInt64(0))) { ($0.0 << 8 | $0.1 >> 56, $0.1 << 8 | UInt64($1)) }
        (salt, mark) = words
    }

    /// 26 characters.
    package var text: String {
        Base32.encode(InstanceName.bytes(of: salt) + InstanceName.bytes(of: mark))
    }

    /// True if it is one of the names of the run with this Noise key. It proves nothing: any holder of the key can make its
    /// names.
    package func belongs(to key: PublicKey) -> Bool { mark == InstanceName.mark(key, salt) }

    /// As the bytes are.
    package static func < (left: InstanceName, right: InstanceName) -> Bool {
        (left.salt, left.mark) < (right.salt, right.mark)
    }

    private static func mark(_ key: PublicKey, _ salt: UInt64) -> UInt64 {
        let message = InlineArray<40, UInt8> { index in
            index < 32 ? key.span[index] : UInt8(truncatingIfNeeded: salt >> UInt64(8 * (39 - index)))
        }
        return BLAKE2b.words("earshot/3 name", message.span).0
    }

    private static func bytes(of word: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
    }
}
