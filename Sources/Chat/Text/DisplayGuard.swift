/// Makes a string of a peer safe to show: it changes nothing on a screen but its own cells (Protocol.md section 6).
///
/// Terminal controls and invisible scalars become U+FFFD; a line break or tab becomes one space. Idempotent; the result
/// never has more scalars than the text. The work grows with the text: limit that first.
package enum DisplayGuard {
    /// The text, safe to show on one line.
    package static func safe(_ text: String) -> String {
        if ASCII.isPrintable(text) { return text }
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            index += show(scalars, at: index, behind: &result)
        }
        return String(result)
    }

    /// A nickname, safe to show before a message: also without the characters that separate names from texts, so that
    /// no nickname imitates another one with a text.
    package static func safeName(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in safe(name).unicodeScalars {
            result.append(nameMarks.contains(scalar) ? replacement : scalar)
        }
        return String(result)
    }

    private static let nameMarks: [Unicode.Scalar] = ["<", ">", "[", "]", "#", "*", "★"]

    static let replacement: Unicode.Scalar = "\u{fffd}"

    /// Appends the scalar at `index`, or the sequence that begins there, to the shown ones.
    ///
    /// - Returns: the number of scalars read.
    private static func show(
        _ scalars: [Unicode.Scalar], at index: Int, behind shown: inout String.UnicodeScalarView
    ) -> Int {
        let scalar = scalars[index]
        let following = index + 1 < scalars.count ? scalars[index + 1] : nil
        if scalar == "\r" || scalar == "\n" || scalar == "\t" {
            shown.append(" ")
            return scalar == "\r" && following == "\n" ? 2 : 1
        }
        if let length = flagTags(in: scalars, at: index) {
            shown.append(contentsOf: scalars[index..<index + length])
            return length
        }
        let isShown = DisplayClass.of(scalar).isShown(between: shown.last, and: following)
        shown.append(isShown ? scalar : replacement)
        return 1
    }

    /// The length of a subdivision flag (UTS #51): a black flag, 3 to 6 tag letters or digits, and the end of tags.
    private static func flagTags(in scalars: [Unicode.Scalar], at index: Int) -> Int? {
        guard scalars[index] == "\u{1f3f4}" else { return nil }
        let tags = scalars[(index + 1)...].prefix(7).prefix { tagCharacters.contains($0) || tagDigits.contains($0) }
        let end = index + 1 + tags.count
        guard (3...6).contains(tags.count), end < scalars.count, scalars[end] == "\u{e007f}" else { return nil }
        return tags.count + 2
    }

    private static let tagCharacters: ClosedRange<Unicode.Scalar> = "\u{e0061}"..."\u{e007a}"
    private static let tagDigits: ClosedRange<Unicode.Scalar> = "\u{e0030}"..."\u{e0039}"
}
