@testable import LineEditor

/// A terminal small enough to be believed: cells, a cursor, a scrollback, and the few sequences that the editor writes.
struct Terminal {
    /// Nil stands for the second cell of a wide character.
    private(set) var cells: [[Character?]]
    private(set) var scrollback: [String] = []
    private(set) var row = 0
    private(set) var column = 0
    private(set) var bells = 0
    /// Sequences that it does not know.
    private(set) var unknown: [String] = []
    private let columns: Int
    private var wraps = true
    /// The last column is full; the next character begins a row.
    private var isWrapPending = false

    init(columns: Int, rows: Int) {
        self.columns = columns
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// The text of a row, without the blanks at its end.
    func text(_ row: Int) -> String { Terminal.text(cells[row]) }

    /// All that was ever shown and not erased, without the empty rows at its end.
    var lines: [String] {
        var all = scrollback + cells.map(Terminal.text)
        while all.last?.isEmpty == true { all.removeLast() }
        return all
    }

    mutating func write(_ text: String) {
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.first {
            switch scalar {
            case "\u{1b}": obey(&scalars)
            case "\r":
                column = 0
                isWrapPending = false
                scalars.removeFirst()
            case "\n":
                feedLine()
                scalars.removeFirst()
            case "\u{7}":
                bells += 1
                scalars.removeFirst()
            default:
                var run = String.UnicodeScalarView()
                while let next = scalars.first, next.value >= 0x20 {
                    run.append(next)
                    scalars.removeFirst()
                }
                for character in String(run) { put(character) }
            }
        }
    }

    private static func text(_ row: [Character?]) -> String {
        var text = String(row.compactMap(\.self))
        while text.last == " " { text.removeLast() }
        return text
    }

    private mutating func put(_ character: Character) {
        let width = DisplayWidth.of(character)
        if isWrapPending || column + width > columns {
            if wraps {
                column = 0
                feedLine()
            } else {
                column = columns - width
            }
            isWrapPending = false
        }
        guard width > 0 else { return }
        cells[row][column] = character
        if width == 2 { cells[row][column + 1] = nil }
        column += width
        if column >= columns {
            column = columns - 1
            isWrapPending = wraps
        }
    }

    private mutating func feedLine() {
        isWrapPending = false
        guard row == cells.count - 1 else {
            row += 1
            return
        }
        scrollback.append(text(0))
        cells.removeFirst()
        cells.append(Array(repeating: " ", count: columns))
    }

    private mutating func obey(_ scalars: inout ArraySlice<Unicode.Scalar>) {
        var sequence = ""
        while let scalar = scalars.popFirst() {
            sequence.unicodeScalars.append(scalar)
            if sequence.count > 2, (0x40...0x7e).contains(scalar.value) { break }
        }
        let number = Int(sequence.dropFirst(2).dropLast()) ?? 1
        isWrapPending = false
        switch sequence {
        case "\u{1b}[J":
            // As tmux does where everything is erased.
            if (row, column) == (0, 0) { scrollback += cells.indices.map(text).filter { !$0.isEmpty } }
            erase(fromRow: row, column: column)
        case "\u{1b}[K": for index in column..<columns { cells[row][index] = " " }
        case "\u{1b}[2J": erase(fromRow: 0, column: 0)
        case "\u{1b}[H": (row, column) = (0, 0)
        case "\u{1b}[?7l": wraps = false
        case "\u{1b}[?7h": wraps = true
        case "\u{1b}[?2026h", "\u{1b}[?2026l": break
        case _ where sequence.hasSuffix("A"): row = max(0, row - number)
        case _ where sequence.hasSuffix("C"): column = min(columns - 1, column + number)
        case _ where sequence.hasSuffix("m"): break
        default: unknown.append(sequence)
        }
    }

    private mutating func erase(fromRow first: Int, column: Int) {
        for index in column..<columns { cells[first][index] = " " }
        for below in cells.indices.dropFirst(first + 1) { cells[below] = Array(repeating: " ", count: columns) }
    }
}

/// Rows of tests are plain texts.
extension ChatRow: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(StyledText(text)) }
}
