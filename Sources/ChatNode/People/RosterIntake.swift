import Chat
import Wire

/// How many people that this node never heard of the answers to its digests bring: of each source no more than a plausible room
/// has, and of all together a few times as many (Protocol.md section 13).
struct RosterIntake {
    /// A count that falls by a full share within the time for which a presence holds, and by all of it if that is more.
    private struct Count: Sendable {
        var value = 0.0
        var at: Instant

        mutating func count(most: Double, now: Instant) -> Bool {
            let elapsed = Double((now - at).nanoseconds) / Double(Limits.presenceLifetime.nanoseconds)
            (value, at) = (max(0, value - max(most, value) * max(0, elapsed)), now)
            guard value + 1 <= most else { return false }
            value += 1
            return true
        }
    }

    private var sources = RecentTable<LinkSource, Count>(capacity: Limits.knownPeers)
    private var all: Count?

    /// Counts an unknown author in an answer; false above the bound of its source, or of all.
    ///
    /// - Parameter size: how many nodes the room plausibly has.
    mutating func admit(from source: LinkSource, size: Int, now: Instant) -> Bool {
        let most = max(Double(Limits.plausibleRoom), Double(size) * 1.25)
        let isCounted = sources.update(source, orNew: { Count(at: now) }) { $0.count(most: most, now: now) }
        var all = all ?? Count(at: now)
        defer { self.all = all }
        return isCounted && all.count(most: most * Double(Limits.plausibleSources), now: now)
    }
}

extension Limits {
    /// Unknown authors that answers of one source may bring within `presenceLifetime`, at least: twice a small room.
    /// More let a liar invent a larger crowd; with fewer, a room that became a crowd is listed late.
    static let plausibleRoom = 64
    /// How many times as many those of all sources may bring. A larger number lets several liars invent more; with a
    /// smaller one, the first answers leave no room for the others.
    static let plausibleSources = 4
}
