import Testing

@testable import LineEditor

@Suite struct EditorStateTests {
    /// The editor after keys, written as text with `|` where the cursor is.
    static func after(_ keys: [Key], _ text: String = "") -> String {
        var editor = EditorState()
        if !text.isEmpty { _ = editor.take(.text(text)) }
        for key in keys { _ = editor.take(key) }
        return shown(editor)
    }

    static func shown(_ editor: EditorState) -> String { editor.left + "|" + editor.right }

    @Test func `text goes in at the cursor`() {
        #expect(Self.after([.text("hlo"), .left, .left, .text("el")]) == "hel|lo")
        #expect(Self.after([.start, .text("a"), .end, .text("z")], "m") == "amz|")
    }

    @Test(
        arguments: [
            "안", "\u{1112}\u{1161}\u{11ab}", "👩‍👩‍👧", "👨‍👩‍👧‍👦", "e\u{301}", "א", "🇰🇷", "1️⃣", "👍🏽", "नि", "ก็", "é", "z͑ͫ̓",
        ])
    func `a character is one step and one Backspace, whatever it is made of`(character: String) {
        #expect(Self.after([.left], "a" + character) == "a|" + character)
        #expect(Self.after([.left, .left, .right], "a" + character) == "a|" + character)
        #expect(Self.after([.backspace], "a" + character) == "a|")
        #expect(Self.after([.left, .delete], "a" + character) == "a|")
        #expect(Self.after([.start, .delete], character + "b") == "|b")
        // However many keys it came in.
        var editor = EditorState()
        for scalar in character.unicodeScalars { _ = editor.take(.text(String(scalar))) }
        _ = editor.take(.backspace)
        #expect(editor.isEmpty)
    }

    @Test func `Hangul that is typed in parts becomes one syllable`() {
        #expect(
            Self.after([.text("\u{1112}"), .text("\u{1161}"), .text("\u{11ab}"), .left]) == "|\u{1112}\u{1161}\u{11ab}")
    }

    @Test func `the cursor is never inside a character`() {
        // A letter before an accent that stood alone, and half a flag before another half.
        #expect(Self.after([.left, .text("e")], "\u{301}") == "e\u{301}|")
        #expect(Self.after([.start, .text("\u{1f1f0}")], "\u{1f1f7}x") == "\u{1f1f0}\u{1f1f7}|x")
        // The deleted character may have kept two scalars apart.
        #expect(Self.after([.start, .right, .delete], "👩a\u{301}👧") == "👩|👧")
        #expect(Self.after([.left, .backspace], "👩\u{200d}a👧") == "👩\u{200d}👧|")
    }

    @Test func `words end at punctuation and white space, in every script`() {
        let text = "one, two  세 번째 ארבע"
        #expect(Self.after([.wordLeft], text) == "one, two  세 번째 |ארבע")
        #expect(Self.after([.wordLeft, .wordLeft, .wordLeft], text) == "one, two  |세 번째 ארבע")
        #expect(Self.after([.start, .wordRight], text) == "one|, two  세 번째 ארבע")
        #expect(Self.after([.start, .wordRight, .wordRight], text) == "one, two|  세 번째 ארבע")
        #expect(Self.after([.killWordLeft], "a b-c") == "a b-|")
        #expect(Self.after([.killBlankLeft], "a b-c  ") == "a |")
        #expect(Self.after([.start, .killWordRight], " ab c") == "| c")
    }

    @Test func `killed text comes back, kills in a row as one`() {
        #expect(Self.after([.killBlankLeft, .killBlankLeft, .yank], "a b c") == "a b c|")
        #expect(Self.after([.start, .killWordRight, .killWordRight, .end, .yank], "a b c") == " ca b|")
        #expect(Self.after([.left, .killToStart, .end, .yank], "abc") == "cab|")
        #expect(Self.after([.left, .killToEnd, .start, .yank], "abc") == "c|ab")
        #expect(Self.after([.killBlankLeft, .end, .killBlankLeft, .yank, .yankPop], "a b") == "b|")
        #expect(Self.after([.killToEnd, .yankPop, .yank], "a b") == "a b|")
    }

    @Test func `the kill ring keeps the newest`() {
        var editor = EditorState()
        for number in 0..<40 {
            _ = editor.take(.text("\(number) "))
            _ = editor.take(.killToStart)
            _ = editor.take(.end)
        }
        _ = editor.take(.yank)
        #expect(editor.text == "39 ")
        for _ in 1..<KillRing.capacity { _ = editor.take(.yankPop) }
        #expect(editor.text == "24 ")
        _ = editor.take(.yankPop)
        #expect(editor.text == "39 ")
    }

    @Test func `two characters change places`() {
        #expect(Self.after([.transpose], "한국") == "국한|")
        #expect(Self.after([.left, .left, .transpose], "abcd") == "acb|d")
        #expect(Self.after([.start, .transpose], "ab") == "|ab")
        #expect(Self.after([.transpose], "a") == "a|")
    }

    @Test func `Enter takes the line out, and a blank one is none`() {
        var editor = EditorState()
        _ = editor.take(.text("hello"))
        _ = editor.take(.left)
        #expect(editor.take(.enter) == .entered("hello"))
        #expect(editor.isEmpty)
        #expect(editor.take(.enter) == .refused)
        _ = editor.take(.text("  "))
        #expect(editor.take(.enter) == .changed)
        #expect(editor.isEmpty)
    }

    @Test func `a refused line comes back, but not over what is typed since`() {
        var editor = EditorState()
        #expect(editor.putBack("too fast") == true)
        #expect(Self.shown(editor) == "too fast|")
        #expect(editor.putBack("second") == false)
        #expect(Self.shown(editor) == "too fast|")
        _ = editor.take(.up)
        #expect(Self.shown(editor) == "second|")
    }

    @Test func `a text behind a refused line begins another one, and any other key mends it`() {
        var editor = EditorState()
        #expect(editor.putBack("too long") == true)
        _ = editor.take(.text("/who"))
        #expect(editor.take(.enter) == .entered("/who"))
        _ = editor.take(.up)
        _ = editor.take(.up)
        #expect(Self.shown(editor) == "too long|")
        _ = editor.take(.killToStart)
        #expect(editor.putBack("too long") == true)
        #expect(editor.isPutBack)
        _ = editor.take(.backspace)
        _ = editor.take(.text("k"))
        #expect(Self.shown(editor) == "too lonk|")
        #expect(!editor.isPutBack)
    }

    @Test func `a refused line with a secret is in no history`() {
        var editor = EditorState { $0.hasPrefix("/join") }
        _ = editor.take(.text("typed"))
        #expect(editor.putBack("/join kitchen secret") == false)
        #expect(editor.take(.up) == .refused)
    }

    @Test func `of a past identity nothing can be brought back`() {
        var editor = EditorState()
        _ = editor.take(.text("entered"))
        _ = editor.take(.enter)
        _ = editor.take(.text("one two"))
        _ = editor.take(.killBlankLeft)
        _ = editor.take(.searchHistory)
        editor.forgetAll()
        #expect(editor.isEmpty && editor.searched == nil)
        #expect(editor.take(.up) == .refused)
        #expect(editor.take(.yank) == .refused)
        _ = editor.take(.paste("a\nb"))
        editor.forgetAll()
        #expect(editor.askedLines == nil)
    }

    @Test func `history goes back, forth, and to the draft`() {
        var editor = EditorState()
        for line in ["one", "two", "two", "three"] {
            _ = editor.take(.text(line))
            _ = editor.take(.enter)
        }
        _ = editor.take(.text("draft"))
        let seen = (0..<3).map { _ in
            _ = editor.take(.up)
            return editor.text
        }
        #expect(seen == ["three", "two", "one"])
        #expect(editor.take(.up) == .refused)
        for _ in 0..<3 { _ = editor.take(.down) }
        #expect(editor.text == "draft")
        #expect(editor.take(.down) == .refused)
    }

    @Test func `history is bounded`() {
        var editor = EditorState()
        for number in 0..<LineHistory.capacity + 50 {
            _ = editor.take(.text("\(number)"))
            _ = editor.take(.enter)
        }
        var steps = 0
        while editor.take(.up) == .changed { steps += 1 }
        #expect(steps == LineHistory.capacity)
        #expect(editor.text == "50")
    }

    @Test func `Ctrl-D ends an empty line's input, and deletes in another`() {
        var editor = EditorState()
        #expect(editor.take(.endOfInput) == .endOfInput)
        _ = editor.take(.text("ab"))
        _ = editor.take(.left)
        #expect(editor.take(.endOfInput) == .changed)
        #expect(editor.take(.endOfInput) == .refused)
        #expect(Self.shown(editor) == "a|")
    }

    @Test func `control characters do not get into the line`() {
        #expect(Self.after([.text("a\u{9b}31m\u{85}b")]) == "a31m b|")
        #expect(Self.after([.paste("a\tb\u{1b}[2J\u{0}c\n")]) == "a b[2Jc|")
    }

    @Test func `the line is bounded`() {
        var editor = EditorState()
        #expect(editor.take(.paste(String(repeating: "각", count: 20_000))) == .refused)
        #expect(editor.text.utf8.count == EditorState.mostBytes / 3 * 3)
        #expect(editor.take(.text("각")) == .refused)
        #expect(editor.take(.backspace) == .changed)
        #expect(editor.take(.text("각")) == .changed)
    }
}
