import Testing
import Wire

@testable import Chat

struct EmojiTests {
    @Test(arguments: [
        "👍", "❤️", "☺️", "👩‍👩‍👧‍👦", "👋🏽", "🏳️‍🌈", "🇰🇷", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "1️⃣", "#⃣", "*️⃣", "🫨", "\u{1faf9}", "🧑🏻‍❤️‍💋‍🧑🏿",
    ])
    func `an emoji of every family is taken`(emoji: String) throws {
        #expect(try Emoji.compose(emoji).unicodeScalars.first == emoji.unicodeScalars.first)
        #expect(try Emoji.accept(Array(emoji.utf8).span) == emoji)
        #expect(DisplayGuard.safe(emoji) == emoji || emoji == "\u{1faf9}")
    }

    @Test(arguments: [
        "", "a", "가", "1", "#", "👍👍", "👍a", "a\u{0301}", "👍\u{0301}", "\u{200d}👍", "👍\u{200d}", "👍\u{200d}\u{200d}👍",
        "\u{fe0f}", "👍\u{fe0f}\u{fe0f}", "\u{202e}", "👍\u{202e}", "\u{1b}[2J", "🇰", "🇰🇷🇰", "❤\u{fe0e}", "1\u{fe0f}",
        "1\u{fe0f}\u{fe0f}\u{20e3}",
        "🏴\u{e0067}\u{e007f}", "\n", "👍\n", "\u{2800}", "\u{e000}",
    ])
    func `nothing else is taken`(text: String) {
        #expect(!Emoji.isEmoji(text))
        #expect(throws: PayloadError.self) { try Emoji.accept(Array(text.utf8).span) }
    }

    @Test func `a symbol that is drawn as text gets the selector of its coloured form`() throws {
        #expect(try Array(Emoji.compose("❤").unicodeScalars) == ["❤", "\u{fe0f}"])
        #expect(try Emoji.compose(" 👍 ") == "👍")
        #expect(code { () throws(ChatError) in try Emoji.compose("hello") } == .invalidEmoji)
    }

    @Test func `a cluster of 12 scalars is taken, and none of 13 or of 49 bytes`() throws {
        let joined = { (count: Int) in Array(repeating: "👍", count: count).joined(separator: "\u{200d}") }
        let twelve = joined(6) + "\u{fe0f}"
        #expect(twelve.unicodeScalars.count == 12 && twelve.utf8.count <= Limits.emojiBytes)
        #expect(try Emoji.accept(Array(twelve.utf8).span) == twelve)
        #expect(joined(7).unicodeScalars.count == 13)
        #expect(!Emoji.isEmoji(joined(7)))
        #expect(throws: PayloadError.emoji) { try Emoji.accept([UInt8](repeating: 0xf0, count: 49).span) }
        #expect(throws: PayloadError.notUTF8) { try Emoji.accept([0xf0, 0x9f, 0x91].span) }
    }
}
