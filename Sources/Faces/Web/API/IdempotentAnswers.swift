import Wire

/// The answers to requests with an `Idempotency-Key`: a repeated request gets the first one's, and does nothing. A request
/// that was refused did nothing, and may be tried again.
struct IdempotentAnswers {
    static let time = Duration.seconds(600)
    static let capacity = 1_024

    private struct Entry {
        let request: [UInt8]
        let answer: Task<WebAnswer, Never>
        let deadline: Instant
    }

    private var entries: [String: Entry] = [:]

    /// Forgets a request that was refused.
    mutating func forget(_ key: String) { entries[key] = nil }

    /// The answer to a request: that of an equal one with the same key, if it is not longer ago than `time`.
    ///
    /// - Parameter request: all that the answer depends on.
    /// - Returns: nil for another request with the same key.
    mutating func answer(
        _ key: String, _ request: [UInt8], at now: Instant, _ make: () -> Task<WebAnswer, Never>
    ) -> Task<WebAnswer, Never>? {
        entries = entries.filter { $0.value.deadline > now }
        if let known = entries[key] { return known.request == request ? known.answer : nil }
        if entries.count >= IdempotentAnswers.capacity,
            let oldest = entries.min(by: { $0.value.deadline < $1.value.deadline })
        {
            entries[oldest.key] = nil
        }
        let answer = make()
        entries[key] = Entry(request: request, answer: answer, deadline: now + IdempotentAnswers.time)
        return answer
    }
}
