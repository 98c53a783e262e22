import Wire

/// The lines that were entered, the newest last, and where in them one is; at most 200.
struct LineHistory: Sendable {
    static let capacity = 200

    private struct Entry: Sendable {
        let line: String
        let place: Int
    }

    private var entries: [Entry] = []
    /// Nil on the line that is being written.
    private var position: Int?
    /// That line, while an older one is looked at.
    private var draft = ""

    /// Adds a line that was entered in a place, unless it is the last one again, and returns to the end.
    mutating func add(_ line: String, in place: Int) {
        position = nil
        draft = ""
        guard entries.last?.line != line else { return }
        if entries.count == LineHistory.capacity { entries.removeFirst() }
        entries.append(Entry(line: line, place: place))
    }

    /// Forgets the lines of a place, and returns to the end.
    mutating func forget(place: Int) {
        position = nil
        entries.removeAll { $0.place == place }
    }

    /// Forgets the lines that end with a text, and returns to the end.
    mutating func forget(text: String) {
        position = nil
        entries.removeAll { $0.line.hasSuffix(text) }
    }

    /// The line before the one that is shown; nil at the oldest.
    mutating func older(than shown: String) -> String? {
        let next = (position ?? entries.count) - 1
        guard next >= 0 else { return nil }
        if position == nil { draft = shown }
        position = next
        return entries[next].line
    }

    /// The line behind the one that is shown, at last the draft; nil if that is shown already.
    mutating func newer() -> String? {
        guard let shown = position else { return nil }
        guard shown + 1 < entries.count else {
            position = nil
            return draft
        }
        position = shown + 1
        return entries[shown + 1].line
    }

    /// The newest line with a text, at or before a position; nil if there is none.
    ///
    /// - Parameter limit: the number of lines to look at, the oldest first; nil for all.
    func latest(with text: String, before limit: Int?) -> (index: Int, line: String)? {
        let part = entries.prefix(limit ?? entries.count)
        guard let index = part.lastIndex(where: { $0.line.lowercased().hasPart(text.lowercased()) }) else { return nil }
        return (index, entries[index].line)
    }
}
