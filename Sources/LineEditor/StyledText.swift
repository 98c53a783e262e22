import Wire

/// How the cells of a text are drawn (ECMA-48, SGR).
package struct Style: Hashable, Sendable {
    package enum Color: Hashable, Sendable {
        case none
        /// 0 to 7: the colours that a terminal's theme defines.
        case basic(UInt8)
        /// Of the 256 colours of xterm.
        case indexed(UInt8)
    }

    package var color: Color
    package var isBold: Bool
    package var isDim: Bool
    package var isReverse: Bool

    package static let plain = Style()

    package init(color: Color = .none, isBold: Bool = false, isDim: Bool = false, isReverse: Bool = false) {
        (self.color, self.isBold, self.isDim, self.isReverse) = (color, isBold, isDim, isReverse)
    }

    /// The sequence that begins this style after a reset; empty for plain text.
    var sequence: String {
        var codes: [String] = []
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if isReverse { codes.append("7") }
        switch color {
        case .none: break
        case .basic(let number): codes.append("3\(number)")
        case .indexed(let number): codes.append("38;5;\(number)")
        }
        return codes.isEmpty ? "" : "\u{1b}[\(codes.joined(separator: ";"))m"
    }
}

/// A text on one line whose parts have styles. Its characters must be safe to show.
package struct StyledText: Hashable, Sendable {
    package struct Run: Hashable, Sendable {
        package var text: String
        package var style: Style
    }

    package private(set) var runs: [Run] = []

    package init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

    package mutating func append(_ text: String, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        if runs.last?.style == style {
            runs[runs.count - 1].text += text
        } else {
            runs.append(Run(text: text, style: style))
        }
    }

    package mutating func append(_ other: StyledText) { for run in other.runs { append(run.text, run.style) } }

    package static func + (left: StyledText, right: StyledText) -> StyledText {
        var all = left
        all.append(right)
        return all
    }

    package var text: String { runs.map(\.text).joined() }

    /// In cells.
    package var width: Int { runs.reduce(0) { $0 + DisplayWidth.of($1.text) } }

    /// The text with its sequences; ends without a style.
    package var drawn: String {
        runs.reduce(into: "") { result, run in
            let sequence = run.style.sequence
            result += sequence.isEmpty ? run.text : "\(sequence)\(run.text)\u{1b}[m"
        }
    }

    /// The beginning, at most `columns` cells wide; a text that is cut ends in `…`.
    package func cut(to columns: Int) -> StyledText {
        guard width > columns else { return self }
        var result = prefix(columns - 1)
        result.append("…", result.runs.last?.style ?? .plain)
        return result
    }

    /// The beginning of so many cells.
    package func prefix(_ columns: Int) -> StyledText {
        var (result, room) = (StyledText(), columns)
        for run in runs {
            let part = run.text.prefix { character in
                room -= DisplayWidth.of(character)
                return room >= 0
            }
            result.append(String(part), run.style)
            guard room >= 0 else { break }
        }
        return result
    }

    /// Cuts the text at spaces into rows of at most `columns` cells.
    ///
    /// A word that is wider than a row is cut, unless it is a URL: that is one row, which the terminal wraps, so that it can
    /// be selected as a whole.
    ///
    /// - Parameter indent: the blank cells before each row but the first; less than `columns`.
    package func rows(columns: Int, indent: Int) -> [StyledText] {
        if width <= columns { return [self] }
        var wrapping = RowWrapping(columns: columns, indent: indent)
        for run in runs {
            for character in run.text { wrapping.take(character, run.style) }
        }
        return wrapping.end()
    }
}

/// The state while a text is cut into rows.
private struct RowWrapping {
    let columns: Int
    let indent: Int
    private var rows: [StyledText] = []
    private var row = StyledText()
    private var rowWidth = 0
    private var word = StyledText()
    private var wordWidth = 0
    private var blanks = StyledText()
    private var blankWidth = 0

    init(columns: Int, indent: Int) {
        self.columns = columns
        self.indent = min(indent, columns - 2)
    }

    mutating func take(_ character: Character, _ style: Style) {
        let width = DisplayWidth.of(character)
        guard character == " " else {
            word.append(String(character), style)
            wordWidth += width
            return
        }
        endWord()
        blanks.append(" ", style)
        blankWidth += 1
    }

    mutating func end() -> [StyledText] {
        endWord()
        rows.append(row)
        return rows
    }

    private mutating func endWord() {
        guard wordWidth > 0 else { return }
        defer { (word, wordWidth, blanks, blankWidth) = (StyledText(), 0, StyledText(), 0) }
        if rowWidth + blankWidth + wordWidth <= columns {
            row.append(blanks)
            row.append(word)
            rowWidth += blankWidth + wordWidth
        } else if RowWrapping.isAddress(word.text) || indent + wordWidth <= columns {
            breakRow()
            if indent + wordWidth > columns { (row, rowWidth) = (StyledText(), 0) }
            row.append(word)
            rowWidth += wordWidth
        } else {
            cutWord()
        }
    }

    private mutating func cutWord() {
        if rowWidth + blankWidth + 2 <= columns {
            row.append(blanks)
            rowWidth += blankWidth
        } else {
            breakRow()
        }
        for run in word.runs {
            for character in run.text {
                let width = DisplayWidth.of(character)
                if rowWidth + width > columns { breakRow() }
                row.append(String(character), run.style)
                rowWidth += width
            }
        }
    }

    private mutating func breakRow() {
        if rowWidth > 0 { rows.append(row) }
        row = StyledText(String(repeating: " ", count: indent))
        rowWidth = indent
    }

    private static func isAddress(_ word: String) -> Bool {
        word.hasPart("://") || word.hasPrefix("www.")
    }
}
