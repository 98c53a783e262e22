import Wire

/// Fast senders that are held up until the network takes more, so that nothing is lost.
struct WaitingSenders {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// The next time at which they are resumed in any case; nil if only an event resumes them.
    private(set) var nextDeadline: Instant?

    var count: Int { waiting.count }

    mutating func append(_ sender: CheckedContinuation<Void, Never>) { waiting.append(sender) }

    /// Resumes them at a time, or before.
    mutating func resume(at time: Instant) { nextDeadline = Instant.earlier(nextDeadline, time) }

    mutating func resume() {
        guard !waiting.isEmpty else { return }
        for sender in exchange(&waiting, with: []) { sender.resume() }
    }

    mutating func tick() {
        nextDeadline = nil
        resume()
    }
}
