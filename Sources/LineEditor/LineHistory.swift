/// The lines that were entered, the newest last, and where in them one is; at most 200.
struct LineHistory: Sendable {
    static let capacity = 200

    private var lines: [String] = []
    /// Nil on the line that is being written.
    private var position: Int?
    /// That line, while an older one is looked at.
    private var draft = ""

    /// Adds a line, unless it is the last one again, and returns to the end.
    mutating func add(_ line: String) {
        position = nil
        draft = ""
        guard lines.last != line else { return }
        if lines.count == LineHistory.capacity { lines.removeFirst() }
        lines.append(line)
    }

    /// The line before the one that is shown; nil at the oldest.
    mutating func older(than shown: String) -> String? {
        let next = (position ?? lines.count) - 1
        guard next >= 0 else { return nil }
        if position == nil { draft = shown }
        position = next
        return lines[next]
    }

    /// The line behind the one that is shown, at last the draft; nil if that is shown already.
    mutating func newer() -> String? {
        guard let shown = position else { return nil }
        guard shown + 1 < lines.count else {
            position = nil
            return draft
        }
        position = shown + 1
        return lines[shown + 1]
    }
}
