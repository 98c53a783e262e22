import Chat
import Wire

/// Payloads of the room that were refused for their time alone: they are asked for again once the clock that they were judged by has
/// moved, or their time has come (Protocol.md section 7).
struct UntimelyRefusals {
    private struct Entry {
        let id: UInt64
        /// Neighbours that have it.
        var peers: [PeerID]
        /// When its time has come; nil for one that is too old.
        let opensAt: Instant?
    }

    /// In the order of their refusals.
    private var entries: [Entry] = []

    /// A later time than this is no wrong clock that a node waits for.
    private static let longest = Duration.seconds(3_600)
    private static let mostPeers = 4

    var count: Int { entries.count }

    /// When `takeDue` has something; nil for never.
    var nextDeadline: Instant? { entries.lazy.compactMap(\.opensAt).min() }

    func contains(_ id: UInt64) -> Bool { entries.contains { $0.id == id } }

    /// Records a refused payload.
    ///
    /// - Parameter wait: until its time has come; nil for one that is too old.
    mutating func refuse(_ id: UInt64, from peer: PeerID, wait: Duration?, now: Instant) {
        guard !contains(id) else { return recordListing(of: [id], by: peer) }
        if entries.count >= Limits.offeredPayloads {
            // A neighbour that sends many displaces its own.
            entries.remove(at: entries.firstIndex { $0.peers == [peer] } ?? 0)
        }
        let opensAt = wait.flatMap { $0 <= UntimelyRefusals.longest ? now + $0 : nil }
        entries.append(Entry(id: id, peers: [peer], opensAt: opensAt))
    }

    /// Records that a neighbour listed refused payloads among others.
    mutating func recordListing(of ids: [UInt64], by peer: PeerID) {
        guard !entries.isEmpty else { return }
        let listed = Set(ids)
        for index in entries.indices where listed.contains(entries[index].id) && !entries[index].peers.contains(peer) {
            if entries[index].peers.count == UntimelyRefusals.mostPeers { entries[index].peers.removeFirst() }
            entries[index].peers.append(peer)
        }
    }

    /// The last link to a peer closed.
    mutating func closed(to peer: PeerID) {
        for index in entries.indices { entries[index].peers.removeAll { $0 == peer } }
        entries.removeAll { $0.peers.isEmpty }
    }

    /// Removes and returns those whose time has come, with the neighbours to ask.
    mutating func takeDue(now: Instant) -> [(id: UInt64, peers: [PeerID])] {
        takeRefusals { $0.opensAt.map { $0 <= now } ?? false }
    }

    /// Removes and returns all, because the clock has moved.
    mutating func takeAll() -> [(id: UInt64, peers: [PeerID])] { takeRefusals { _ in true } }

    private mutating func takeRefusals(where isOpen: (Entry) -> Bool) -> [(id: UInt64, peers: [PeerID])] {
        let open = entries.filter(isOpen)
        if !open.isEmpty { entries.removeAll(where: isOpen) }
        return open.map { ($0.id, $0.peers) }
    }
}
