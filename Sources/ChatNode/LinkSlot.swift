import Noise
import Wire

/// The place of one connection in the node: its link, with what the node knows about it.
final class LinkSlot {
    /// What the connection counts as in `HandshakeGate`.
    enum Standing {
        /// We dialled it, and its handshake is under way.
        case dialled
        case halfOpen
        case link
    }

    let id: ConnectionID
    let endpoint: Endpoint
    var link: Link
    var standing: Standing
    /// Set once the handshake is through and the peer is welcome.
    var certificate: Certificate?
    /// The peer has said something on it.
    var isHeard = false
    /// Nothing more is sent on it: a better link to the same peer took over. It is read until the peer says so too.
    var isRetiring = false
    /// The peer sends nothing more on it.
    var peerRetired = false
    /// The network was told to end it once all is sent.
    var isFinishing = false
    var isDirty = false
    /// Since when its queue holds a fast sender up.
    var fullSince: Instant?
    /// Whose certificates were sent on it.
    var vouched: Set<PeerID> = []
    /// When the node looks at its deadlines next.
    var wakeAt: Instant?

    init(id: ConnectionID, endpoint: Endpoint, link: consuming Link) {
        self.id = id
        self.endpoint = endpoint
        standing = link.role == .initiator ? .dialled : .halfOpen
        self.link = link
    }

    var peer: PeerID? { certificate?.identity }

    /// Who dialled: the tie between two links of the same peers is broken by it (Protocol.md section 3).
    func initiator(me: PeerID) -> PeerID? {
        switch link.role {
        case .initiator: me
        case .responder: peer
        }
    }
}
