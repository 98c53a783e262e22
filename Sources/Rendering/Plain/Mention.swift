package import Chat

/// Finds the own nickname or number in a text.
package struct Mention: Sendable {
    /// The nickname, in lower case, and the number; a character that has several in lower case is kept as it is.
    private let names: [[Character]]

    package init(of me: PeerName) {
        let nickname = me.nickname.map(Mention.lowercased)
        names = [nickname, Array("#\(me.number)")].filter { !$0.isEmpty }
    }

    /// Whether a text names one, as a word of its own and in any case of letters.
    package func isIn(_ text: String) -> Bool { !ranges(in: text).isEmpty }

    /// The places of the name and the number in a text, each as a word of its own, in order.
    package func ranges(in text: String) -> [Range<String.Index>] {
        var found: [Range<String.Index>] = []
        var before: Character?
        var start = text.startIndex
        while start < text.endIndex {
            if !Mention.isInWord(before), let end = end(ofNameAt: start, in: text) {
                found.append(start..<end)
                start = end
                before = text[text.index(before: end)]
            } else {
                before = text[start]
                start = text.index(after: start)
            }
        }
        return found
    }

    private func end(ofNameAt start: String.Index, in text: String) -> String.Index? {
        for name in names {
            var position = start
            var count = 0
            while position < text.endIndex, count < name.count, Mention.lowercased(text[position]) == name[count] {
                count += 1
                position = text.index(after: position)
            }
            guard count == name.count else { continue }
            if position == text.endIndex || !Mention.isInWord(text[position]) { return position }
        }
        return nil
    }

    private static func lowercased(_ character: Character) -> Character {
        if let byte = character.asciiValue {
            return (65...90).contains(byte) ? Character(Unicode.Scalar(byte + 32)) : character
        }
        let lower = character.lowercased()
        return lower.count == 1 ? Character(lower) : character
    }

    private static func isInWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }
}
