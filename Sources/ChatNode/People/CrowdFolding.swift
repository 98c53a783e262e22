import Chat
import Wire

/// Gathers the arrivals and departures of a crowd to a count (Protocol.md section 13).
struct CrowdFolding {
    private var movements = Movements()
    private var reportedAt: Instant?
    private(set) var nextDeadline: Instant?

    /// Counts arrivals and departures: the first are reported soon, later ones together.
    mutating func record(_ news: Movements, now: Instant) {
        guard !news.isEmpty else { return }
        movements.came += news.came
        movements.left += news.left
        guard nextDeadline == nil else { return }
        let soon = now + Limits.crowdNewsDelay
        nextDeadline = reportedAt.map { max(soon, $0 + Limits.crowdNewsInterval) } ?? soon
    }

    /// The count that is due; nil if none is.
    mutating func takeDue(now: Instant) -> Movements? {
        guard let nextDeadline, nextDeadline <= now else { return nil }
        defer { (movements, self.nextDeadline, reportedAt) = (Movements(), nil, now) }
        return movements
    }

    mutating func end() { self = CrowdFolding() }
}

extension Limits {
    /// From an arrival or a departure in a crowd to the event with the count. A longer one reports late; a shorter one
    /// reports a group in several lines.
    static let crowdNewsDelay = Duration.seconds(2)
    /// Between two such events. A longer one reports late; a shorter one fills the screen of a room in which people
    /// come and go.
    static let crowdNewsInterval = Duration.seconds(30)
}
