package import Chat

/// Finds the own nickname or number in a text.
package struct Mention: Sendable {
    private let nickname: String
    private let number: String

    package init(of me: PeerName) {
        nickname = me.nickname.lowercased()
        number = "#\(me.number)"
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
        for word in [nickname, number] where !word.isEmpty {
            var position = start
            var rest = word[...]
            while position < text.endIndex, !rest.isEmpty {
                let folded = text[position].lowercased()
                guard rest.hasPrefix(folded) else { break }
                rest = rest.dropFirst(folded.count)
                position = text.index(after: position)
            }
            guard rest.isEmpty else { continue }
            if position == text.endIndex || !Mention.isInWord(text[position]) { return position }
        }
        return nil
    }

    private static func isInWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }
}
