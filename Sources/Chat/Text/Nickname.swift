internal import Phrases
import Wire

/// The rules for nicknames: 1 to 24 characters in at most 96 bytes, trimmed, on one line (Protocol.md section 2).
package enum Nickname {
    /// The nickname as it will be sent: trimmed and normalized.
    ///
    /// - Throws: `invalid_nickname`, with the rule and the figures.
    package static func compose(_ name: String) throws(ChatError) -> String {
        try check(bytes: name.utf8.count)
        let composed = NFC.normalized(Text.trimmed(name))
        try check(bytes: composed.utf8.count)
        try check(composed)
        return composed
    }

    /// Checks the nickname that a peer signed. It need not be normalized, because versions of Unicode differ; one that
    /// breaks another rule is refused.
    static func accept(_ bytes: Span<UInt8>) throws(PayloadError) -> String {
        // Most names are a few letters of ASCII.
        if bytes.count <= Limits.nicknameCharacters, ASCII.isTrimmedLine(bytes) { return try Text.decode(bytes) }
        guard bytes.count <= Limits.nicknameBytes else { throw .nickname }
        let name = try Text.decode(bytes)
        guard Text.trimmed(name).utf8.count == bytes.count else { throw .nickname }
        do throws(ChatError) { try check(name) } catch { throw .nickname }
        return name
    }

    private static func check(bytes count: Int) throws(ChatError) {
        guard count <= Limits.nicknameBytes else {
            throw ChatError(.invalidNickname, .nicknameBytes, "\(count)", "\(Limits.nicknameBytes)")
        }
    }

    private static func check(_ name: String) throws(ChatError) {
        let measure = TextMeasure(name)
        guard measure.characters > 0 else { throw ChatError(.invalidNickname, .nicknameEmpty) }
        guard measure.characters <= Limits.nicknameCharacters else {
            throw ChatError(
                .invalidNickname, .nicknameLong, "\(measure.characters)", "\(Limits.nicknameCharacters)")
        }
        guard measure.densest <= Limits.scalarsPerCharacter else {
            throw ChatError(
                .invalidNickname, .nicknameDense, "\(measure.densest)", "\(Limits.scalarsPerCharacter)")
        }
        guard !breaksLine(name) else {
            throw ChatError(.invalidNickname, .nicknameLines)
        }
    }

    private static func breaksLine(_ name: String) -> Bool {
        !ASCII.isPrintable(name) && name.unicodeScalars.contains(where: breaksLine)
    }

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
        let category = scalar.properties.generalCategory
        return category == .control || category == .lineSeparator || category == .paragraphSeparator
    }
}
