import Chat
import Wire

/// Broken promises of neighbours: a payload that was announced, asked for and not given (Protocol.md section 13).
struct Strikes: Sendable {
    private struct Record: Sendable {
        var count: Int
        let since: Instant
    }

    private var records = RecentTable<PeerID, Record>(capacity: Limits.struckPeers)

    /// True if a peer has a strike: no tree is grafted there.
    func has(_ peer: PeerID, now: Instant) -> Bool { current(peer, now) != nil }

    /// Counts a strike.
    ///
    /// - Returns: true if it is the one at which the link ends.
    mutating func record(_ peer: PeerID, now: Instant) -> Bool {
        var record = current(peer, now) ?? Record(count: 0, since: now)
        record.count += 1
        records.set(record, for: peer)
        return record.count >= Limits.strikes
    }

    private func current(_ peer: PeerID, _ now: Instant) -> Record? {
        records[peer].flatMap { now < $0.since + Limits.strikeMemory ? $0 : nil }
    }
}

extension Limits {
    /// Neighbours, and sources, with strikes that are remembered; the oldest goes. More cost memory; with fewer, an
    /// attacker with many keys makes a node forget its strikes.
    static let struckPeers = 4_096
    /// Broken promises at which a link ends. With more, a liar delays payloads for longer; with fewer, an honest
    /// neighbour that was busy once loses its link.
    static let strikes = 3
    /// How long a strike counts, and how long the source of such a link is not dialled. A longer one punishes chance;
    /// with a shorter one, a careful liar never reaches `strikes`.
    static let strikeMemory = Duration.seconds(600)
}
