/// Several candidates in the place of one word, of which each Tab fills in the next.
struct CompletionCycle: Hashable, Sendable {
    private let candidates: [String]
    private let suffix: String
    private var index: Int?
    /// The text in the line now, before the cursor.
    private(set) var inserted: String

    init(_ completion: WordCompletion, inserted: String) {
        (candidates, suffix, self.inserted) = (completion.candidates, completion.suffix, inserted)
    }

    /// The text of the next candidate, or with -1 of the one before; behind the last one the first is again.
    mutating func next(by step: Int) -> String {
        let first = step > 0 ? 0 : candidates.count - 1
        let next = index.map { ($0 + step + candidates.count) % candidates.count } ?? first
        index = next
        inserted = candidates[next] + suffix
        return inserted
    }
}
