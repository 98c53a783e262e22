/// Lower-case base32 (RFC 4648 section 6) without padding: what a DNS label can carry.
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
}
