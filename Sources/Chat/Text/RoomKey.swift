package import Noise
import Wire

/// The key of a private room: eight generated words, or a pass phrase (Protocol.md section 3). It keeps the secret that the
/// text stands for, and not the text.
package final class RoomKey: Sendable {
    /// Words of the list from which on a text of eight words is taken for a generated key with a typing error.
    private static let fewestKnownWords = 6

    let secret: RoomSecret

    /// The key of a room that a peer invited the user to.
    init(_ secret: RoomSecret) { self.secret = secret }

    /// Reads the text of a key. That of a pass phrase is slow: Argon2id computes for about a second, in 256 MiB of memory, on the
    /// calling thread, which must not be a node's. Faults are found before.
    ///
    /// - Parameters:
    ///   - text: UTF-8, read as `EditedText` says.
    ///   - name: a result of `RoomName.compose`, which salts a pass phrase: the key is of that room alone.
    package init(reading text: borrowing Secret, forRoomNamed name: String) throws(RoomKeyError) {
        guard text.count <= Limits.roomKeyBytes else { throw .tooLong(text.count) }
        let words = KeyWords(text.span)
        switch try RoomKey.kind(of: words, in: text.span) {
        case .generated:
            secret = RoomSecret(generated: try words.bits(in: text.span), purpose: "earshot/3 key\0")
        case .phrase:
            let phrase = try PhraseText.compose(text.span)
            let salt = SHA256.hash("earshot/3 salt\0", Array(NFC.normalized(name).utf8).span)
            let stretched = RoomSecret(stretching: phrase, salt: Array(salt.prefix(RoomSecret.saltBytes)))
            guard let stretched else { throw .outOfMemory }
            secret = stretched
        }
    }

    /// Reads a text that is not kept in guarded memory, as that of a command.
    package convenience init(reading text: String, forRoomNamed name: String) throws(RoomKeyError) {
        try self.init(reading: Secret(copying: text, protection: .guarded), forRoomNamed: name)
    }

    /// Finds the faults in a key's text, without the slow part of `init`.
    package static func check(_ text: borrowing Secret) throws(RoomKeyError) {
        guard text.count <= Limits.roomKeyBytes else { throw .tooLong(text.count) }
        let words = KeyWords(text.span)
        switch try kind(of: words, in: text.span) {
        case .generated: _ = try words.bits(in: text.span)
        case .phrase: _ = try PhraseText.compose(text.span)
        }
    }

    /// The text of a new key: eight words joined by hyphens.
    package static func generate(using randomness: inout Randomness) -> Secret {
        let bits = Secret(random: KeyWords.randomBytes, protection: .guarded, using: &randomness)
        return KeyWords.text(of: bits)
    }

    /// As `generate`, to be shown to the user once.
    package static func makeText() -> String {
        var randomness = Randomness.system
        let text = generate(using: &randomness)
        return String(decoding: [UInt8](copying: text.span), as: UTF8.self)
    }

    private enum Kind { case generated, phrase }

    /// A text near to a generated key is refused: taken for a pass phrase it would lead to an empty room.
    private static func kind(of words: KeyWords, in text: Span<UInt8>) throws(RoomKeyError) -> Kind {
        // A comment of an editor's file that was left in front of the key.
        guard words.ranges.first.map({ text[$0.lowerBound] != UInt8(ascii: "#") }) ?? true else { throw .comment }
        let count = words.ranges.count
        let known = words.ranges.count { KeyWords.index(of: $0, in: text) != nil }
        guard count == KeyWords.count else {
            if known == count, abs(count - KeyWords.count) == 1 { throw .wordCount(count) }
            return .phrase
        }
        if known == count { return .generated }
        guard known >= fewestKnownWords else { return .phrase }
        let unknown = words.ranges.firstIndex { KeyWords.index(of: $0, in: text) == nil } ?? 0
        throw .unknownWord(unknown + 1, nearest: KeyWords.nearest(to: words.ranges[unknown], in: text))
    }
}

/// The text of a pass phrase.
private enum PhraseText {
    /// The phrase in normalization form C, as every keyboard and editor should give it: without white space at its ends, one
    /// space for each run of it between words. ASCII never leaves guarded memory; other text passes through a string.
    static func compose(_ text: Span<UInt8>) throws(RoomKeyError) -> Secret {
        let phrase = withSingleSpaces(text.extracting(EditedText.line(text)))
        if isASCII(phrase.span) {
            guard phrase.count >= Limits.passPhraseCharacters else { throw .tooShort(phrase.count) }
            return copy(phrase.span)
        }
        let decoded: String
        do throws(PayloadError) { decoded = try Text.decode(phrase.span) } catch { throw .notUTF8 }
        let composed = NFC.normalized(decoded)
        guard composed.count >= Limits.passPhraseCharacters else { throw .tooShort(composed.count) }
        return copy(composed.utf8Span.span)
    }

    private static func isASCII(_ bytes: Span<UInt8>) -> Bool { bytes.indices.allSatisfy { bytes[$0] < 0x80 } }

    private static func withSingleSpaces(_ text: Span<UInt8>) -> Secret {
        var length = 0
        let phrase = Secret(count: text.count, protection: .guarded) { bytes in
            var (index, isBehindSpace) = (0, false)
            while index < text.count {
                let space = EditedText.whiteSpace(in: text, at: index)
                if space == 0 {
                    if isBehindSpace, length > 0 {
                        bytes[length] = 0x20
                        length += 1
                    }
                    bytes[length] = text[index]
                    length += 1
                }
                isBehindSpace = space > 0
                index += max(1, space)
            }
        }
        return copy(phrase.prefix(length).span)
    }

    private static func copy(_ bytes: Span<UInt8>) -> Secret {
        Secret(count: bytes.count, protection: .guarded) { secret in
            for index in bytes.indices { secret[index] = bytes[index] }
        }
    }
}

extension Limits {
    /// Characters that a pass phrase of a private room has at least. Longer ones are harder to guess, at the cost of
    /// one Argon2id for each guess, and to remember; with fewer, a list of common words finds the key.
    static let passPhraseCharacters = 8
    /// Bytes in the text of a room's key. A larger text costs guarded memory, which is scarce; a smaller one refuses
    /// long pass phrases.
    static let roomKeyBytes = 1_024
}
