/// Tests for the most common texts. The loops have no exit in the middle, so that they are vectorized.
enum ASCII {
    static func isASCII(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        var seen: UInt8 = 0
        for index in bytes.indices { seen |= bytes[index] }
        return seen < 0x80
    }

    /// True if it consists of visible characters and spaces.
    static func isPrintable(_ text: String) -> Bool { isPrintable(text.utf8Span.span) }

    /// True if it is printable with a visible character at both ends: nothing is trimmed, and each byte is a character.
    static func isTrimmedLine(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[0] != 0x20, bytes[bytes.count - 1] != 0x20 else { return false }
        return isPrintable(bytes)
    }

    private static func isPrintable(_ bytes: Span<UInt8>) -> Bool {
        var others: UInt8 = 0
        // Bytes below the space wrap around to large numbers.
        for index in bytes.indices { others |= bytes[index] &- 0x20 > 0x7e - 0x20 ? 1 : 0 }
        return others == 0
    }
}
