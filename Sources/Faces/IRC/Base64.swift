/// Base64 (RFC 4648 section 4).
enum Base64 {
    /// - Returns: nil for a text that is none.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        let digits = Array(text.utf8)
        let data = digits.prefix { $0 != UInt8(ascii: "=") }
        guard digits.count.isMultiple(of: 4), digits.count - data.count <= 2,
            digits[data.count...].allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        for digit in data {
            guard let value = value(of: digit) else { return nil }
            (bits, count) = ((bits << 6 | value) & 0xffff, count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> Int? {
        switch digit {
        case 65...90: Int(digit) - 65
        case 97...122: Int(digit) - 71
        case 48...57: Int(digit) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        case _: nil
        }
    }
}
