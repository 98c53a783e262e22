import Noise
import Phrases
import Wire

@testable import Chat

extension FuzzTarget {
    /// A text is a generated key with its checksum, a pass phrase, or refused with an error that can be shown and has no part
    /// of the text but a word of the list.
    static let keys = FuzzTarget(
        name: "keys", seeds: { RoomKeyRules.seeds }
    ) { input in
        var choices = Choices(input)
        if choices.flag() {
            RoomKeyRules.checkText(choices.rest())
        } else {
            RoomKeyRules.checkChanged(&choices)
        }
    }
}

private enum RoomKeyRules {
    static let seeds: [[UInt8]] =
        [
            "\u{1}abide-amend-leader-amend-exempt-afford-bring-cymbal", "\u{1}correct horse battery staple",
            "\u{1} caf\u{e9} 12345",
            "\u{1}abide-amend-leeder-amend-exempt-afford-bring-cymbal", "\u{0}12345678", "\u{1}ABIDE \tamend",
            "\u{1}# abide", "\u{1}abide amend leader amend exempt afford bring", "\u{1}short",
            "\u{1}" + String(repeating: "long ", count: 60),
            "\u{0}\u{1}", "\u{0}\u{1}\u{1}\u{0}\u{5}\u{0}\u{1}",
            "\u{1}abide-amend-zzzzzz-amend-exempt-afford-bring-cymbal", "\u{1}# abide amend",
            "\u{1}\u{feff}abide\u{a0}amend\u{2010}leader",
        ].map { Array($0.utf8) } + [[1, 0x63, 0x61, 0x66, 0xe9, 0x20, 0x31, 0x32, 0x33, 0x34, 0x35]]

    static func checkText(_ bytes: [UInt8]) {
        let fault = fault(bytes)
        let parts = words(bytes)
        let known = parts.count { isKnown($0) }
        switch fault {
        case nil:
            demand(parts.count != 8 || known < 6 || known == 8, "a key with an unknown word is accepted")
            if parts.count == 8, known == 8 {
                demand(isWhole(parts), "a key without its checksum is accepted")
                demand(isRead(bytes), "a key that is accepted is not read")
            }
        case .unknownWord(let number, let nearest):
            demand((1...8).contains(number) && known < 8, "a word that is known is refused")
            demand(nearest.map { isKnown(Array($0.utf8)) } ?? true, "the hint is no word of a key")
        case .checksum: demand(known == 8 && !isWhole(parts), "a key with its checksum is refused")
        case .wordCount(let count): demand(count == parts.count && known == count, "words are counted wrongly")
        case .comment: demand(parts.first?.first == UInt8(ascii: "#"), "a comment without its sign")
        case .notUTF8: demand(String(validating: bytes, as: UTF8.self) == nil, "UTF-8 is refused")
        case .tooShort, .tooLong, .outOfMemory: break
        }
    }

    /// A generated key with a few changes is itself, refused, a pass phrase, or one of the 256th that pass by chance.
    static func checkChanged(_ choices: inout Choices) {
        var randomness = Randomness.seeded(UInt64(choices.byte()))
        let text = RoomKey.generate(using: &randomness)
        var bytes = [UInt8](copying: text.span)
        demand(fault(bytes) == nil, "a generated key is refused")
        choices.mutate(&bytes, times: 6)
        checkText(bytes)
    }

    private static func fault(_ bytes: [UInt8]) -> RoomKeyError? {
        let text = Secret(count: bytes.count, protection: .transient) { secret in
            for index in bytes.indices { secret[index] = bytes[index] }
        }
        do throws(RoomKeyError) {
            try RoomKey.check(text)
            return nil
        } catch {
            for language in [Language.english, .korean] {
                demand(!error.sentence.text(in: language).isEmpty, "an error without a text")
            }
            return error
        }
    }

    /// A pass phrase is not read: its stretching takes longer than a thousand other inputs.
    private static func isRead(_ bytes: [UInt8]) -> Bool {
        (try? RoomKey(reading: String(decoding: bytes, as: UTF8.self), forRoomNamed: "kitchen")) != nil
    }

    private static func words(_ bytes: [UInt8]) -> [[UInt8]] {
        var words: [[UInt8]] = [[]]
        var index = 0
        while index < bytes.count {
            let length = EditedText.wordSeparator(in: bytes.span, at: index)
            if length > 0 {
                words.append([])
            } else {
                words[words.count - 1].append((0x41...0x5a).contains(bytes[index]) ? bytes[index] + 0x20 : bytes[index])
            }
            index += max(1, length)
        }
        return words.filter { !$0.isEmpty }
    }

    private static let list = RoomKeyWords.packed.map(RoomKeyWords.letters(of:))
    private static let places = Dictionary(uniqueKeysWithValues: zip(list, list.indices))

    private static func isKnown(_ word: [UInt8]) -> Bool { places[word] != nil }

    /// A second computation of the checksum, bit by bit.
    private static func isWhole(_ parts: [[UInt8]]) -> Bool {
        let bits = parts.flatMap { word in (0..<11).map { (places[word] ?? 0) >> (10 - $0) & 1 } }
        let bytes = (0..<11).map { byte in bits[8 * byte..<8 * byte + 8].reduce(UInt8(0)) { $0 << 1 | UInt8($1) } }
        let random = Array(bytes.prefix(10))
        return SHA256.hash("earshot/3 checksum\0", random.span)[0] == bytes[10]
    }
}
