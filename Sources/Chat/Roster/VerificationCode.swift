internal import Noise
package import Wire

/// The code that two users compare over another channel, for example by voice, to exclude a node between them
/// (Protocol.md section 1). Both compute the same one.
///
/// Digits, because they are read aloud alike in every language; in groups of four, which are easy to remember.
package struct VerificationCode: Hashable, Sendable {
    /// Nine groups of four digits.
    package let text: String

    package init(_ one: PeerID, _ other: PeerID) {
        let keys = min(one, other).bytes + max(one, other).bytes
        let digest = SHA256.hash("earshot/3 verify\0", keys.span)
        let number = digest.prefix(VerificationCode.hashBytes).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        text = VerificationCode.groups(of: number)
    }

    /// 120 bits: too many to search for two keys with the same code.
    private static let hashBytes = 15
    private static let groupCount = 9
    private static let base: UInt128 = 10_000

    /// The number modulo 10^36, with leading zeros.
    private static func groups(of number: UInt128) -> String {
        var rest = number
        var groups: [String] = []
        for _ in 0..<groupCount {
            groups.append(String(String(base + rest % base).dropFirst()))
            rest /= base
        }
        return groups.reversed().joined(separator: " ")
    }
}
