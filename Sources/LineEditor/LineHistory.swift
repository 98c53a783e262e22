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

/// An incremental search of the history, from the newest line back.
struct HistorySearch: Hashable, Sendable {
    /// The line to return to.
    let draft: String
    var text = ""
    /// The line that was found last; nil before the first one.
    var found: Int?
    var hasFailed = false

    init(draft: String) { self.draft = draft }
}

extension EditorState {
    /// The text that is searched for, and whether no line has it; nil while nothing is searched.
    package var searched: (text: String, hasFailed: Bool)? { search.map { ($0.text, $0.hasFailed) } }

    mutating func startSearch() -> EditorOutcome {
        search = HistorySearch(draft: text)
        return .changed
    }

    /// Continues a search with a key; nil for a key that ends it and then does what it always does.
    mutating func continueSearch(_ key: Key) -> EditorOutcome? {
        guard var current = search else { return nil }
        if case .text(let typed) = key {
            current.text += EditorState.typeable(typed)
            find(&current, before: current.found.map { $0 + 1 })
        } else if key == .searchHistory {
            find(&current, before: current.found)
        } else if key == .backspace {
            guard current.text.popLast() != nil else { return .refused }
            find(&current, before: nil)
        } else {
            search = nil
            guard key == .escape || key == .interrupt else { return nil }
            set(current.draft)
            return .changed
        }
        search = current
        return .changed
    }

    private mutating func find(_ search: inout HistorySearch, before limit: Int?) {
        guard !search.text.isEmpty else { return }
        guard let (index, line) = history.latest(with: search.text, before: limit) else {
            search.hasFailed = true
            return
        }
        (search.found, search.hasFailed) = (index, false)
        set(line)
    }
}
