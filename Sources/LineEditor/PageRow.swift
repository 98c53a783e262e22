/// A row of a page on the terminal's second screen.
package struct PageRow: Hashable, Sendable {
    package let text: StyledText
    /// Whether the next row goes on with the same word. The terminal wraps there, so that the word can be selected as a
    /// whole.
    package let isContinued: Bool

    package init(_ text: StyledText, isContinued: Bool = false) { (self.text, self.isContinued) = (text, isContinued) }

    /// The rows of a text that may be wider than the terminal.
    package static func rows(of text: StyledText, columns: Int) -> [PageRow] {
        guard text.width > columns else { return [PageRow(text)] }
        var rows: [PageRow] = []
        var (row, width) = (StyledText(), 0)
        for run in text.runs {
            for character in run.text {
                let cells = DisplayWidth.of(character)
                if width + cells > columns, width > 0 {
                    rows.append(PageRow(row, isContinued: true))
                    (row, width) = (StyledText(), 0)
                }
                row.append(String(character), run.style)
                width += cells
            }
        }
        return rows + [PageRow(row)]
    }
}
