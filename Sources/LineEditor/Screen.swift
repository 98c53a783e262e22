/// The lines under the chat: a line of notes if there is one, the prompt, and the line being typed.
package struct Picture: Hashable, Sendable {
    /// Typing peers, or characters left; empty for nothing. Safe to show; cut where the row ends.
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

/// Knows what it has drawn under the chat, and the output that replaces it.
///
/// A value: it writes nothing. It counts rows from its own first one, so that it need not know where on the screen that is.
package struct Screen: Sendable {
    package private(set) var columns: Int
    package private(set) var rows: Int
    /// Makes a character safe to show.
    private let safe: @Sendable (String) -> String
    private var drawn: Drawing?

    /// The current content of the screen.
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

    /// The output that puts `lines` above `picture`, and `picture` in the place of the former drawing.
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

    /// The output that removes everything under the chat, and returns the cursor to its beginning.
    package mutating func erase() -> String {
        guard drawn != nil else { return "" }
        defer { drawn = nil }
        return erasing
    }

    /// The output that clears the screen.
    package mutating func clear() -> String {
        erase() + "\u{1b}[H\u{1b}[2J"
    }

    /// Forgets the drawing, because another process has written to the terminal since.
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
    /// Not in one step: a terminal that erases everything from its first cell on may take the erased rows for worth
    /// keeping, and add them to its scrollback.
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
