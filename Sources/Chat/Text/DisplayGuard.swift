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

    /// A name, safe to show before a number and a message: also without the characters that separate names from numbers and
    /// texts, those that look like them, padding, and scalars that change nothing to be seen. So no name imitates another one
    /// with its number, a contact, or a name with a text.
    package static func safeName(_ name: String) -> String {
        if ASCII.isPrintable(name), !name.unicodeScalars.contains(where: isNameMark), !name.utf8.hasDoubledSpace {
            return name
        }
        let scalars = Array(safe(name).unicodeScalars)
        var result = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            if scalar.properties.isWhitespace {
                if result.last != " " { result.append(" ") }
                continue
            }
            let following = index + 1 < scalars.count ? scalars[index + 1] : nil
            let isReplaced =
                isNameMark(scalar) || Visibility.blankSymbols.contains(scalar)
                || !changesLook(scalar, between: result.last, and: following)
            result.append(isReplaced ? replacement : scalar)
        }
        return String(result)
    }

    private static func isNameMark(_ scalar: Unicode.Scalar) -> Bool { nameMarks.contains(scalar) }

    /// The marks of plain lines and of names that look alike, and scalars that look like the number sign or a contact's star.
    private static let nameMarks: Set<Unicode.Scalar> = [
        "<", ">", "[", "]", "#", "*", "≈", "\u{ff03}", "\u{fe5f}", "\u{266f}", "★", "\u{2606}", "\u{22c6}", "\u{272d}",
        "\u{272e}", "\u{272f}", "\u{2730}", "\u{2b50}", "\u{2b51}", "\u{2b52}",
    ]

    /// False for a joiner at the end of a name, and a selector behind a scalar that has one form only.
    private static func changesLook(
        _ scalar: Unicode.Scalar, between before: Unicode.Scalar?, and after: Unicode.Scalar?
    ) -> Bool {
        switch DisplayClass.of(scalar) {
        case .joiner: after.map { !$0.properties.isWhitespace } ?? false
        case .selector:
            before.map { $0.properties.isEmoji && !$0.isASCII || $0.properties.isIdeographic || isMongolian($0) }
                ?? false
        case .visible, .mark, .hidden: true
        }
    }

    private static func isMongolian(_ scalar: Unicode.Scalar) -> Bool { (0x1800...0x18af).contains(scalar.value) }

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
    static func flagTags(in scalars: [Unicode.Scalar], at index: Int) -> Int? {
        guard scalars[index] == "\u{1f3f4}" else { return nil }
        let tags = scalars[(index + 1)...].prefix(7).prefix { tagCharacters.contains($0) || tagDigits.contains($0) }
        let end = index + 1 + tags.count
        guard (3...6).contains(tags.count), end < scalars.count, scalars[end] == "\u{e007f}" else { return nil }
        return tags.count + 2
    }

    private static let tagCharacters: ClosedRange<Unicode.Scalar> = "\u{e0061}"..."\u{e007a}"
    private static let tagDigits: ClosedRange<Unicode.Scalar> = "\u{e0030}"..."\u{e0039}"
}

extension String.UTF8View {
    fileprivate var hasDoubledSpace: Bool { zip(self, dropFirst()).contains { $0 == 0x20 && $1 == 0x20 } }
}
