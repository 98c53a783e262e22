import Noise
import Phrases
import Testing
import Wire

@testable import Chat

struct TextTests {
    /// Characters of many scripts: one character each, and unchanged by normalization.
    static let characters = ["a", "é", "한", "漢", "😀", "👍🏽", "कि", "ก็", "ש", "д"]

    static func accept(_ text: String) throws -> String { try Text.accept(Array(text.utf8).span) }

    @Test(arguments: characters)
    func `240 characters are accepted and 241 are refused`(character: String) throws {
        let most = String(repeating: character, count: 240)
        #expect(try Text.compose(most) == most)
        #expect(try TextTests.accept(most) == most)
        #expect(throws: ChatError(.tooLong, .messageLong, "241", "240")) {
            try Text.compose(most + character)
        }
        #expect(throws: PayloadError.text(.tooLong(241))) { try TextTests.accept(most + character) }
    }

    @Test func `240 decomposed Hangul syllables are accepted, and composed by the sender alone`() throws {
        let syllable = "\u{1112}\u{1161}\u{11ab}"
        let decomposed = String(repeating: syllable, count: 240)
        let composed = String(repeating: "\u{d55c}", count: 240)
        #expect(Array(try Text.compose(decomposed).utf8) == Array(composed.utf8))
        #expect(Array(try TextTests.accept(decomposed).utf8) == Array(decomposed.utf8))
        #expect(throws: ChatError.self) { try Text.compose(decomposed + syllable) }
    }

    @Test func `families count as one character and soon exceed the bytes`() throws {
        let family = "👨‍👩‍👧‍👦"
        #expect(try Text.compose(String(repeating: family, count: 122)).count == 122)
        #expect(throws: ChatError(.tooManyBytes, .messageBytes, "3075", "3072")) {
            try Text.compose(String(repeating: family, count: 123))
        }
    }

    @Test func `the figures of a message that is too long are those after trimming`() {
        #expect(throws: ChatError(.tooLong, .messageLong, "251", "240")) {
            try Text.compose("  " + String(repeating: "x", count: 251) + "\n")
        }
    }

    @Test func `white space at the ends is cut and not counted`() throws {
        let text = String(repeating: "x", count: 240)
        #expect(try Text.compose(" \t\u{3000}\r\n" + text + "\u{2028}\n ") == text)
        #expect(try TextTests.accept(" \t\u{3000}\r\n" + text + "\u{2028}\n ") == text)
        #expect(try Text.compose("a  b") == "a  b")
    }

    @Test(arguments: ["", " ", "\n\n", "\t \u{a0}\u{2003}"])
    func `an empty message is refused`(text: String) {
        #expect(throws: ChatError(.empty, .messageEmpty)) { try Text.compose(text) }
        #expect(throws: PayloadError.text(.empty)) { try TextTests.accept(text) }
    }

    @Test func `a character of 12 scalars is accepted and one of 13 is refused`() throws {
        let dense = "a" + String(repeating: "\u{301}", count: 12)
        #expect(throws: PayloadError.text(.tooDense(13))) { try TextTests.accept(dense) }
        #expect(try TextTests.accept(String(dense.unicodeScalars.dropLast())).count == 1)
        #expect(throws: ChatError(.tooDense, .messageDense, "13", "12")) {
            try Text.compose("ab\u{323}" + String(repeating: "\u{301}", count: 11) + "\u{302}")
        }
    }

    @Test func `a megabyte in one character is refused before it is counted`() {
        let bomb = "a" + String(repeating: "\u{301}", count: 500_000)
        let clock = ContinuousClock()
        let time = clock.measure {
            #expect(throws: ChatError(.tooManyBytes, .messageBytes, "1000001", "3072")) {
                try Text.compose(bomb)
            }
            #expect(throws: PayloadError.text(.tooManyBytes(1_000_001))) { try TextTests.accept(bomb) }
            #expect(throws: ChatError.self) { try Nickname.compose(bomb) }
        }
        #expect(time < .milliseconds(500))
    }

    @Test func `bytes are checked before characters and characters before density`() {
        let dense = "a" + String(repeating: "\u{301}", count: 12)
        #expect(throws: PayloadError.text(.tooManyBytes(3_073))) {
            try TextTests.accept(String(repeating: "x", count: 3_073))
        }
        #expect(throws: PayloadError.text(.tooLong(241))) {
            try TextTests.accept(dense + String(repeating: "x", count: 240))
        }
        var broken = [UInt8](repeating: 0x78, count: 3_073)
        broken[0] = 0xff
        #expect(throws: PayloadError.text(.tooManyBytes(3_073))) { try Text.accept(broken.span) }
    }

    @Test func `a text that exceeds the bytes by normalization is refused by its sender`() throws {
        let growing = "\u{1d160}"  // 4 bytes that become 12
        #expect(try Text.compose(String(repeating: growing, count: 80)).utf8.count == 960)
        let text = String(repeating: growing, count: 200) + String(repeating: "한", count: 300)
        #expect(throws: ChatError(.tooManyBytes, .messageBytes, "3300", "3072")) {
            try Text.compose(text)
        }
    }

    @Test(
        arguments: [
            [0x80], [0xc0, 0xaf], [0xe0, 0x80, 0xaf], [0xf0, 0x80, 0x80, 0xaf], [0xed, 0xa0, 0x80],
            [0xed, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0xfe], [0xff], [0xf8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func `malformed UTF-8 is refused at any place`(bytes: [UInt8]) {
        for text in [bytes, [0x61] + bytes, bytes + [0x61], [0x61] + bytes + [0x61]] {
            #expect(throws: PayloadError.notUTF8) { try Text.accept(text.span) }
            #expect(throws: PayloadError.notUTF8) { try Nickname.accept(text.span) }
        }
    }

    @Test func `a composed text is accepted unchanged`() {
        var randomness = Randomness.seeded(11)
        let scalars: [Unicode.Scalar] = [
            "a", " ", "\n", "\u{301}", "\u{323}", "\u{1100}", "\u{1161}", "\u{11a8}", "\u{200d}", "\u{fe0f}", "😀",
            "\u{1d160}", "\u{f9}", "\u{212b}", "\u{1f1e6}", "\u{93f}", "क", "\r", "\u{2001}", "\u{340}", "\u{0}",
        ]
        var taken = 0
        for _ in 0..<1_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...300, using: &randomness) {
                if let scalar = scalars.randomElement(using: &randomness) { text.append(scalar) }
            }
            guard let composed = try? Text.compose(String(text)) else { continue }
            taken += 1
            let accepted = try? TextTests.accept(composed)
            #expect(accepted.map { Array($0.utf8) } == Array(composed.utf8))
            #expect(Array(NFC.normalized(composed).utf8) == Array(composed.utf8))
        }
        #expect((100...999).contains(taken))
    }

    @Test(
        arguments: [
            ("e\u{301}", "\u{e9}"), ("\u{212b}", "\u{c5}"), ("a\u{301}\u{323}", "\u{1ea1}\u{301}"),
            ("\u{958}", "\u{915}\u{93c}"), ("\u{1100}\u{1161}\u{11a8}", "\u{ac01}"), ("ﬁ", "ﬁ"), ("plain", "plain"),
        ])
    func `normalization is form C`(text: String, composed: String) {
        #expect(Array(NFC.normalized(text).utf8) == Array(composed.utf8))
    }
}
