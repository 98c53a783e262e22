import Testing
import Wire

@testable import LineEditor

@Suite struct KeyDecoderTests {
    static let start = Instant(nanoseconds: 0)

    static func keys(_ text: String) -> [Key] { keys(Array(text.utf8)) }

    static func keys(_ bytes: [UInt8]) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.feed(bytes, at: start)
    }

    @Test(
        arguments: [
            ("\u{1}", .start), ("\u{2}", .left), ("\u{3}", .interrupt), ("\u{4}", .endOfInput), ("\u{5}", .end),
            ("\u{6}", .right), ("\u{7}", .escape), ("\u{8}", .backspace), ("\t", .tab), ("\n", .enter),
            ("\u{b}", .killToEnd), ("\u{c}", .clearScreen), ("\r", .enter), ("\u{e}", .down), ("\u{10}", .up),
            ("\u{14}", .transpose), ("\u{15}", .killToStart), ("\u{17}", .killBlankLeft), ("\u{19}", .yank),
            ("\u{7f}", .backspace), ("\u{1b}[A", .up), ("\u{1b}[B", .down), ("\u{1b}[C", .right), ("\u{1b}[D", .left),
            ("\u{1b}[H", .start), ("\u{1b}[F", .end), ("\u{1b}OA", .up), ("\u{1b}OB", .down), ("\u{1b}OC", .right),
            ("\u{1b}OD", .left), ("\u{1b}OH", .start), ("\u{1b}OF", .end), ("\u{1b}OM", .enter), ("\u{1b}[1~", .start),
            ("\u{1b}[4~", .end), ("\u{1b}[7~", .start), ("\u{1b}[8~", .end), ("\u{1b}[3~", .delete),
            ("\u{1b}[1;5C", .wordRight), ("\u{1b}[1;5D", .wordLeft), ("\u{1b}[1;3C", .wordRight),
            ("\u{1b}[1;2D", .left), ("\u{1b}[3;5~", .killWordRight), ("\u{1b}b", .wordLeft), ("\u{1b}f", .wordRight),
            ("\u{1b}d", .killWordRight), ("\u{1b}y", .yankPop), ("\u{1b}\u{7f}", .killWordLeft), ("a", .text("a")),
            ("안녕", .text("안녕")), ("👩‍👩‍👧", .text("👩‍👩‍👧")), ("e\u{301}", .text("e\u{301}")), ("עברית", .text("עברית")),
        ] as [(String, Key)])
    func `each key has its bytes, whole or one at a time`(bytes: String, key: Key) {
        #expect(Self.keys(bytes) == [key])
        var decoder = KeyDecoder()
        let keys = bytes.utf8.flatMap { decoder.feed([$0], at: Self.start) }
        #expect(Self.joined(keys) == [key])
    }

    /// Text that came in pieces, as the one text that it is.
    static func joined(_ keys: [Key]) -> [Key] {
        keys.reduce(into: []) { all, key in
            guard case .text(let text) = key, case .text(let before) = all.last else { return all.append(key) }
            all[all.count - 1] = .text(before + text)
        }
    }

    @Test func `a character that two reads cut is one character`() {
        var decoder = KeyDecoder()
        #expect(decoder.feed([0x61, 0xed], at: Self.start) == [.text("a")])
        #expect(decoder.feed([0x95], at: Self.start) == [])
        #expect(decoder.feed([0x9c, 0x0d], at: Self.start) == [.text("한"), .enter])
    }

    /// A terminal at the end of a slow line answers in parts.
    @Test(arguments: 1..<24)
    func `an answer about a colour that two reads cut is never typed`(cut: Int) {
        let answer = Array("\u{1b}]11;rgb:1e1e/1e1e/1e1e\u{7}".utf8)
        for pause in [Duration.milliseconds(60), .seconds(2)] {
            var decoder = KeyDecoder()
            decoder.expectAnswer(at: Self.start)
            var keys = decoder.feed(answer[..<cut], at: Self.start)
            let later = Self.start + pause
            if let deadline = decoder.deadline, deadline <= later { keys += decoder.expire(at: deadline) }
            keys += decoder.feed(answer[cut...], at: later)
            keys += decoder.feed(Array("a".utf8), at: later)
            #expect(
                keys.filter { $0 != .escape } == [.background(TerminalColor(red: 30, green: 30, blue: 30)), .text("a")])
        }
    }

    @Test func `while an answer is awaited, what is no answer is typed`() {
        for typed in ["]", "]1", "]a", "]11;x", "]\u{b0}"] {
            var decoder = KeyDecoder()
            decoder.expectAnswer(at: Self.start)
            var keys = decoder.feed([0x1b], at: Self.start)
            keys += decoder.expire(at: Self.start + .milliseconds(50))
            keys += decoder.feed(Array(typed.utf8), at: Self.start + .seconds(1))
            if let deadline = decoder.deadline { keys += decoder.expire(at: deadline) }
            #expect(Self.joined(keys) == [.escape, .text(typed)])
        }
        var decoder = KeyDecoder()
        decoder.expectAnswer(at: Self.start)
        _ = decoder.feed(Array("\u{1b}]11;rgb:".utf8), at: Self.start)
        #expect(decoder.expire(at: Self.start + KeyDecoder.answerTime) == [])
        #expect(decoder.feed(Array("a".utf8), at: Self.start + .seconds(6)) == [.text("a")])
    }

    @Test func `text behind a stray byte is there at once`() {
        for stray in [0xc3, 0xe2, 0xf0, 0xfc] as [UInt8] {
            #expect(Self.keys([stray, 0x30]) == [.text("0")])
        }
    }

    @Test func `bytes outside of UTF-8 are left out`() {
        #expect(Self.keys([0x61, 0xff, 0xc0, 0xaf, 0x62, 0xed, 0xa0, 0x80, 0x63]) == [.text("abc")])
        #expect(Self.keys([0x61, 0xed, 0x95, 0x0d]) == [.text("a"), .enter])
    }

    @Test func `Escape alone is a key once nothing has followed for a while`() {
        var decoder = KeyDecoder()
        #expect(decoder.feed([0x1b], at: Self.start) == [])
        #expect(decoder.deadline == Self.start + KeyDecoder.sequenceTime)
        #expect(decoder.expire(at: Instant(nanoseconds: 49_999_999)) == [])
        #expect(decoder.expire(at: Instant(nanoseconds: 50_000_000)) == [.escape])
        #expect(decoder.deadline == nil)
        #expect(decoder.feed(Array("[A".utf8), at: Self.start) == [.text("[A")])
        #expect(Self.keys("\u{1b}\u{1b}[A") == [.escape, .up])
    }

    @Test(
        arguments: [
            "\u{1b}[?1;2c", "\u{1b}[<0;10;10M", "\u{1b}[2~", "\u{1b}[15;2~", "\u{1b}[[A", "\u{1b}OP",
            "\u{1b}O5P", "\u{1b}]11;rgb:0/0\u{7}", "\u{1b}]11;rgb:0/0/0/0\u{7}", "\u{1b}]10;rgb:0/0/0\u{7}",
            "\u{1b}P11;rgb:0/0/0\u{7}", "\u{1b}]0;title\u{1b}\\", "\u{1b}P1$r0m\u{1b}\\", "\u{1b}[I",
            "\u{1b}[13;2u", "\u{1b}x", "\u{0}", "\u{1a}", "\u{1b}[" + String(repeating: "9", count: 500) + "C",
            "\u{1b}[99999999999999999999999~",
        ])
    func `a sequence that is not known is swallowed whole`(sequence: String) {
        #expect(Self.keys("a" + sequence + "b") == [.text("a"), .text("b")])
    }

    @Test func `the answer about the background is read, in each of its forms`() {
        let color = TerminalColor(red: 0xfd, green: 0, blue: 0x80)
        for answer in ["fdfd/0000/8080", "fd/00/80", "fdf/0/808"] {
            for end in ["\u{7}", "\u{1b}\\"] {
                #expect(Self.keys("a\u{1b}]11;rgb:\(answer)\(end)b") == [.text("a"), .background(color), .text("b")])
            }
        }
        #expect(Self.keys("\u{1b}]11;rgb:f/0/8\u{7}") == [.background(TerminalColor(red: 255, green: 0, blue: 136))])
        #expect(Self.keys("\u{1b}]11;rgb:" + String(repeating: "0", count: 40) + "/0/0\u{7}") == [])
        #expect(Self.keys("\u{1b}[Z") == [.backTab])
    }

    @Test func `a sequence that never ends is given up when its time is over`() {
        for beginning in ["\u{1b}[1;", "\u{1b}O", "\u{1b}]0;never", "\u{1b}[["] {
            var decoder = KeyDecoder()
            #expect(decoder.feed(Array(beginning.utf8), at: Self.start) == [])
            #expect(decoder.expire(at: Self.start + KeyDecoder.sequenceTime) == [])
            #expect(decoder.feed(Array("a".utf8), at: Self.start) == [.text("a")])
        }
        let endless = "\u{1b}]" + String(repeating: "x", count: KeyDecoder.longestString) + "x" + "tail"
        #expect(Self.keys(endless) == [.text("tail")])
    }

    @Test func `a paste is one key, whatever is in it, and however it is cut`() {
        let text = "one\r\ntwo\u{1b}[A\u{1b}[20 \u{1b}\u{1b}[201x 한\u{3}"
        let bytes = Array("a\u{1b}[200~\(text)\u{1b}[201~b".utf8)
        #expect(Self.keys(bytes) == [.text("a"), .paste(text), .text("b")])
        for cut in bytes.indices {
            var decoder = KeyDecoder()
            let keys = decoder.feed(bytes[..<cut], at: Self.start) + decoder.feed(bytes[cut...], at: Self.start)
            #expect(Self.joined(keys) == [.text("a"), .paste(text), .text("b")])
        }
    }

    @Test func `a paste is bounded, and one without an end is over when nothing more comes`() {
        let long = Array(repeating: UInt8(ascii: "x"), count: KeyDecoder.longestPaste + 10)
        let keys = Self.keys(Array("\u{1b}[200~".utf8) + long + Array("\u{1b}[201~b".utf8))
        #expect(keys == [.paste(String(repeating: "x", count: KeyDecoder.longestPaste)), .text("b")])
        var decoder = KeyDecoder()
        #expect(decoder.feed(Array("\u{1b}[200~abc".utf8), at: Self.start) == [])
        #expect(decoder.expire(at: Self.start + KeyDecoder.pasteTime) == [.paste("abc")])
    }

    @Test(arguments: 0..<40)
    func `random bytes never trap, and the decoder comes back to the ground`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var decoder = KeyDecoder()
        var now = Self.start
        for _ in 0..<400 {
            let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in random.byte() }
            _ = decoder.feed(bytes, at: now)
            now = now + .milliseconds(Int.random(in: 0...100, using: &random))
            _ = decoder.expire(at: now)
        }
        _ = decoder.expire(at: now + .seconds(10))
        #expect(decoder.feed([0x0d], at: now).last == .enter)
    }
}
