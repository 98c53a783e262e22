import LineEditor
import Wire

/// A line of the chat before it is cut into rows.
struct ChatLine: Hashable, Sendable {
    var text: StyledText
    /// The blank cells before the second and later rows.
    var indent = 0
    /// The message that it shows; nil for other lines.
    var message: MessageID?
    /// The cells of its text in front of the message's own.
    var head = 0
    /// The delivery state behind an own direct message.
    var mark: String?
    /// Shown on one row, cut where it ends.
    var isOneRow = false

    /// The cells that a delivery state takes with its space.
    static let markWidth = 3

    /// The rows on a terminal of a width. A line with a delivery state has as many whichever state it is.
    func rows(columns: Int) -> [StyledText] {
        if isOneRow {
            guard let mark else { return [text.cut(to: columns)] }
            return [ChatLine.marked(text.cut(to: columns - ChatLine.markWidth), mark)]
        }
        // An indent of most of the row would leave a column of single words.
        let indent = 2 * self.indent <= columns ? self.indent : min(2, columns / 4)
        var rows = text.rows(columns: columns, indent: indent)
        guard let mark else { return rows }
        if (rows.last?.width ?? 0) + ChatLine.markWidth > columns {
            rows.append(StyledText(String(repeating: " ", count: indent)))
        }
        rows.append(ChatLine.marked(rows.removeLast(), mark))
        return rows
    }

    /// Puts a note in the place of the message's text.
    mutating func erase(_ note: String, _ style: Style) {
        text = text.prefix(head)
        text.append(note, style)
        mark = nil
    }

    private static func marked(_ row: StyledText, _ mark: String) -> StyledText { row + StyledText(" " + mark) }
}
