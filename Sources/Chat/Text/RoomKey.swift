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
    ///   - text: UTF-8; white space at its ends is no part of it.
    ///   - name: a result of `RoomName.compose`, which salts a pass phrase: the key is of that room alone.
    package init(reading text: borrowing Secret, forRoomNamed name: String) throws(RoomKeyError) {
        guard text.count <= Limits.roomKeyBytes else { throw .tooLong(text.count) }
        let words = KeyWords(text.span)
        switch try RoomKey.kind(of: words, in: text.span) {
        case .generated:
            secret = RoomSecret(generated: try words.bits(in: text.span), purpose: "earshot/2 key\0")
        case .phrase:
            let phrase = try PhraseText.compose(text.span)
            let salt = SHA256.hash("earshot/2 salt\0", Array(NFC.normalized(name).utf8).span)
            let stretched = RoomSecret(stretching: phrase, salt: Array(salt.prefix(RoomSecret.saltBytes)))
            guard let stretched else { throw .outOfMemory }
            secret = stretched
        }
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
    /// The phrase without white space at its ends, in normalization form C, as every keyboard and terminal should give it.
    /// ASCII never leaves guarded memory; other text passes through a string to be normalized.
    static func compose(_ text: Span<UInt8>) throws(RoomKeyError) -> Secret {
        var (first, end) = (0, text.count)
        while first < end, isBlank(text[first]) { first += 1 }
        while end > first, isBlank(text[end - 1]) { end -= 1 }
        let trimmed = text.extracting(first..<end)
        guard trimmed.indices.contains(where: { trimmed[$0] >= 0x80 }) else {
            guard trimmed.count >= Limits.passPhraseCharacters else { throw .tooShort(trimmed.count) }
            return copy(trimmed)
        }
        let decoded: String
        do throws(PayloadError) { decoded = try Text.decode(trimmed) } catch { throw .notUTF8 }
        let phrase = NFC.normalized(Text.trimmed(decoded))
        guard phrase.count >= Limits.passPhraseCharacters else { throw .tooShort(phrase.count) }
        return copy(phrase.utf8Span.span)
    }

    private static func copy(_ bytes: Span<UInt8>) -> Secret {
        Secret(count: bytes.count, protection: .guarded) { secret in
            for index in bytes.indices { secret[index] = bytes[index] }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
