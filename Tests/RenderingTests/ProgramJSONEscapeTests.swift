import Chat
import TestSupport
import Testing
import Wire

@testable import Commands
@testable import ChatNode
@testable import Rendering

@Suite struct ProgramJSONEscapeTests {
    static func written(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("", "\"\""), ("plain", "\"plain\""), ("안녕 é עב 👋", "\"안녕 é עב 👋\""), ("\"\\/", "\"\\\"\\\\/\""),
        ("\n\r\t", "\"\\n\\r\\t\""), ("\0\u{1}\u{1b}\u{1f}", "\"\\u0000\\u0001\\u001b\\u001f\""),
        ("\u{7f}\u{80}\u{9b}", "\"\\u007f\\u0080\\u009b\""), ("\u{2028}\u{2029}", "\"\\u2028\\u2029\""),
        ("\u{202e}\u{200b}\u{feff}", "\"\\u202e\\u200b\\ufeff\""), ("\u{e0041}", "\"\\udb40\\udc41\""),
        ("\u{e000}\u{3164}\u{ad}", "\"\\ue000\\u3164\\u00ad\""), ("❤\u{fe0f}", "\"❤\u{fe0f}\""),
        ("e\u{301}", "\"e\u{301}\""), ("\u{301}\n\u{301}", "\"\\u0301\\n\\u0301\""),
    ])
    func `text is written as itself, and as an escape where it could act`(text: String, written: String) {
        #expect(Array(Self.written(text).unicodeScalars) == Array(written.unicodeScalars))
    }

    @Test func `every scalar comes back, and none is written raw that the display would replace`() throws {
        for value: UInt32 in 0...0x2ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            let written = Self.written(text)
            let isRaw = written.unicodeScalars.contains(scalar)
            let isSafe = !isRaw || DisplayGuard.safe("x" + text) == "x" + text
            if try TestedJSON(written) != .string(text) || !isSafe { Issue.record("U+\(String(value, radix: 16))") }
        }
    }

    @Test func `hostile text and names come back unchanged from lines without a control`() throws {
        for text in Sample.hostile {
            let who = try Sample.who(text)
            let message = try Sample.said(text, by: who, in: .direct(with: who))
            let bytes = JSONOutput().rendering(of: .event(.message(message)), at: Sample.time).output
            #expect(bytes.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7f })
            let line = try TestedJSON(parsing: Array(bytes.dropLast()))
            #expect(line["text"]?.text == text)
            #expect(line["from"]?["nickname"]?.text == text)
        }
    }

    @Test(arguments: [
        "", "{", "{\"a\":1,}", "[1,]", "{\"a\":1,\"a\":2}", "\"\n\"", "\"\\x\"", "\"\\ud800\"", "01", "1.", "nul", "1 ",
        " 1",
        "\"\\u12g4\"", "\"", "{a:1}",
    ])
    func `the reader that these tests trust refuses what is not JSON`(text: String) {
        #expect(throws: TestedJSON.Malformed.self) { try TestedJSON(text) }
    }
}
