package import Model

/// The state that a client gets in front of the events, written in parts, each when the client can take it.
package protocol HubSnapshot {
    /// The next part; nil behind the last one.
    mutating func next() -> [UInt8]?
    /// Forgets texts that are not written yet.
    mutating func erase(_ erasure: Erasure)
    /// Gives a message its present text.
    mutating func change(_ topic: EventTopic, to text: String)
}

/// The events that the client of a stream has still to get: a snapshot in parts, then those of the log.
struct StreamFeed {
    /// Bytes that may wait for a reader, besides those that waited when it came.
    static let mostWaiting = 4 << 20

    private var snapshot: (any HubSnapshot)?
    /// The number of the last event that was passed on.
    private var number: Int
    /// Its end in the bytes of the log.
    private var end: Int
    private let most: Int
    private let form: EventLog.Form

    /// Resumes behind an event.
    ///
    /// - Parameter snapshot: nil for a client that has all that was before.
    init(behind number: Int, of log: EventLog, snapshot: (any HubSnapshot)? = nil, as form: EventLog.Form = .json) {
        (self.number, self.snapshot, self.form) = (number, snapshot, form)
        end = log.next(behind: number)?.start ?? log.size
        most = log.size - end + StreamFeed.mostWaiting
    }

    /// Whether an event can not be passed on any more, or too much waits.
    func isLate(for log: EventLog) -> Bool { number < log.dropped || log.size - end > most }

    /// The next part of the snapshot, or the next event up to one with a number; nil if none waits.
    ///
    /// - Parameter session: that of the client, which gives events its own form; nil for a client without one.
    mutating func next(of log: EventLog, upTo last: Int = .max, for session: (any ClientSession)?) -> [UInt8]? {
        if let part = snapshot?.next() { return part }
        snapshot = nil
        while let entry = log.next(behind: number) {
            guard entry.number <= last else { return nil }
            (number, end) = (entry.number, entry.end)
            if let bytes = bytes(of: entry, for: session) { return bytes }
        }
        (number, end) = (log.last, log.size)
        return nil
    }

    private func bytes(of entry: EventLog.Entry, for session: (any ClientSession)?) -> [UInt8]? {
        if let session { return session.packet(of: entry) }
        guard entry.audience != .sessions else { return nil }
        return switch form {
        case .json: entry.json
        case .serverSent: ServerSentEvent.text(entry.name, entry.json, id: entry.id)
        }
    }

    mutating func erase(_ erasure: Erasure) { snapshot?.erase(erasure) }

    mutating func change(_ topic: EventTopic, to text: String) { snapshot?.change(topic, to: text) }
}
