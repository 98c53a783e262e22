import LineEditor
import Wire

/// A line of the chat before it is cut into rows.
struct ChatLine: Hashable, Sendable {
    var text: StyledText
    /// The blank cells before the second and later rows.
    var indent = 0
    /// An own direct message, whose delivery state is shown behind it.
    var delivery: Delivery?
    /// Shown on one row, cut where it ends.
    var isOneRow = false

    struct Delivery: Hashable, Sendable {
        let id: MessageID
        var mark: String
    }

    /// The cells that a delivery state takes with its space.
    static let markWidth = 3

    /// The rows on a terminal of a width, and the last one again without its delivery state, if it has one.
    func rows(columns: Int) -> (rows: [StyledText], unmarked: StyledText?) {
        if isOneRow {
            guard let delivery else { return ([text.cut(to: columns)], nil) }
            let unmarked = text.cut(to: columns - ChatLine.markWidth)
            return ([ChatLine.marked(unmarked, delivery.mark)], unmarked)
        }
        // An indent of most of the row would leave a column of single words.
        let indent = 2 * self.indent <= columns ? self.indent : min(2, columns / 4)
        var rows = text.rows(columns: columns, indent: indent)
        guard let delivery else { return (rows, nil) }
        if (rows.last?.width ?? 0) + ChatLine.markWidth > columns {
            rows.append(StyledText(String(repeating: " ", count: indent)))
        }
        let unmarked = rows.removeLast()
        rows.append(ChatLine.marked(unmarked, delivery.mark))
        return (rows, unmarked)
    }

    static func marked(_ row: StyledText, _ mark: String) -> StyledText { row + StyledText(" " + mark) }
}
