import Wire

/// A cursor over a text in a strict format: it reads only what this program writes.
struct StrictText: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Where the next byte is.
    var offset: Int { position }

    /// Passes these characters; false, and nothing is passed, if others come.
    mutating func takeLiteral(_ literal: StaticString) -> Bool {
        guard bytes.count - position >= literal.utf8CodeUnitCount else { return false }
        var end = position
        for scalar in "\(literal)".utf8 {
            guard bytes[end] == scalar else { return false }
            end += 1
        }
        position = end
        return true
    }

    /// Passes the lower-case hexadecimal digits of `count` bytes, and tells where they are.
    mutating func takeDigits(ofBytes count: Int) -> Range<Int>? {
        let range = position..<position + 2 * count
        guard range.upperBound <= bytes.count else { return nil }
        for index in range where Hexadecimal.value(ofLowerCase: bytes[index]) == nil { return nil }
        position = range.upperBound
        return range
    }

    /// The bytes that lower-case hexadecimal digits stand for.
    mutating func takeBytes(_ count: Int) -> [UInt8]? {
        guard let digits = takeDigits(ofBytes: count) else { return nil }
        return (0..<count).map { StrictText.byte($0, of: digits, in: bytes) }
    }

    /// Passes the rest of a line with its end; nil if it is empty, longer than `most` bytes, or not UTF-8.
    mutating func takeLine(atMost most: Int) -> String? {
        var end = position
        while end < bytes.count, end - position < most, bytes[end] != 0x0a { end += 1 }
        guard end < bytes.count, bytes[end] == 0x0a, end > position,
            let text = try? UTF8Span(validating: bytes.extracting(position..<end))
        else { return nil }
        position = end + 1
        return String(copying: text)
    }

    /// A decimal number as it is written: without a sign, without zeros before it.
    mutating func takeNumber() -> UInt64? {
        var value: UInt64 = 0
        var end = position
        while end < bytes.count, (48...57).contains(bytes[end]) {
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = shifted.addingReportingOverflow(UInt64(bytes[end] - 48))
            guard !isTooLarge, !overflows, end == position || bytes[position] != 48 else { return nil }
            value = sum
            end += 1
        }
        guard end > position else { return nil }
        position = end
        return value
    }

    /// The byte of that index of digits that `takeDigits` has passed.
    static func byte(_ index: Int, of digits: Range<Int>, in text: Span<UInt8>) -> UInt8 {
        let first = digits.lowerBound + 2 * index
        let high = Hexadecimal.value(ofLowerCase: text[first]) ?? 0
        return high << 4 | (Hexadecimal.value(ofLowerCase: text[first + 1]) ?? 0)
    }
}
