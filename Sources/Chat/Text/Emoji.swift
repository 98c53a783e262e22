import Phrases
internal import Wire

/// The rule for the emoji of a reaction: one grapheme cluster of symbols alone, which no text can pass for (Protocol.md section 6).
///
/// It is a flag, a keycap, or a sequence of scalars of the emoji blocks, and of others with the property Emoji outside ASCII. No version of
/// Unicode changes what of the blocks is one: a later emoji is taken here, though it can not be drawn.
package enum Emoji {
    /// The emoji as it will be sent: normalized, and in its coloured form.
    ///
    /// - Throws: `invalid_emoji`.
    package static func compose(_ text: String) throws(ChatError) -> String {
        let trimmed = Text.trimmed(text)
        guard trimmed.utf8.count <= Limits.emojiBytes else { throw fault }
        let emoji = colored(NFC.normalized(trimmed))
        guard emoji.utf8.count <= Limits.emojiBytes, isEmoji(emoji) else { throw fault }
        return emoji
    }

    /// Checks an emoji that a peer signed.
    static func accept(_ bytes: Span<UInt8>) throws(PayloadError) -> String {
        guard bytes.count <= Limits.emojiBytes else { throw .emoji }
        let text = try Text.decode(bytes)
        guard isEmoji(text) else { throw .emoji }
        return text
    }

    /// True for one emoji that may be sent.
    package static func isEmoji(_ text: String) -> Bool {
        guard let character = text.first, text.dropFirst().isEmpty else { return false }
        let scalars = Array(character.unicodeScalars)
        guard scalars.count <= Limits.scalarsPerCharacter else { return false }
        return isFlag(scalars) || isKeycap(scalars) || isSequence(scalars)
    }

    private static var fault: ChatError { ChatError(.invalidEmoji, .invalidEmoji) }

    /// With the selector of the coloured form behind a lone scalar that is drawn as text without it, so that two users mean one emoji.
    private static func colored(_ text: String) -> String {
        guard let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1, !scalar.isASCII,
            scalar.properties.isEmoji, !scalar.properties.isEmojiPresentation
        else { return text }
        return text + "\u{fe0f}"
    }

    /// Two regional indicators, or the black flag with tags.
    private static func isFlag(_ scalars: [Unicode.Scalar]) -> Bool {
        if scalars.count == 2, scalars.allSatisfy(regionalIndicators.contains) { return true }
        return DisplayGuard.flagTags(in: scalars, at: 0) == scalars.count
    }

    /// A digit, `#` or `*` in a keycap.
    private static func isKeycap(_ scalars: [Unicode.Scalar]) -> Bool {
        guard let first = scalars.first, first == "#" || first == "*" || ("0"..."9").contains(first) else {
            return false
        }
        let rest = scalars.dropFirst().drop { $0 == selector }
        return scalars.count - rest.count <= 2 && rest.elementsEqual(["\u{20e3}"])
    }

    /// Symbols, with selectors behind them and joiners between them.
    private static func isSequence(_ scalars: [Unicode.Scalar]) -> Bool {
        var before: Unicode.Scalar?
        for scalar in scalars {
            switch scalar {
            case selector: guard let before, isSymbol(before) else { return false }
            case joiner: guard let before, before != joiner else { return false }
            case _: guard isSymbol(scalar) else { return false }
            }
            before = scalar
        }
        return before != nil && before != joiner
    }

    private static func isSymbol(_ scalar: Unicode.Scalar) -> Bool {
        if emojiBlocks.contains(scalar) { return !regionalIndicators.contains(scalar) }
        return !scalar.isASCII && scalar.properties.isEmoji
    }

    private static let selector: Unicode.Scalar = "\u{fe0f}"
    private static let joiner: Unicode.Scalar = "\u{200d}"
    private static let emojiBlocks: ClosedRange<Unicode.Scalar> = "\u{1f000}"..."\u{1faff}"
    private static let regionalIndicators: ClosedRange<Unicode.Scalar> = "\u{1f1e6}"..."\u{1f1ff}"
}

extension Limits {
    /// Bytes in the emoji of a reaction: 12 scalars of the emoji blocks. More do not fit the record of a short message three times; with fewer,
    /// families and flags with tags are refused.
    package static let emojiBytes = 48
}
