import Chat
import Wire

/// Gathers the arrivals and departures of a crowd to a count (Protocol.md section 13).
struct CrowdFolding {
    private var movements = Movements()
    private var toldAt: Instant?
    private(set) var nextDeadline: Instant?

    /// Notes arrivals and departures: the first soon, later ones together.
    mutating func note(_ news: Movements, now: Instant) {
        guard !news.isEmpty else { return }
        movements.came += news.came
        movements.left += news.left
        guard nextDeadline == nil else { return }
        let soon = now + Limits.crowdNewsDelay
        nextDeadline = toldAt.map { max(soon, $0 + Limits.crowdNewsInterval) } ?? soon
    }

    /// The count that is due; nil if none is.
    mutating func take(now: Instant) -> Movements? {
        guard let nextDeadline, nextDeadline <= now else { return nil }
        defer { (movements, self.nextDeadline, toldAt) = (Movements(), nil, now) }
        return movements
    }

    mutating func end() { self = CrowdFolding() }
}
