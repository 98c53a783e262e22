import Testing
import Wire

@Suite struct EditedTextTests {
    static func line(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: bytes[EditedText.line(bytes.span)], as: UTF8.self)
    }

    static func firstLine(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        return EditedText.firstLine(in: bytes.span).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test func `a byte order mark before a line and a carriage return behind it are no part of it`() {
        #expect(Self.line("\u{feff}/join x\r") == "/join x")
        #expect(Self.line("a\r\u{feff}b") == "a\r\u{feff}b")
        #expect(Self.line("\u{feff}") == "" && Self.line("\r") == "" && Self.line("") == "")
    }

    @Test func `comments and empty lines in front of a secret are passed over`() {
        #expect(Self.firstLine("\u{feff}# kitchen\r\n\n\t\n#\nsecret words \r\nmore") == "secret words ")
        #expect(Self.firstLine("#hash is a password") == "#hash is a password")
        #expect(Self.firstLine("#\u{a0}only\n\n") == nil)
        #expect(Self.firstLine("") == nil)
    }

    @Test func `separators are what people and editors put between words`() {
        for text in [" ", "\u{a0}", "\u{3000}", "\u{2011}", "\u{2013}", "-", "\t", "\u{ad}", "\u{200b}", "\u{2009}"] {
            let bytes = Array(text.utf8)
            #expect(EditedText.wordSeparator(in: bytes.span, at: 0) == bytes.count, "\(text)")
        }
        for text in ["a", "é", "\u{e2}\u{80}"] {
            let bytes = Array(text.utf8)
            #expect(EditedText.wordSeparator(in: bytes.span, at: 0) == 0)
        }
    }
}
