import Chat
import Wire

/// The peers whose last link fell silent, until there is a link to them again.
struct MissedPeers {
    /// More that are missed at once make no difference.
    private static let capacity = 64

    private var peers: [PeerID] = []

    mutating func fellSilent(_ peer: PeerID) {
        peers.removeAll { $0 == peer }
        if peers.count >= Self.capacity { peers.removeFirst() }
        peers.append(peer)
    }

    /// There is a link to a peer, or it has left.
    ///
    /// - Returns: whether it was the last that was missed.
    mutating func found(_ peer: PeerID) -> Bool {
        guard let index = peers.firstIndex(of: peer) else { return false }
        peers.remove(at: index)
        return peers.isEmpty
    }
}
