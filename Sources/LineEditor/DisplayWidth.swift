/// How many cells of a terminal something takes.
///
/// Terminals differ in the newest emoji and in some scripts of India; a wrong guess moves the cursor on one row and
/// breaks nothing else, because the editor wraps its rows itself.
package enum DisplayWidth {
    /// The sum over the characters of a text.
    package static func of(_ text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// A character that is one picture takes two cells, any other the sum of its scalars.
    package static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, scalars.count > 1 else { return scalars.first.map { of($0) } ?? 0 }
        if first.properties.isEmoji, scalars.dropFirst().contains(where: makesPicture) { return 2 }
        return scalars.reduce(0) { $0 + of($1) }
    }

    /// 0, 1 or 2.
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        if (0x20...0x7e).contains(scalar.value) { return 1 }
        if isZero(scalar) { return 0 }
        return isWide(scalar) ? 2 : 1
    }

    /// A joiner, the choice of the coloured form, a skin colour, or the other half of a flag.
    private static func makesPicture(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200d, 0xfe0f, 0x1f3fb...0x1f3ff, 0x1f1e6...0x1f1ff: true
        default: false
        }
    }

    private static func isZero(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Vowels and final consonants of Hangul go into the cells of the first consonant.
        case 0x1160...0x11ff, 0xd7b0...0xd7ff: return true
        // Arabic number signs and their like, which are seen although they are "format".
        case 0x600...0x605, 0x6dd, 0x70f, 0x890...0x891, 0x8e2, 0x110bd, 0x110cd: return false
        default: break
        }
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        // Emoji that are newer than the table. Half a flag is narrow.
        if scalar.properties.isEmojiPresentation { return !(0x1f1e6...0x1f1ff).contains(scalar.value) }
        guard scalar.value >= 0x1100 else { return false }
        var low = 0
        var high = wideScalars.count / 2
        while low < high {
            let middle = (low + high) / 2
            if scalar.value > wideScalars[2 * middle + 1] { low = middle + 1 } else { high = middle }
        }
        return low < wideScalars.count / 2 && scalar.value >= wideScalars[2 * low]
    }
}
