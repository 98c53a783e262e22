import Phrases
internal import Wire

/// The rule for a text that is shown within a line, such as a nickname: trimmed, in a number of characters and bytes, without
/// control characters and line breaks (Protocol.md section 6).
package struct LineRule {
    /// The errors' texts.
    let phrases: Phrases

    struct Phrases {
        let bytes: Phrase
        let empty: Phrase
        let long: Phrase
        let dense: Phrase
        let lines: Phrase
    }

    /// The code of the own user's errors, but for an empty text.
    let code: ChatError.Code
    /// The fault of a peer's text.
    let fault: PayloadError
    /// In characters; the least is 1.
    let longest: Int
    /// In bytes.
    let largest: Int

    /// The text as it will be sent: trimmed and normalized.
    ///
    /// - Throws: `empty` if nothing of it can be seen, otherwise `code`, with the rule and the figures.
    func compose(_ text: String) throws(ChatError) -> String {
        try check(bytes: text.utf8.count)
        let composed = NFC.normalized(Text.trimmed(text))
        try check(bytes: composed.utf8.count)
        try check(composed)
        return composed
    }

    /// Checks the text that a peer signed. It need not be normalized, because versions of Unicode differ; one that breaks
    /// another rule is refused.
    func accept(_ bytes: Span<UInt8>) throws(PayloadError) -> String {
        guard bytes.count <= largest else { throw fault }
        let text = try Text.decode(bytes)
        guard Text.trimmed(text).utf8.count == bytes.count else { throw fault }
        do throws(ChatError) { try check(text) } catch { throw fault }
        return text
    }

    private func check(bytes count: Int) throws(ChatError) {
        guard count <= largest else { throw ChatError(code, phrases.bytes, "\(count)", "\(largest)") }
    }

    private func check(_ text: String) throws(ChatError) {
        guard Visibility.hasVisible(text) else { throw ChatError(.empty, phrases.empty) }
        let measure = TextMeasure(text)
        guard measure.characters <= longest else {
            throw ChatError(code, phrases.long, "\(measure.characters)", "\(longest)")
        }
        guard measure.densest <= Limits.scalarsPerCharacter else {
            throw ChatError(code, phrases.dense, "\(measure.densest)", "\(Limits.scalarsPerCharacter)")
        }
        guard !LineRule.breaksLine(text) else { throw ChatError(code, phrases.lines) }
    }

    private static func breaksLine(_ text: String) -> Bool {
        !ASCII.isPrintable(text) && text.unicodeScalars.contains(where: breaksLine)
    }

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
        let category = scalar.properties.generalCategory
        return category == .control || category == .lineSeparator || category == .paragraphSeparator
    }
}

/// The rule of one kind of text.
package protocol LineText {
    /// In characters. Apart from the rule, which is copied with the texts of its errors: each public message has a nickname.
    static var longest: Int { get }
    static var rule: LineRule { get }
}

extension LineText {
    /// The text as it will be sent: trimmed and normalized.
    ///
    /// - Throws: the code of the rule, with the rule and the figures; `empty` if nothing of it can be seen.
    package static func compose(_ text: String) throws(ChatError) -> String { try rule.compose(text) }

    /// Checks the text that a peer signed; see `LineRule.accept`. No rule can refuse a few letters of ASCII, as most are.
    static func accept(_ bytes: Span<UInt8>) throws(PayloadError) -> String {
        guard bytes.count <= longest, ASCII.isTrimmedLine(bytes) else { return try rule.accept(bytes) }
        return try Text.decode(bytes)
    }
}
