import Testing

@testable import LineEditor

@Suite struct DisplayWidthTests {
    @Test(
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("한", 2), ("\u{1112}\u{1161}\u{11ab}", 2), ("漢", 2), ("ｱ", 1),
            ("Ａ", 2),
            ("א", 1), ("👩‍👩‍👧", 2), ("👨‍👩‍👧‍👦", 2), ("👍🏽", 2), ("🇰🇷", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("🏳️‍🌈", 2), ("🙂", 2),
            ("\u{301}", 0), ("\u{fffd}", 1), ("·", 1), ("€", 1), ("ก็", 1), ("\u{1fae9}", 2),
        ] as [(Character, Int)])
    func `a character takes as many cells as terminals give it`(character: Character, width: Int) {
        #expect(DisplayWidth.of(character) == width)
    }

    @Test func `a text takes what its characters take`() {
        #expect(DisplayWidth.of("") == 0)
        #expect(DisplayWidth.of("abc") == 3)
        #expect(DisplayWidth.of("안녕하세요, 👩‍👩‍👧") == 14)
    }

    @Test func `the table's ranges are in order and apart`() {
        let table = DisplayWidth.wideScalars
        #expect(table.count.isMultiple(of: 2))
        for index in table.indices.dropFirst() {
            #expect(index.isMultiple(of: 2) ? table[index] > table[index - 1] : table[index] >= table[index - 1])
        }
    }

    @Test func `the table agrees with what the standard library knows of Unicode`() {
        for value: UInt32 in 0x20...0x3ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let properties = scalar.properties
            if properties.isEmojiPresentation {
                #expect(DisplayWidth.of(scalar) == ((0x1f1e6...0x1f1ff).contains(value) ? 1 : 2), "\(value)")
            }
            if properties.isUnifiedIdeograph || (0xac00...0xd7a3).contains(value) {
                #expect(DisplayWidth.of(scalar) == 2, "\(value)")
            }
            if properties.generalCategory == .nonspacingMark { #expect(DisplayWidth.of(scalar) == 0, "\(value)") }
        }
    }
}
