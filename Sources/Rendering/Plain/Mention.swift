import Chat

/// Finds the own nickname or number in a text.
struct Mention: Sendable {
    private let nickname: String
    private let number: String

    init(of me: PeerName) {
        nickname = me.nickname.lowercased()
        number = "#\(me.number)"
    }

    /// Whether a text names one, as a word of its own and in any case of letters.
    func isIn(_ text: String) -> Bool {
        let text = text.lowercased()
        return Mention.hasWord(nickname, in: text) || Mention.hasWord(number, in: text)
    }

    private static func hasWord(_ word: String, in text: String) -> Bool {
        guard !word.isEmpty else { return false }
        var before: Character?
        for start in text.indices {
            let rest = text[start...]
            if !isInWord(before), rest.starts(with: word), !isInWord(rest.dropFirst(word.count).first) { return true }
            before = rest.first
        }
        return false
    }

    private static func isInWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }
}
