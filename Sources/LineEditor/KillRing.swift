/// Killed texts, the newest last; at most 16 pieces.
struct KillRing: Sendable {
    static let capacity = 16

    private var pieces: [String] = []
    /// How far back the next yank looks.
    private var depth = 0

    /// The text of a yank; nil if nothing was ever killed.
    var current: String? { pieces.isEmpty ? nil : pieces[pieces.count - 1 - depth % pieces.count] }

    /// - Parameter continues: whether this was killed right behind the last piece, of which it becomes a part.
    mutating func add(_ text: String, before isBefore: Bool, continues: Bool) {
        guard !text.isEmpty else { return }
        depth = 0
        if continues, let last = pieces.popLast() {
            pieces.append(isBefore ? text + last : last + text)
        } else {
            if pieces.count == KillRing.capacity { pieces.removeFirst() }
            pieces.append(text)
        }
    }

    mutating func lookFurtherBack() { depth += 1 }

    mutating func lookAtNewest() { depth = 0 }
}
