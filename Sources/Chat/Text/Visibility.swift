/// The rule by which a text is empty: nothing of it can be seen (Protocol.md section 6).
///
/// Private-use and unassigned scalars count as visible: a display shows a sign for them, and later versions of Unicode make
/// characters of many.
package enum Visibility {
    /// True if a scalar of the text can be seen.
    static func hasVisible(_ text: String) -> Bool { text.unicodeScalars.contains(where: isVisible) }

    /// The text from its first scalar on that is neither white space nor invisible.
    package static func withoutBlankStart(_ text: String) -> Substring {
        let first = text.unicodeScalars.firstIndex { scalar in
            !scalar.properties.isWhitespace && !isIgnorable(scalar) && !blankSymbols.contains(scalar)
        }
        return text[(first ?? text.endIndex)...]
    }

    /// Symbols and letters without ink: the empty Braille pattern, a note without a head, blank hieroglyphs.
    static let blankSymbols: [Unicode.Scalar] = ["\u{2800}", "\u{1d159}", "\u{13441}", "\u{13442}"]

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x21...0x7e).contains(scalar.value) }
        guard !scalar.properties.isWhitespace, !blankSymbols.contains(scalar) else { return false }
        switch DisplayClass.of(scalar) {
        case .visible: return true
        case .mark: return scalar.properties.generalCategory == .spacingMark
        case .joiner, .selector: return false
        case .hidden:
            let category = scalar.properties.generalCategory
            return category == .privateUse || (category == .unassigned && !isIgnorable(scalar))
        }
    }

    private static func isIgnorable(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && scalar.properties.isDefaultIgnorableCodePoint
    }
}
