/// What most texts are, found without a way out in the middle, so that many bytes are looked at together.
enum ASCII {
    static func isASCII(_ text: String) -> Bool {
        let bytes = text.utf8Span.span
        var seen: UInt8 = 0
        for index in bytes.indices { seen |= bytes[index] }
        return seen < 0x80
    }

    /// Whether it is nothing but visible characters and spaces.
    static func isPrintable(_ text: String) -> Bool { isPrintable(text.utf8Span.span) }

    /// Whether it is that with a visible character at both ends: there is nothing to trim, and each byte is a character.
    static func isTrimmedLine(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[0] != 0x20, bytes[bytes.count - 1] != 0x20 else { return false }
        return isPrintable(bytes)
    }

    private static func isPrintable(_ bytes: Span<UInt8>) -> Bool {
        var others: UInt8 = 0
        // What lies below the space wraps around and is large then.
        for index in bytes.indices { others |= bytes[index] &- 0x20 > 0x7e - 0x20 ? 1 : 0 }
        return others == 0
    }
}
