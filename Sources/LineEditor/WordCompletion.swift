/// The completions of the word before the cursor.
package struct WordCompletion: Hashable, Sendable {
    /// The end of the text before the cursor that a candidate takes the place of.
    package let word: String
    /// Each begins like the word, but for upper and lower case.
    package let candidates: [String]
    /// Inserted behind a whole candidate.
    package let suffix: String
    /// Whether the first candidate is the likeliest: it is filled in at once, and no list is shown.
    let isRanked: Bool

    package init(word: String, candidates: [String], suffix: String = " ", isRanked: Bool = false) {
        (self.word, self.candidates, self.suffix, self.isRanked) = (word, candidates, suffix, isRanked)
    }

    /// The text in the place of the word: all of the only candidate and the suffix, or the common beginning of the candidates.
    ///
    /// Nil if that is no longer than the word.
    var replacement: String? {
        guard let first = candidates.first else { return nil }
        guard candidates.count > 1 else { return first + suffix }
        let shared = candidates.dropFirst().reduce(first[...]) { shared, candidate in
            shared.prefix(WordCompletion.sharedCount(shared, candidate[...]))
        }
        return shared.count > word.count ? String(shared) : nil
    }

    /// How many characters two candidates begin with alike, but for upper and lower case.
    private static func sharedCount(_ left: Substring, _ right: Substring) -> Int {
        zip(left, right).prefix { $0 == $1 || $0.lowercased() == $1.lowercased() }.count
    }
}
