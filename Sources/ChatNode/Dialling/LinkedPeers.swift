import Chat
import Noise
import Wire

/// Whom there is a link to, and how they are known again by what discovery says of them.
struct LinkedPeers {
    private struct Entry {
        let key: PublicKey
        let number: Int
        let since: Instant
    }

    private var entries = PackedTable<PeerID, Entry>()
    /// That of the latest link that was opened to somebody without one; they are counted from 1.
    private(set) var lastNumber = 0
    /// Whom our own handshakes have proven where. What others say about an address does not count.
    private var proven = RecentTable<Endpoint, PeerID>(capacity: Limits.knownPeers)

    func contains(_ peer: PeerID) -> Bool { entries[peer] != nil }

    /// - Parameter key: the Noise key of the run that the link is with.
    mutating func open(_ peer: PeerID, _ key: PublicKey, now: Instant) {
        guard entries[peer]?.key != key else { return }
        lastNumber += 1
        entries[peer] = Entry(key: key, number: lastNumber, since: now)
    }

    mutating func close(_ peer: PeerID) {
        entries[peer] = nil
    }

    mutating func prove(_ peer: PeerID, at endpoint: Endpoint) {
        proven.set(peer, for: endpoint)
    }

    /// Whom a handshake of ours has proven at this very endpoint, if there is a link to it now.
    func peer(at endpoint: Endpoint) -> PeerID? {
        guard let peer = proven[endpoint], contains(peer) else { return nil }
        return peer
    }

    /// Who has a link, and such names, of those whose number is above `number`: one hash for each of them.
    func owner(of name: InstanceName, above number: Int) -> PeerID? {
        guard number < lastNumber else { return nil }
        return entries.first { $0.value.number > number && name.belongs(to: $0.value.key) }?.key
    }

    /// Whether the link to `peer` is so young that the other side can not have lost it yet (Protocol.md section 3).
    func isYoung(_ peer: PeerID, now: Instant) -> Bool {
        entries[peer].map { now - $0.since < Limits.crossingTime } ?? false
    }
}
