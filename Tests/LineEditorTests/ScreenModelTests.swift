import Testing

@testable import LineEditor

@Suite struct ScreenModelTests {
    static let texts = ["a", "word ", "한글", "👩‍👩‍👧", "e\u{301}", "עברית ", "漢", "0123456789", "\u{1112}\u{1161}"]

    static func text(_ random: inout SeededRandom, upTo most: Int) -> String {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in texts[Int.random(in: 0..<texts.count, using: &random)]
        }
        .joined()
    }

    /// The rows that a terminal makes of a line.
    static func wrapped(_ text: String, _ columns: Int) -> [String] {
        var rows = [""]
        for character in text {
            let next = rows[rows.count - 1] + String(character)
            if DisplayWidth.of(next) > columns { rows.append(String(character)) } else { rows[rows.count - 1] = next }
        }
        return rows.map(ScreenTests.trimmed)
    }

    @Test(arguments: [(80, 24), (20, 5), (9, 3), (12, 2)], 0..<12)
    func `text typed while messages arrive is shown as it was typed`(size: (Int, Int), seed: UInt64) {
        let (columns, rows) = size
        var random = SeededRandom(seed: seed)
        var screen = ScreenTests.screen(columns, rows)
        var terminal = Terminal(columns: columns, rows: rows)
        var chat: [String] = []
        for step in 0..<60 {
            let picture = ScreenTests.picture(
                Self.text(&random, upTo: 20), Self.text(&random, upTo: 8), prompt: "p > ",
                status: step % 7 == 3 ? "typing" : "")
            // Always a line, so that no row is kept for notes that are gone.
            let lines = (0...Int.random(in: 0...3, using: &random)).map { "\($0) " + Self.text(&random, upTo: 12) }
            chat += lines.flatMap { Self.wrapped($0, columns) }
            terminal.write(screen.show(picture, below: lines.map { ChatRow(StyledText($0)) }))
            let layout = LineLayout(
                prompt: StyledText("p > "), left: picture.left, right: picture.right, columns: columns
            ) { $0 }
            let hasStatus = rows >= 4 && !picture.status.isEmpty
            let shown = layout.window(most: rows - 1 - (hasStatus ? 1 : 0))
            let all = chat + (hasStatus ? ["typing"] : []) + shown.rows.map { ScreenTests.trimmed($0.text.text) }
            #expect(Array(terminal.lines) == Self.withoutEmptyEnd(all), "seed \(seed), step \(step)")
            #expect(
                terminal.scrollback.count + terminal.row
                    == chat.count + (hasStatus ? 1 : 0) + shown.cursor.row)
            #expect(terminal.column == shown.cursor.column)
            #expect(terminal.unknown == [])
        }
    }

    static func withoutEmptyEnd(_ rows: [String]) -> [String] {
        var rows = rows
        while rows.last?.isEmpty == true { rows.removeLast() }
        return rows
    }
}
