/// Finds the own nickname or number in a text, for every face (Docs/Commands.md, "Mentions").
///
/// A class, because each message that is shown holds the one of its room.
package final class Mention: Hashable, Sendable {
    /// A name as it is searched for.
    private struct Name: Hashable {
        /// In lower case; a character that has several in lower case is kept as it is.
        let characters: [Character]
        /// The script of the last character.
        let script: Script
    }

    private let nickname: Name
    private let number: [Character]
    private let suffix: [Character]
    /// The nickname in lower case and the number, where the nickname is ASCII: a text without the bytes of either has no mention.
    private let needles: Needles?

    package convenience init(of me: PeerName) {
        self.init(
            nickname: me.nickname, number: me.number, suffix: me.suffix ?? SenderNumber(of: me.key).suffix)
    }

    init(nickname: String, number: Int, suffix: Int) {
        let lower = nickname.map(Mention.lowercased)
        self.nickname = Name(characters: lower, script: lower.last.map(Script.init) ?? .none)
        self.number = Array("#\(number)")
        self.suffix = Array("-\(suffix)")
        needles = ASCII.isASCII(nickname) ? Needles(String(lower), "#\(number)") : nil
    }

    package static func == (one: Mention, other: Mention) -> Bool {
        one.nickname == other.nickname && one.number == other.number && one.suffix == other.suffix
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(nickname)
        hasher.combine(number)
        hasher.combine(suffix)
    }

    /// Whether a text names the user.
    package func isIn(_ text: String) -> Bool { canBeIn(text) && !ranges(in: text).isEmpty }

    /// The places of the nickname and the number in a text, in order.
    package func ranges(in text: String) -> [Range<String.Index>] {
        var found: [Range<String.Index>] = []
        var start = text.startIndex
        while start < text.endIndex {
            let end = self.end(ofNameAt: start, in: text)
            if let end { found.append(start..<end) }
            start = end ?? text.index(after: start)
        }
        return found
    }

    /// False for most texts, without a look at their characters.
    private func canBeIn(_ text: String) -> Bool {
        needles?.isIn(text.utf8Span.span) ?? true
    }

    private func end(ofNameAt start: String.Index, in text: String) -> String.Index? {
        if let end = Mention.end(of: nickname.characters, at: start, in: text),
            isNameBegun(at: start, in: text), isNameOver(at: end, from: start, in: text)
        {
            return end
        }
        guard let end = Mention.end(of: number, at: start, in: text), !Mention.goesOnWithNumber(text[..<start].last)
        else {
            return nil
        }
        // A number with a suffix is the user's only with the user's own.
        let behind = text[end...]
        guard behind.first == "-", behind.dropFirst().first?.isWholeNumber ?? false else {
            return Mention.goesOnWithNumber(behind.first) ? nil : end
        }
        guard let end = Mention.end(of: suffix, at: end, in: text), !Mention.goesOnWithNumber(text[end...].first) else {
            return nil
        }
        return end
    }

    /// The end of these characters at a place, in any case of letters; nil for others, and for no characters.
    private static func end(of name: [Character], at start: String.Index, in text: String) -> String.Index? {
        var position = start
        for character in name {
            guard position < text.endIndex, lowercased(text[position]) == character else { return nil }
            position = text.index(after: position)
        }
        return name.isEmpty ? nil : position
    }

    private static func lowercased(_ character: Character) -> Character {
        if let byte = character.asciiValue {
            return (65...90).contains(byte) ? Character(Unicode.Scalar(byte + 32)) : character
        }
        let lower = character.lowercased()
        return lower.count == 1 ? Character(lower) : character
    }

    /// Whether a character beside a number makes another word of it.
    private static func goesOnWithNumber(_ character: Character?) -> Bool {
        character.map { $0.isNumber || Script($0) == .latin && $0.isLetter } ?? false
    }

    fileprivate static func isWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }
}

/// Where a name begins and ends.
extension Mention {
    /// No part of a longer word, an address or a path is in front of the name.
    private func isNameBegun(at start: String.Index, in text: String) -> Bool {
        let front = text[..<start]
        guard let before = front.last else { return true }
        if Mention.isWord(before) {
            return !before.isNumber && Script.change(between: before, and: text[start])
        }
        let word = front.dropLast().last
        switch before {
        // The part of an address behind its sign.
        case "@": return !(word.map { $0.isASCII && Mention.isWord($0) } ?? false)
        case "-", "_", ".": return !Mention.isWord(word)
        case "/":
            let token = front.suffix(while: { !$0.isWhitespace })
            return !token.contains(where: { $0 == "." || $0 == ":" })
        default: return true
        }
    }

    private func isNameOver(at end: String.Index, from start: String.Index, in text: String) -> Bool {
        let behind = text[end...]
        guard let after = behind.first else { return true }
        if !Mention.isWord(after) { return !Mention.goesOn(behind) }
        guard !after.isNumber else { return false }
        if Script.change(between: text[text.index(before: end)], and: after) { return true }
        // Behind the sign any particle is one.
        if nickname.script == .hangul, text[..<start].last == "@" { return true }
        return NameEndings.end(behind, of: nickname.script)
    }

    /// Whether what begins with no letter goes on with the word: `-lovelace`, `_2`, `.org`, or the sign of an address.
    private static func goesOn(_ behind: Substring) -> Bool {
        let next = behind.dropFirst().first
        switch behind.first {
        case "-", "_", ".": if isWord(next) { return true }
        default: break
        }
        // The local part of an address (RFC 5321), whose sign may come later.
        let rest = behind.drop { $0.isASCII && (isWord($0) || "._%+-".contains($0)) }
        return rest.first == "@" && isWord(rest.dropFirst().first)
    }
}

extension Substring {
    fileprivate func suffix(while isPart: (Character) -> Bool) -> Substring {
        var start = endIndex
        while start > startIndex, isPart(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
    }
}

/// Two ASCII words that are looked for at once.
private struct Needles {
    private let words: [[UInt8]]
    /// The first bytes of the words, with the bit that lower-case letters have.
    private let first: UInt8
    private let second: UInt8

    private static let lowerCase: UInt8 = 0x20

    /// - Parameters: words in lower case; the first may be empty.
    init(_ one: String, _ other: String) {
        words = [one, other].map { Array($0.utf8) }.filter { !$0.isEmpty }
        first = (words.first?[0] ?? 0) | Needles.lowerCase
        second = (words.last?[0] ?? 0) | Needles.lowerCase
    }

    /// Whether bytes have one of the words, in any case of ASCII letters.
    func isIn(_ bytes: Span<UInt8>) -> Bool {
        bytes.indices.contains { index in
            let byte = bytes[index] | Needles.lowerCase
            return (byte == first || byte == second) && hasWord(bytes, at: index)
        }
    }

    private func hasWord(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        words.contains { word in
            start + word.count <= bytes.count
                && word.indices.allSatisfy { Needles.lowercased(bytes[start + $0]) == word[$0] }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | lowerCase : byte }
}
