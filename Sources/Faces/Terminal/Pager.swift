import Chat
import LineEditor
import Model
import Wire

/// The rows of the open conversation, read back on the terminal's second screen.
struct Pager: Sendable {
    private let rows: [PageRow]
    /// The number of rows behind the last one that is shown.
    private var below = 0

    init(_ lines: [ChatLine], columns: Int) {
        rows = lines.flatMap { $0.rows(columns: columns) }.flatMap { PageRow.rows(of: $0, columns: columns) }
    }

    /// The first and the last row that are shown, from 1, and the number of all.
    func position(height: Int) -> (first: Int, last: Int, count: Int) {
        let last = rows.count - below
        return (max(1, last - height + 1), last, rows.count)
    }

    func page(height: Int) -> [PageRow] { Array(rows.dropLast(below).suffix(height)) }

    /// Moves back by a page, at most to the first row.
    mutating func back(height: Int) { below = max(0, min(below + max(1, height - 1), rows.count - height)) }

    /// Moves forward by a page. False if the last row was shown already.
    mutating func forward(height: Int) -> Bool {
        guard below > 0 else { return false }
        below = max(0, below - max(1, height - 1))
        return true
    }
}

extension ChatView {
    /// The lines of the open conversation, the oldest first, with rules between days.
    mutating func logLines() -> [ChatLine] {
        var day: String?
        var lines: [ChatLine] = []
        rendering.me = open.flatMap { model.room($0.room)?.me }
        for message in log {
            let next = rendering.day(message.isHistory ? message.sentAt : message.receivedAt)
            if next != day { lines.append(rendering.rule(next)) }
            day = next
            lines.append(open.map { line(of: message, in: $0) } ?? rendering.line(of: message))
        }
        return lines
    }
}
