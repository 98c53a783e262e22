/// Lower-case hexadecimal text of bytes, and back.
package enum Hexadecimal {
    /// Two digits a byte.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.unicodeScalars.append(digit(byte >> 4))
            text.unicodeScalars.append(digit(byte & 15))
        }
        return text
    }

    /// The bytes of an even number of digits of either case; nil for anything else.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The ASCII digit of a value from 0 to 15.
    package static func digit(of value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

    /// The value of an ASCII digit, of which `encode` writes the lower case; nil for anything else.
    package static func value(ofLowerCase digit: UInt8) -> UInt8? {
        (65...70).contains(digit) ? nil : value(digit)
    }

    private static func digit(_ value: UInt8) -> Unicode.Scalar { Unicode.Scalar(digit(of: value)) }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 65...70: digit - 55
        case 97...102: digit - 87
        default: nil
        }
    }
}
