package import Wire

/// Peers that have a mark, by their keys, in the order in which they got it. Of too many the oldest loses it.
package struct MarkedPeers: Hashable, Sendable {
    package private(set) var inOrder: [PeerID] = []
    private var members: Set<PeerID> = []
    private let capacity: Int

    package init(_ peers: [PeerID] = [], capacity: Int = Limits.markedPeers) {
        self.capacity = capacity
        for peer in peers { insert(peer) }
    }

    package var isEmpty: Bool { members.isEmpty }
    package var count: Int { members.count }

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

/// What a person has decided about keys and wants remembered for longer than a run.
package struct PeerMarks: Hashable, Sendable {
    /// Compared over another way (Protocol.md section 1).
    package var verified: MarkedPeers
    package var blocked: MarkedPeers

    package init(verified: MarkedPeers = MarkedPeers(), blocked: MarkedPeers = MarkedPeers()) {
        self.verified = verified
        self.blocked = blocked
    }
}
