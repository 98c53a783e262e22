import Commands
import Rendering
import TestSupport
import Testing

@testable import ControlFace

@Suite struct JSONValueTests {
    private static func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    @Test func `names of members differ by their code units, not by canonical equivalence`() throws {
        let value = try Self.value(#"{"\u00e9":1,"e\u0301":2,"\u212aey":3}"#)
        #expect(value["\u{e9}"] == .number("1") && value["e\u{301}"] == .number("2"))
        #expect(value["Key"] == nil && value["\u{212a}ey"] == .number("3"))
        #expect(throws: JSONFault.repeatedMember) { try Self.value(#"{"a":1,"\u0061":2}"#) }
    }

    @Test func `every kind of value is read, with white space around it`() throws {
        let text = " {\"a\" : [1, -0.5e+3, true,\tfalse , null, \"x\"],\r\n\"b\":{}, \"c\":[] } "
        #expect(
            try Self.value(text)
                == .object([
                    "a": .array([
                        .number("1"), .number("-0.5e+3"), .bool(true), .bool(false), .null, .string("x"),
                    ]),
                    "b": .object([:]), "c": .array([]),
                ]))
        let value = try Self.value("{\"text\":\"x\",\"count\":-42,\"on\":true,\"half\":0.5,\"list\":[null]}")
        #expect(value["text"]?.string == "x")
        #expect(value["count"]?.integer == -42)
        #expect(value["on"]?.bool == true)
        #expect(value["half"]?.integer == nil)
        #expect(value["list"]?.array == [.null])
        #expect(value["nothing"] == nil)
        #expect(value["text"]?["text"] == nil)
        #expect(try Self.value("99999999999999999999").integer == nil)
    }

    @Test func `a string is read as it was written, whatever is in it`() throws {
        for text in Sample.hostile + ["", "{\"text\":\"x\"}", "\u{1f642}\u{10ffff}", "a\u{8}\u{c}\tb", ",:[]{}"] {
            var writer = JSONWriter()
            writer.object {
                $0.member("other") { $0.array { $0.string(text) } }
                $0.member("inner") { $0.object { $0.member("text", "wrong") } }
                $0.member("text", text)
            }
            let value = try JSONValue(parsing: writer.bytes)
            #expect(value["text"]?.string == text)
            #expect(value["other"]?.array == [.string(text)])
        }
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t\u0041\uac00""#, "\"\\/\u{8}\u{c}\n\r\tA가"), (#""\ud83d\ude42""#, "\u{1f642}"),
        (#""\ud83d""#, "\u{fffd}"), (#""\ude42x""#, "\u{fffd}x"), (#""\ud83d\n""#, "\u{fffd}\n"),
        (#""\ud83d\u0041""#, "\u{fffd}A"), (#""\ud83d\ud83d\ude42""#, "\u{fffd}\u{1f642}"),
    ])
    func `escapes are read`(text: String, expected: String) throws {
        #expect(try Self.value(text).string == expected)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "[1,]", "[,1]", "[1 2]", "{\"a\"", "{\"a\":", "{\"a\":}", "{\"a\":1,}", "{a:1}",
        "{1:2}",
        "\"", "\"\\", "\"\\u12\"", "\"\\u12", "\"\\u+123\"", "\"\\q\"", "\"a\nb\"", "'a'", "01", "-", "+1", "1.", ".5",
        "1e", "1e+", "0x1", "NaN", "tru", "truex", "nulll", "1 2", "{} {}", "[1]]", "\u{feff}1",
    ])
    func `a text that breaks the grammar is refused`(text: String) {
        #expect(throws: JSONFault.syntax) { try Self.value(text) }
    }

    @Test func `a repeated member, deep nesting and broken UTF-8 are refused`() throws {
        #expect(throws: JSONFault.repeatedMember) { try Self.value("{\"a\":1,\"\\u0061\":2}") }
        let deepest = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
        #expect(try Self.value(deepest).array?.count == 1)
        #expect(throws: JSONFault.tooDeep) { try Self.value("[\(deepest)]") }
        #expect(throws: JSONFault.tooDeep) { try Self.value(String(repeating: "[", count: 100_000)) }
        #expect(throws: JSONFault.invalidUTF8) { try JSONValue(parsing: [0x22, 0xff, 0x22]) }
    }

    @Test func `every beginning of a text is refused, and none stops the reader`() throws {
        let text = Array("{\"a\":[1.5e3,\"\\ud83d\\ude42가\",{\"b\":true,\"c\":null}]}".utf8)
        _ = try JSONValue(parsing: text)
        for count in text.indices {
            #expect(throws: JSONFault.self) { try JSONValue(parsing: Array(text[..<count])) }
        }
    }
}
