/// The lines under the chat: a line of notes if there is one, the prompt, and the line being typed.
package struct Picture: Hashable, Sendable {
    /// Typing peers, or characters left; empty for nothing. Safe to show; cut where the row ends.
    package var status: String
    /// Safe to show.
    package var prompt: StyledText
    package var left: String
    package var right: String

    package init(status: String, prompt: StyledText, left: String, right: String) {
        self.status = status
        self.prompt = prompt
        self.left = left
        self.right = right
    }
}

/// A row of the chat, no wider than the terminal unless it is a URL.
package struct ChatRow: Hashable, Sendable {
    package var text: StyledText
    /// By which the row can be drawn again; nil for a row that does not change.
    package var key: Int?

    package init(_ text: StyledText, key: Int? = nil) {
        (self.text, self.key) = (text, key)
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
    /// The keys of the rows above the drawing, the lowest last; those that may have left the screen are not among them.
    private var above: [Int?] = []
    private var changes: [(key: Int, text: StyledText)] = []
    private var isPaging = false

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
    package mutating func show(_ picture: Picture, below lines: [ChatRow] = []) -> String {
        let next = drawing(of: picture, keepsStatusRow: lines.isEmpty && drawn?.hasStatusRow == true)
        guard next != drawn || !lines.isEmpty || !changes.isEmpty else { return "" }
        var output = "\u{1b}[?2026h" + erasing + redrawing()
        for line in lines {
            output += line.text.drawn + "\r\n"
            record(line)
        }
        above.removeFirst(max(0, above.count - max(0, rows - next.rows.count)))
        // A character that is wider than was thought must not make a row of its own.
        output += "\u{1b}[?7l" + next.rows.map(\.drawn).joined(separator: "\r\n")
        output += Screen.move(fromRow: next.rows.count - 1, to: next.cursor) + "\u{1b}[?7h\u{1b}[?2026l"
        drawn = next
        return output
    }

    /// Whether the row with a key is known to be on the screen.
    package func shows(_ key: Int) -> Bool { above.contains(key) }

    /// Draws the row with a key again with the next output.
    ///
    /// - Returns: false if the row is not known to be on the screen.
    package mutating func redraw(_ key: Int, as text: StyledText) -> Bool {
        guard above.contains(key) else { return false }
        changes.append((key, text))
        return true
    }

    /// The output that removes everything under the chat, and returns the cursor to its beginning.
    package mutating func erase() -> String {
        above = []
        guard drawn != nil else { return "" }
        defer { drawn = nil }
        return erasing
    }

    /// The output that clears the screen.
    ///
    /// - Parameter withScrollback: also what has left the screen at its top (xterm, `CSI 3 J`).
    package mutating func clear(withScrollback: Bool = false) -> String {
        erase() + "\u{1b}[H\u{1b}[2J" + (withScrollback ? "\u{1b}[3J" : "")
    }

    /// Forgets the drawing, because another process has written to the terminal since.
    package mutating func forget() { (drawn, above) = (nil, []) }

    /// The terminal has another size now. One that is narrower has cut what was drawn into more rows.
    package mutating func resize(columns: Int, rows: Int) {
        self.columns = max(2, columns)
        self.rows = max(1, rows)
        above = []
    }

    /// The output that shows rows on the terminal's second screen, and a line of notes in the last row.
    package mutating func page(_ page: [PageRow], note: StyledText) -> String {
        var output = "\u{1b}[?2026h" + (isPaging ? "" : "\u{1b}[?1049h") + "\u{1b}[H\u{1b}[2J\u{1b}[?7l"
        isPaging = true
        let shown = page.prefix(rows - 1)
        for (index, row) in shown.enumerated() {
            // The terminal wraps a full row that goes on, if wrapping is on.
            let wraps = row.isContinued && index + 1 < shown.count
            output += wraps ? "\u{1b}[?7h\(row.text.drawn)" : "\(row.text.drawn)\r\n\u{1b}[?7l"
        }
        output += String(repeating: "\r\n", count: max(0, rows - 1 - page.count))
        return output + note.cut(to: columns).drawn + "\u{1b}[?7h\u{1b}[?2026l"
    }

    /// The output that returns from the second screen; empty if that is not shown.
    package mutating func endPage() -> String {
        guard isPaging else { return "" }
        isPaging = false
        return "\u{1b}[?1049l"
    }
}

/// The content of the rows, and the way to them.
extension Screen {
    /// Notes a row of the chat; one that the terminal wraps takes several rows.
    private mutating func record(_ line: ChatRow) {
        above.append(line.key)
        let width = line.text.width
        if width > columns { above += Array(repeating: nil, count: (width - 1) / columns) }
    }

    /// The changed rows, drawn from the first row of the drawing on, where the cursor returns to.
    private mutating func redrawing() -> String {
        let changes = exchange(&self.changes, with: [])
        let output = changes.map { change -> String in
            guard let index = above.lastIndex(of: change.key) else { return "" }
            let distance = above.count - index
            return "\u{1b}[\(distance)A\u{1b}[?7l\(change.text.drawn)\u{1b}[K\u{1b}[?7h\r\u{1b}[\(distance)B"
        }
        return output.joined()
    }

    /// Where the first `cells` of a row end in a terminal that has wrapped it at `columns`: a wide character is not cut.
    private static func end(of row: LineLayout.Row, upTo cells: Int, columns: Int) -> LineLayout.Position {
        var (position, passed) = (LineLayout.Position(row: 0, column: 0), 0)
        for character in row.text.text {
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
            let status = StyledText(picture.status).cut(to: columns)
            shown.insert(LineLayout.Row(text: status, width: status.width), at: 0)
            cursor.row += 1
        }
        return Drawing(rows: shown, cursor: cursor, hasStatusRow: hasStatusRow, columns: columns, height: rows)
    }

    private static func move(fromRow last: Int, to cursor: LineLayout.Position) -> String {
        let up = last > cursor.row ? "\u{1b}[\(last - cursor.row)A" : ""
        return up + "\r" + (cursor.column > 0 ? "\u{1b}[\(cursor.column)C" : "")
    }
}
