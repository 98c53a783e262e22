/// The events that the client of a stream has still to get: a snapshot in parts, then those of the log.
import Model

struct StreamFeed {
    /// Bytes that may wait for a reader, besides those that waited when it came.
    static let mostWaiting = 4 << 20

    private(set) var snapshot: SnapshotParts?
    /// The number of the last event that was passed on.
    private(set) var number: Int
    /// Its end in the bytes of the log.
    private var end: Int
    private let most: Int

    /// Resumes behind an event.
    ///
    /// - Parameter snapshot: nil for a client that has all that was before.
    init(behind number: Int, of log: EventLog, snapshot: SnapshotParts? = nil) {
        (self.number, self.snapshot) = (number, snapshot)
        end = log.next(behind: number)?.start ?? log.size
        most = log.size - end + StreamFeed.mostWaiting
    }

    /// Whether an event can not be passed on any more, or too much waits.
    func isLate(for log: EventLog) -> Bool { number < log.dropped || log.size - end > most }

    /// Whether all events up to one with a number are passed on.
    func hasPassed(_ last: Int, of log: EventLog) -> Bool {
        snapshot == nil && (log.next(behind: number).map { $0.number > last } ?? true)
    }

    /// The next part of the snapshot, or the next event; nil if nothing waits.
    ///
    /// - Parameter isStream: for Server-Sent Events.
    mutating func next(of log: EventLog, isStream: Bool) -> [UInt8]? {
        if let part = snapshot?.next(isStream: isStream) { return part }
        snapshot = nil
        guard let entry = log.next(behind: number) else {
            (number, end) = (log.last, log.size)
            return nil
        }
        (number, end) = (entry.number, entry.end)
        return isStream ? ServerSentEvent.text(entry.name, entry.json, id: entry.id) : entry.json
    }

    mutating func erase(_ erasure: Erasure) { snapshot?.erase(erasure) }

    mutating func change(_ topic: EventTopic, to text: String) { snapshot?.change(topic, to: text) }
}
