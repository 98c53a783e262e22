import Chat
import Wire

/// The link by which each peer's newest presence came first: a sealed message for the peer goes back that way (Protocol.md
/// section 13).
///
/// Keyed by the first 8 bytes of a sealed message's address, because that is all that a relay sees of the target.
struct PresencePaths {
    private var links = PackedTable<UInt64, ConnectionID>()
    private let capacity: Int

    init(capacity: Int = Limits.knownPeers) {
        self.capacity = capacity
    }

    var count: Int { links.count }

    /// - Parameter address: 16 bytes or more, the first of a sealed message.
    static func key(_ address: some Collection<UInt8>) -> UInt64 {
        address.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func key(of peer: PeerID) -> UInt64 { key(SealedMessage.address(of: peer)) }

    /// The link that leads to a target; it may have ended. Nil if none is known.
    subscript(key: UInt64) -> ConnectionID? { links[key] }

    /// Records the link by which a peer's newest presence, or a sealed message of its, came.
    mutating func record(_ peer: PeerID, by link: ConnectionID) {
        let key = PresencePaths.key(of: peer)
        guard links.count < capacity || links[key] != nil else { return }
        links[key] = link
    }

    mutating func forget(_ peer: PeerID) { links[PresencePaths.key(of: peer)] = nil }
}
