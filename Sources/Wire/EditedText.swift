/// The rule for reading what people wrote, or had an editor write: lines of input, keys, pass phrases, passwords, settings.
/// Every reader of such a text uses it, so that none of them sees another text than the person does.
///
/// - A byte order mark in front of a line, and a carriage return at its end, are no part of it.
/// - In a file with one secret, empty lines and comments before it are passed over. A comment is `#` alone, or with white
///   space behind it.
/// - White space is what Unicode calls so (White_Space), and a no-break space is a space.
package enum EditedText {
    /// U+FEFF in UTF-8.
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// The part of a line that was meant, of the bytes before its line feed.
    package static func line(_ bytes: Span<UInt8>) -> Range<Int> {
        let start = begins(bytes, at: 0, with: byteOrderMark) ? byteOrderMark.count : 0
        let end = bytes.count > start && bytes[bytes.count - 1] == 0x0d ? bytes.count - 1 : bytes.count
        return start..<end
    }

    /// The line of a text that holds its only value; nil if all are empty or comments.
    package static func firstLine(in bytes: Span<UInt8>) -> Range<Int>? {
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != 0x0a { end += 1 }
            let part = line(bytes.extracting(start..<end))
            let range = start + part.lowerBound..<start + part.upperBound
            if !isPassedOver(bytes.extracting(range)) { return range }
            start = end + 1
        }
        return nil
    }

    /// True for a line without a value: white space at most, or a comment.
    package static func isPassedOver(_ line: Span<UInt8>) -> Bool {
        var index = 0
        while index < line.count, case let length = whiteSpace(in: line, at: index), length > 0 { index += length }
        guard index < line.count else { return true }
        guard line[index] == UInt8(ascii: "#") else { return false }
        return index + 1 == line.count || whiteSpace(in: line, at: index + 1) > 0
    }

    /// The bytes of the white space at a place of UTF-8; 0 for another scalar.
    package static func whiteSpace(in bytes: Span<UInt8>, at index: Int) -> Int {
        if bytes[index] == 0x20 || (0x09...0x0d).contains(bytes[index]) { return 1 }
        return bytes[index] < 0x80 ? 0 : length(of: wideSpaces, in: bytes, at: index)
    }

    /// The bytes of what people put between words at a place of UTF-8: white space, a hyphen or what an editor makes of one,
    /// or an invisible scalar; 0 for another scalar.
    package static func wordSeparator(in bytes: Span<UInt8>, at index: Int) -> Int {
        let space = whiteSpace(in: bytes, at: index)
        if space > 0 { return space }
        if bytes[index] == UInt8(ascii: "-") { return 1 }
        return bytes[index] < 0x80 ? 0 : length(of: hyphens, in: bytes, at: index)
    }

    private static func length(of scalars: [[UInt8]], in bytes: Span<UInt8>, at index: Int) -> Int {
        scalars.first { begins(bytes, at: index, with: $0) }?.count ?? 0
    }

    private static func begins(_ bytes: Span<UInt8>, at index: Int, with part: [UInt8]) -> Bool {
        bytes.count - index >= part.count && part.indices.allSatisfy { bytes[index + $0] == part[$0] }
    }

    /// The white space of Unicode that is not ASCII.
    private static let wideSpaces = utf8(
        ["\u{85}", "\u{a0}", "\u{1680}", "\u{2028}", "\u{2029}", "\u{202f}", "\u{205f}", "\u{3000}"]
            + (0x2000...0x200a).compactMap { Unicode.Scalar($0 as UInt32) })

    /// Hyphens, dashes, the minus sign, the soft hyphen; spaces of zero width.
    private static let hyphens = utf8(
        ["\u{ad}", "\u{2212}", "\u{fe63}", "\u{ff0d}", "\u{200b}", "\u{2060}", "\u{feff}"]
            + (0x2010...0x2015).compactMap { Unicode.Scalar($0 as UInt32) })

    private static func utf8(_ scalars: [Unicode.Scalar]) -> [[UInt8]] { scalars.map { Array(String($0).utf8) } }
}
