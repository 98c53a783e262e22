/// What stands under the chat: a line of notes if there is something to note, the prompt, and the line being typed.
package struct Picture: Hashable, Sendable {
    /// Who is typing, how many characters are left; empty for nothing. Safe to show; cut where the row ends.
    package var status: String
    /// Safe to show.
    package var prompt: String
    package var left: String
    package var right: String

    package init(status: String, prompt: String, left: String, right: String) {
        self.status = status
        self.prompt = prompt
        self.left = left
        self.right = right
    }
}

/// Knows what it has drawn under the chat, and what to write so that something else stands there.
///
/// A value: it writes nothing. It counts rows from its own first one, so that it need not know where on the screen that is.
package struct Screen: Sendable {
    package private(set) var columns: Int
    package private(set) var rows: Int
    /// Makes a character safe to show.
    private let safe: @Sendable (String) -> String
    private var drawn: Drawing?

    /// What is on the screen.
    private struct Drawing: Hashable {
        var rows: [LineLayout.Row]
        var cursor: LineLayout.Position
        var hasStatusRow: Bool
        /// The terminal's, when it was drawn.
        var columns: Int
        var height: Int
    }

    package init(columns: Int, rows: Int, safe: @escaping @Sendable (String) -> String) {
        self.columns = max(2, columns)
        self.rows = max(1, rows)
        self.safe = safe
    }

    /// What to write so that `lines` stand above `picture`, and `picture` instead of what was drawn before.
    ///
    /// - Parameter lines: without line ends, safe to show; the terminal wraps them.
    package mutating func show(_ picture: Picture, below lines: [String] = []) -> String {
        let next = drawing(of: picture, keepsStatusRow: lines.isEmpty && drawn?.hasStatusRow == true)
        guard next != drawn || !lines.isEmpty else { return "" }
        var output = "\u{1b}[?2026h" + erasing
        for line in lines { output += line + "\r\n" }
        // A character that is wider than was thought must not make a row of its own.
        output += "\u{1b}[?7l" + next.rows.map(\.text).joined(separator: "\r\n")
        output += Screen.move(fromRow: next.rows.count - 1, to: next.cursor) + "\u{1b}[?7h\u{1b}[?2026l"
        drawn = next
        return output
    }

    /// What to write so that nothing stands under the chat any more, and the cursor where it began.
    package mutating func erase() -> String {
        guard drawn != nil else { return "" }
        defer { drawn = nil }
        return erasing
    }

    /// What to write so that the screen is empty.
    package mutating func clear() -> String {
        erase() + "\u{1b}[H\u{1b}[2J"
    }

    /// Forgets what was drawn, because somebody else has written to the terminal since.
    package mutating func forget() { drawn = nil }

    /// The terminal has another size now. One that is narrower has cut what was drawn into more rows.
    package mutating func resize(columns: Int, rows: Int) {
        self.columns = max(2, columns)
        self.rows = max(1, rows)
    }

    /// Where the first `cells` of a row end in a terminal that has wrapped it at `columns`: a wide character is not cut.
    private static func end(of row: LineLayout.Row, upTo cells: Int, columns: Int) -> LineLayout.Position {
        var (position, passed) = (LineLayout.Position(row: 0, column: 0), 0)
        for character in row.text {
            let width = DisplayWidth.of(character)
            if position.column + width > columns { position = LineLayout.Position(row: position.row + 1, column: 0) }
            guard passed < cells else { break }
            position.column += width
            passed += width
        }
        return position
    }

    private var rowsAboveCursor: Int {
        guard let drawn else { return 0 }
        guard columns < drawn.columns else { return drawn.cursor.row }
        let above = drawn.rows[..<drawn.cursor.row].reduce(0) {
            $0 + Screen.end(of: $1, upTo: .max, columns: columns).row + 1
        }
        return above + Screen.end(of: drawn.rows[drawn.cursor.row], upTo: drawn.cursor.column, columns: columns).row
    }

    private var toStart: String {
        let above = rowsAboveCursor
        return above > 0 ? "\r\u{1b}[\(above)A" : "\r"
    }

    /// Goes to the first row that was drawn, and erases from there on.
    ///
    /// Not in one step: a terminal that is told to erase everything from its first cell on may take what stands there
    /// for worth keeping, and add it to its scrollback.
    private var erasing: String { toStart + "\u{1b}[K\u{1b}[C\u{1b}[J\r" }

    private func drawing(of picture: Picture, keepsStatusRow: Bool) -> Drawing {
        // A row of the chat is always left to see.
        let hasStatusRow = rows >= 4 && (keepsStatusRow || !picture.status.isEmpty)
        let layout = LineLayout(
            prompt: picture.prompt, left: picture.left, right: picture.right, columns: columns, safe: safe)
        var (shown, cursor) = layout.window(most: rows - 1 - (hasStatusRow ? 1 : 0))
        if hasStatusRow {
            shown.insert(statusRow(picture.status), at: 0)
            cursor.row += 1
        }
        return Drawing(rows: shown, cursor: cursor, hasStatusRow: hasStatusRow, columns: columns, height: rows)
    }

    private func statusRow(_ text: String) -> LineLayout.Row {
        var row = LineLayout.Row()
        for character in text {
            let width = DisplayWidth.of(character)
            guard row.width + width <= columns else { break }
            row.text.append(character)
            row.width += width
        }
        return row
    }

    private static func move(fromRow last: Int, to cursor: LineLayout.Position) -> String {
        let up = last > cursor.row ? "\u{1b}[\(last - cursor.row)A" : ""
        return up + "\r" + (cursor.column > 0 ? "\u{1b}[\(cursor.column)C" : "")
    }
}
