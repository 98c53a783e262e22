package import Wire

/// Peers with a mark, in the order in which they got it. Above the capacity the oldest mark is removed.
///
/// A set with an array because the set is looked up for every message, and storage needs the order.
package struct MarkedPeers: Hashable, Sendable {
    package private(set) var inOrder: [PeerID] = []
    private var members: Set<PeerID> = []
    private let capacity: Int

    package init(_ peers: [PeerID] = [], capacity: Int = Limits.markedPeers) {
        self.capacity = capacity
        for peer in peers { insert(peer) }
    }

    package var isEmpty: Bool { members.isEmpty }

    package func contains(_ peer: PeerID) -> Bool { members.contains(peer) }

    package mutating func insert(_ peer: PeerID) {
        guard members.insert(peer).inserted else { return }
        inOrder.append(peer)
        if inOrder.count > capacity { members.remove(inOrder.removeFirst()) }
    }

    package mutating func remove(_ peer: PeerID) {
        guard members.remove(peer) != nil else { return }
        inOrder.removeAll { $0 == peer }
    }
}

/// The user's marks of keys, which are kept for later runs.
package struct PeerMarks: Hashable, Sendable {
    /// Compared over another channel (Protocol.md section 1).
    package var verified: MarkedPeers
    package var blocked: MarkedPeers

    package init(verified: MarkedPeers = MarkedPeers(), blocked: MarkedPeers = MarkedPeers()) {
        self.verified = verified
        self.blocked = blocked
    }
}
