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
    /// The answered message, in a row above this one; nil for none.
    var quote: StyledText?
    /// The reactions to the message, behind its text as far as its last row has room, with the number of the others.
    var reactions: [StyledText] = []
    /// The delivery state behind an own direct message.
    var mark: String?
    /// In front of every row, as the left side of a box.
    var border = StyledText()
    /// Shown on one row, cut where it ends.
    var isOneRow = false

    /// The cells that a delivery state takes with its space.
    static let markWidth = 3

    /// The rows on a terminal of a width. A line with a delivery state has as many whichever state it is, and reactions take a row of
    /// their own only where not even their number fits behind the text: both are drawn again in the rows that the line has.
    func rows(columns: Int) -> [StyledText] { layout(columns: columns).rows }

    /// Whether all of its reactions have room on a terminal of a width.
    func showsReactions(columns: Int) -> Bool { !isOneRow && layout(columns: columns).hidden == 0 }

    /// The rows, and how many reactions they leave out.
    private func layout(columns: Int) -> (rows: [StyledText], hidden: Int) {
        if isOneRow {
            guard let mark else { return ([text.cut(to: columns)], reactions.count) }
            return ([ChatLine.marked(text.cut(to: columns - ChatLine.markWidth), mark)], reactions.count)
        }
        // An indent of most of the row would leave a column of single words.
        let indent = 2 * self.indent <= columns ? self.indent : min(2, columns / 4)
        let blanks = StyledText(String(repeating: " ", count: indent))
        guard border.text.isEmpty else {
            return (text.rows(columns: max(1, columns - border.width), indent: indent).map { border + $0 }, 0)
        }
        var rows = text.rows(columns: columns, indent: indent)
        let markWidth = mark == nil ? 0 : ChatLine.markWidth
        if mark != nil, (rows.last?.width ?? 0) + markWidth > columns { rows.append(blanks) }
        let last = rows.popLast() ?? StyledText()
        let behind = fittingReactions(in: columns - markWidth - last.width)
        let whole = last + (behind?.text ?? StyledText())
        rows.append(mark.map { ChatLine.marked(whole, $0) } ?? whole)
        var hidden = behind?.hidden ?? reactions.count
        if behind == nil, let below = fittingReactions(in: columns - indent) {
            rows.append(blanks + below.text)
            hidden = below.hidden
        }
        return ((quote.map { [(blanks + $0).cut(to: columns)] } ?? []) + rows, hidden)
    }

    /// The reactions that fit into some cells, each behind a space, and `+N` for those that do not; nil if not even that fits.
    private func fittingReactions(in cells: Int) -> (text: StyledText, hidden: Int)? {
        guard !reactions.isEmpty else { return (StyledText(), 0) }
        for shown in (0...reactions.count).reversed() {
            var text = StyledText()
            for reaction in reactions.prefix(shown) {
                text.append(" ")
                text.append(reaction)
            }
            let hidden = reactions.count - shown
            if hidden > 0 { text.append(" +\(hidden)", reactions[shown].runs.first?.style ?? .plain) }
            if text.width <= cells { return (text, hidden) }
        }
        return nil
    }

    /// Puts a note in the place of the message's text.
    mutating func erase(_ note: String, _ style: Style) {
        text = text.prefix(head)
        text.append(note, style)
        (mark, quote, reactions) = (nil, nil, [])
    }

    private static func marked(_ row: StyledText, _ mark: String) -> StyledText { row + StyledText(" " + mark) }
}
