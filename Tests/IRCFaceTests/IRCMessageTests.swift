import Testing
import Wire

@testable import IRCFace

@Suite struct IRCMessageTests {
    private static func read(_ text: String) -> IRCMessage? { IRCMessage(line: Array(text.utf8)) }

    @Test func `a message has tags, a command and parameters`() throws {
        let message = try #require(Self.read("@a=b\\:\\sc;d :x!y@z  privmsg #a,b  :c d :e"))
        #expect(message.command == "PRIVMSG")
        #expect(message.parameters == ["#a,b", "c d :e"])
        #expect(message[tag: "a"] == "b; c")
        #expect(message[tag: "d"]?.isEmpty == true)
        #expect(message[tag: "e"] == nil)
        #expect(message[2] == nil)
    }

    @Test(arguments: ["", ":x", "@a", "@a=b ", "PRIV\u{e9} x", "PING \0", "PING a\rQUIT", "@a @b c", ":a :b c"])
    func `a line without a command is none`(
        _ line: String
    ) {
        #expect(Self.read(line) == nil)
    }

    @Test func `bytes that are no UTF-8 are no message`() {
        #expect(IRCMessage(line: Array("PING ".utf8) + [0xff]) == nil)
    }

    @Test func `no parameter ends a line or begins another parameter`() {
        let message = IRCMessage(
            "a b", "PRIVMSG", ["x y", "", ":z", "t\r\nQUIT\0"], tags: [("t", "a;\r\n\\ b"), ("u", nil)])
        #expect(
            String(decoding: message.bytes, as: UTF8.self) == "@t=a\\:\\r\\n\\\\\\sb :a_b PRIVMSG x_y * _:z :t  QUIT ")
    }

    @Test func `lines are cut in any pieces, and one that is too long is left out`() {
        var lines = IRCLines()
        lines.feed(Array("PING a\r".utf8))
        #expect(lines.next() == nil)
        lines.feed(Array("\n\r\nPI".utf8))
        #expect(lines.next() == .line(Array("PING a".utf8)))
        #expect(lines.next() == nil)
        lines.feed([UInt8](repeating: 65, count: 9_000))
        #expect(lines.next() == nil)
        lines.feed([UInt8](repeating: 65, count: 9_000) + Array("\nPING b\n".utf8))
        #expect(lines.next() == .tooLong)
        #expect(lines.next() == .line(Array("PING b".utf8)))
        #expect(lines.next() == nil)
    }

    @Test(arguments: [
        (4_094, 4_096, true), (4_095, 4_096, false), (4_094, 4_097, false), (0, 4_096, true), (0, 4_097, false),
    ]) func `tags and the rest have limits of their own`(_ tags: Int, _ rest: Int, _ isTaken: Bool) {
        var lines = IRCLines()
        let front = tags == 0 ? [] : Array("@".utf8) + [UInt8](repeating: 97, count: tags) + [0x20]
        lines.feed(front + [UInt8](repeating: 65, count: rest) + [0x0a])
        #expect((lines.next() != .tooLong) == isTaken)
    }

    @Test func `times are read as they are written`() {
        #expect(IRCTime.read("1970-01-01T00:00:00Z")?.milliseconds == 0)
        #expect(IRCTime.read("2000-02-29T12:34:56.789Z")?.milliseconds == 951_827_696_789)
        #expect(IRCTime.read("2026-11-28T03:59:11.3Z")?.milliseconds == 1_795_838_351_300)
        for text in [
            "", "2000-13-01T00:00:00Z", "2000-01-01 00:00:00Z", "2000-01-01T00:00:00", "2000-01-01T00:00:00xZ",
        ] {
            #expect(IRCTime.read(text) == nil)
        }
    }
}
