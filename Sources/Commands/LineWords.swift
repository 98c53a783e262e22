/// Words of a line, scalar by scalar: a mark behind a space is one `Character` with it, and belongs to the text behind the space.
extension Substring {
    /// The words between white space; behind the last split, all of the rest.
    package func words(maxSplits: Int = .max) -> [Substring] {
        unicodeScalars.split(maxSplits: maxSplits, whereSeparator: { $0.properties.isWhitespace })
            .map { Substring($0) }
    }

    /// The text up to the first white space, and the text behind all white space there.
    package func firstWord() -> (word: Substring, rest: Substring) {
        let scalars = unicodeScalars
        let end = scalars.firstIndex(where: { $0.properties.isWhitespace }) ?? scalars.endIndex
        let rest = scalars[end...].drop(while: { $0.properties.isWhitespace })
        return (Substring(scalars[..<end]), Substring(rest))
    }

    /// The text without the white space at its ends.
    package func withoutBlankEnds() -> Substring {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return Substring() }
        return Substring(scalars[first...last])
    }
}
