import Testing

@testable import Commands

@Suite struct ProgramLineSplitterTests {
    typealias Line = LineSplitter.Line

    static let mixed: [UInt8] =
        Array("one\n\r\ntwo\r\n\nmid\rdle\n안녕\n".utf8) + [0xff, 0xfe, 0x0a] + Array("nul\0l\nlast".utf8)
    static let mixedLines: [Line] = [
        .text("one"), .text(""), .text("two"), .text(""), .text("mid\rdle"), .text("안녕"), .invalidUTF8, .text("nul\0l"),
        .text("last"),
    ]

    static func lines(of chunks: [ArraySlice<UInt8>]) -> [Line] {
        var splitter = LineSplitter()
        var lines: [Line] = []
        for chunk in chunks {
            splitter.feed(chunk)
            while let line = splitter.next() { lines.append(line) }
        }
        return lines + (splitter.finish().map { [$0] } ?? [])
    }

    @Test func `a byte order mark in front of a line is no part of it, also at the limit`() {
        #expect(Self.lines(of: [Array("\u{feff}/join x\r\n\u{feff}y".utf8)[...]]) == [.text("/join x"), .text("y")])
        var splitter = LineSplitter(limit: 3)
        splitter.feed(Array("\u{feff}abc\r\n\u{feff}abcd\n".utf8)[...])
        #expect(splitter.next() == .text("abc") && splitter.next() == .tooLong)
    }

    @Test func `lines are the same at every split`() {
        for split in 0...Self.mixed.count {
            #expect(
                Self.lines(of: [Self.mixed[..<split], Self.mixed[split...]]) == Self.mixedLines, "split at \(split)")
        }
        #expect(Self.lines(of: Self.mixed.indices.map { Self.mixed[$0...$0] }) == Self.mixedLines)
    }

    @Test func `input that ends in a line feed has no further line`() {
        #expect(Self.lines(of: [Array("a\n".utf8)[...]]) == [.text("a")])
        #expect(Self.lines(of: []) == [])
        #expect(Self.lines(of: [[0x0a]]) == [.text("")])
    }

    @Test(arguments: [1, 7, 4_096, 65_536, 200_000])
    func `a line of 65,536 bytes passes, a longer one is refused once and skipped`(chunk: Int) {
        let most = LineSplitter.longest
        let fits = [UInt8](repeating: 0x61, count: most)
        let over = [UInt8](repeating: 0x62, count: most + 1)
        let farOver = [UInt8](repeating: 0x63, count: 3 * most)
        let input = fits + [0x0d, 0x0a] + over + [0x0a] + farOver + Array("\nnext\n".utf8) + over
        let chunks = stride(from: 0, to: input.count, by: chunk).map { input[$0..<min(input.count, $0 + chunk)] }
        let expected: [Line] = [
            .text(String(repeating: "a", count: most)), .tooLong, .tooLong, .text("next"), .tooLong,
        ]
        #expect(Self.lines(of: chunks) == expected)
    }

    @Test func `a refused line that never ends is refused once`() {
        var splitter = LineSplitter()
        var lines: [Line] = []
        for _ in 0..<64 {
            splitter.feed([UInt8](repeating: 0x61, count: 16_384)[...])
            while let line = splitter.next() { lines.append(line) }
        }
        #expect(lines == [.tooLong])
        #expect(splitter.finish() == nil)
    }
}
