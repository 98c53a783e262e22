@_spi(_Unicode) internal import Swift
internal import Phrases
package import Wire

/// The rule that a text breaks, with the figure that breaks it (Protocol.md section 6).
package enum TextFault: Error, Hashable, Sendable {
    case tooManyBytes(Int)
    case empty
    /// In characters.
    case tooLong(Int)
    /// The most scalars in a character.
    case tooDense(Int)
}

/// The rules for texts, the same for sender and receiver and in the same order (Protocol.md section 6).
package enum Text {
    /// The text as it will be signed: trimmed, normalized, and within the limits.
    package static func compose(_ text: String) throws(ChatError) -> String {
        do throws(TextFault) {
            try checkBytes(text.utf8.count)
            let composed = NFC.normalized(trimmed(text))
            // A few characters grow when normalized, and receivers count those bytes.
            try checkBytes(composed.utf8.count)
            try checkCharacters(of: composed)
            return composed
        } catch {
            throw ChatError(error)
        }
    }

    /// Checks and trims the text that a peer signed. It need not be normalized, because versions of Unicode differ.
    static func accept(_ bytes: Span<UInt8>) throws(PayloadError) -> String {
        // Most texts are one line of ASCII.
        if bytes.count <= Limits.messageCharacters, ASCII.isTrimmedLine(bytes) { return try decode(bytes) }
        do throws(TextFault) { try checkBytes(bytes.count) } catch { throw .text(error) }
        let text = trimmed(try decode(bytes))
        do throws(TextFault) { try checkCharacters(of: text) } catch { throw .text(error) }
        return text
    }

    /// Decodes strict UTF-8: nothing is repaired.
    static func decode(_ bytes: Span<UInt8>) throws(PayloadError) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw .notUTF8
        }
    }

    /// The text without the scalars of Unicode property White_Space at both ends.
    static func trimmed(_ text: String) -> String {
        // Most texts begin and end with a visible character of ASCII.
        let bytes = text.utf8Span.span
        if !bytes.isEmpty, isVisible(bytes[0]), isVisible(bytes[bytes.count - 1]) { return text }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        let range = first..<scalars.index(after: last)
        return range == scalars.startIndex..<scalars.endIndex ? text : String(scalars[range])
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7e).contains(byte) }

    private static func checkBytes(_ count: Int) throws(TextFault) {
        guard count <= Limits.messageBytes else { throw .tooManyBytes(count) }
    }

    private static func checkCharacters(of text: String) throws(TextFault) {
        guard Visibility.hasVisible(text) else { throw .empty }
        let measure = TextMeasure(text)
        guard measure.characters <= Limits.messageCharacters else { throw .tooLong(measure.characters) }
        guard measure.densest <= Limits.scalarsPerCharacter else { throw .tooDense(measure.densest) }
    }
}

extension ChatError {
    fileprivate init(_ fault: TextFault) {
        switch fault {
        case .tooManyBytes(let bytes):
            self.init(.tooManyBytes, .messageBytes, "\(bytes)", "\(Limits.messageBytes)")
        case .empty:
            self.init(.empty, .messageEmpty)
        case .tooLong(let characters):
            self.init(.tooLong, .messageLong, "\(characters)", "\(Limits.messageCharacters)")
        case .tooDense(let scalars):
            self.init(.tooDense, .messageDense, "\(scalars)", "\(Limits.scalarsPerCharacter)")
        }
    }
}

/// Unicode normalization form C (UAX #15), applied to names and texts when they are composed.
///
/// The standard library normalizes for each comparison but exposes the result only as system programming interface. The
/// alternatives are Foundation, or a copy of Unicode's tables that would age apart from the library's. The toolchain is
/// pinned and this is the only use.
enum NFC {
    /// The work grows with the input: check its size first.
    static func normalized(_ text: String) -> String {
        if ASCII.isASCII(text) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text._nfc { result.append(scalar) }
        return String(result)
    }
}

extension Limits {
    /// Characters in a text, as grapheme clusters, so that every script can say about as much. More let one message
    /// fill a screen; with fewer, users must split what they say.
    package static let messageCharacters = 240
    /// Bytes in a text, checked before any character is counted: 240 Devanagari syllables with vowel signs need 2,880.
    /// More do not fit one record with their signature and change; fewer refuse texts of legal length.
    package static let messageBytes = 3_072
    /// Scalars in a character. More let stacked accents hide the lines above and below; with fewer, characters of some
    /// living scripts would be refused.
    static let scalarsPerCharacter = 12
}
