extension Substring {
    /// The text without the characters at its ends that fulfil `isBlank`; white space by default.
    package func trimmed(_ isBlank: (Character) -> Bool = \.isWhitespace) -> Substring {
        var text = drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}

extension StringProtocol {
    /// True if the text has nothing but white space, scalar by scalar: a mark behind a space is one `Character` with it, and no white
    /// space.
    package var isBlank: Bool { unicodeScalars.allSatisfy { $0.properties.isWhitespace } }

    /// True if the text has `part` anywhere, compared byte by byte; the standard library's function is in a module that the
    /// program leaves out for its size.
    package func hasPart(_ part: some StringProtocol) -> Bool {
        let (bytes, wanted) = (Array(utf8), Array(part.utf8))
        guard bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { bytes[$0..<$0 + wanted.count].elementsEqual(wanted) }
    }
}
