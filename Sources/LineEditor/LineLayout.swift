/// Where the characters of a prompt and a line stand in the rows of a terminal.
///
/// The rows are cut here and not left to the terminal, so that it is known how many there are.
struct LineLayout: Hashable, Sendable {
    struct Row: Hashable, Sendable {
        var text = StyledText()
        var width = 0

        var drawn: String { text.drawn }
    }

    /// From 0, in rows and cells.
    struct Position: Hashable, Sendable {
        var row: Int
        var column: Int
    }

    private(set) var rows = [Row()]
    private(set) var cursor = Position(row: 0, column: 0)
    private let columns: Int

    /// - Parameters:
    ///   - columns: at least 2, so that every character has room.
    ///   - safe: makes a character safe to show.
    init(prompt: StyledText, left: String, right: String, columns: Int, safe: (String) -> String) {
        self.columns = max(2, columns)
        for run in prompt.runs {
            for character in run.text { append(character, run.style) }
        }
        for character in left { append(shown(character)) }
        let next = right.first.map { shown($0) }
        if rows[rows.count - 1].width + max(1, next.map { DisplayWidth.of($0) } ?? 1) > self.columns {
            rows.append(Row())
        }
        cursor = Position(row: rows.count - 1, column: rows[rows.count - 1].width)
        for character in right { append(shown(character)) }

        func shown(_ character: Character) -> String {
            character.isASCII ? String(character) : safe(String(character))
        }
    }

    /// At most `most` rows, of which one has the cursor.
    func window(most: Int) -> (rows: [Row], cursor: Position) {
        let most = max(1, most)
        guard rows.count > most else { return (rows, cursor) }
        // As much as possible before the cursor, and the row behind it where there is one.
        let last = min(rows.count - 1, max(most - 1, cursor.row + (most > 2 ? 1 : 0)))
        let first = last - most + 1
        return (Array(rows[first...last]), Position(row: cursor.row - first, column: cursor.column))
    }

    private mutating func append(_ text: String) {
        for character in text { append(character, .plain) }
    }

    private mutating func append(_ character: Character, _ style: Style) {
        let width = DisplayWidth.of(character)
        if rows[rows.count - 1].width + width > columns { rows.append(Row()) }
        rows[rows.count - 1].text.append(String(character), style)
        rows[rows.count - 1].width += width
    }
}
