import Chat
import Noise
import Wire

/// The linked peers, and the names and addresses by which discovery's reports about them are recognised.
struct LinkedPeers {
    private struct Entry {
        let key: PublicKey
        let number: Int
        let since: Instant
    }

    private var entries = PackedTable<PeerID, Entry>()
    /// The number of the latest link to a peer that had none; counted from 1.
    private(set) var lastNumber = 0
    /// The peers that our own handshakes have proven, by address. Claims of others about an address do not count.
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

    /// The peer that a handshake of ours has proven at this endpoint, if it is linked now.
    func peer(at endpoint: Endpoint) -> PeerID? {
        guard let peer = proven[endpoint], contains(peer) else { return nil }
        return peer
    }

    /// The linked peer with this name, of those whose number is above `number`: one hash for each of them.
    func owner(of name: InstanceName, above number: Int) -> PeerID? {
        guard number < lastNumber else { return nil }
        return entries.first { $0.value.number > number && name.belongs(to: $0.value.key) }?.key
    }

    /// Whether the link to `peer` is so young that the other side can not have lost it yet (Protocol.md section 3).
    func isYoung(_ peer: PeerID, now: Instant) -> Bool {
        entries[peer].map { now - $0.since < Limits.crossingTime } ?? false
    }
}
