package import Wire

/// The neighbours over which peers without a link can be reached: those that passed on their certificates (Protocol.md
/// section 8).
package struct RelayPaths: Sendable {
    private var neighbours: [PeerID: [PeerID]] = [:]
    private let capacity: Int

    init(capacity: Int = Limits.knownPeers) {
        self.capacity = capacity
    }

    package var count: Int { neighbours.count }

    /// The neighbours that lead to a peer, the latest last.
    package subscript(peer: PeerID) -> [PeerID] { neighbours[peer] ?? [] }

    /// Notes that a neighbour leads to a peer, unless the table is full of other peers.
    package mutating func record(_ peer: PeerID, via neighbour: PeerID) {
        guard neighbours[peer] != nil || neighbours.count < capacity else { return }
        let others = self[peer].filter { $0 != neighbour }
        neighbours[peer] = others.suffix(Limits.sealedCopies - 1) + [neighbour]
    }

    /// Removes the paths to the peers for which `isLost` is true.
    package mutating func lose(_ isLost: (PeerID) -> Bool) {
        neighbours = neighbours.filter { !isLost($0.key) }
    }

    /// Removes a neighbour that has no link any more.
    package mutating func lose(_ neighbour: PeerID) {
        neighbours = neighbours.compactMapValues { all in
            let rest = all.filter { $0 != neighbour }
            return rest.isEmpty ? nil : rest
        }
    }
}

extension Limits {
    /// Neighbours that a sealed message is sent to. More cost each relay traffic; with fewer, one relay that fails or
    /// drops it loses the message until the next try.
    static let sealedCopies = 4
}
