extension Substring {
    /// The text without the characters at its ends that fulfil `isBlank`; white space by default.
    package func trimmed(_ isBlank: (Character) -> Bool = \.isWhitespace) -> Substring {
        var text = drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}
