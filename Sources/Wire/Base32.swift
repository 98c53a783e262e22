/// Lower-case base32 (RFC 4648 section 6) without padding, which a DNS label can carry.
package enum Base32 {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".unicodeScalars)

    /// 26 characters for 16 bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(alphabet[Int(bits >> UInt32(count) & 31)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(5 - count) & 31)]) }
        return String(text)
    }

    /// The bytes of a text that `encode` made; nil for any other.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for character in text.unicodeScalars {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = bits << 5 | UInt32(value)
            count += 5
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        // The rest is fewer bits than a character has, all of them zero: no two texts are equal bytes.
        return count < 5 && bits & (1 << UInt32(count) - 1) == 0 ? bytes : nil
    }
}
