/// Finds the word that the user probably meant to type.
package enum Suggestion {
    /// The candidate nearest to `word`, if it is near enough that it may have been meant.
    ///
    /// - Parameter word: compared in lower case; longer than 32 characters is never a slip of the hand.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let typed = Array(word.lowercased().prefix(33))
        guard !typed.isEmpty, typed.count <= 32 else { return nil }
        let ranked = candidates.map { (name: $0, distance: distance(typed, Array($0))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= tolerance(typed.count) ? best.name : nil
    }

    private static func tolerance(_ length: Int) -> Int { length <= 3 ? 1 : 2 }

    /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let cost = left[row] == right[column] ? 0 : 1
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + cost)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
