import Chat
import Noise
import Wire

/// The place of one connection in the node: its link, with what the node knows about it.
final class Connection {
    /// The count of `ConnectionLimiter` that the connection belongs to.
    enum Standing {
        /// We dialled it, and its handshake is under way.
        case dialled
        case halfOpen
        case link(Link.Role)
    }

    let id: ConnectionID
    let endpoint: Endpoint
    /// Its host, as admission counts it.
    let source: LinkSource
    var link: Link
    var standing: Standing
    /// The peer's. Set once the handshake is through and the peer is welcome.
    var certificate: Certificate?
    /// When the handshake was through; the beginning of the connection until then.
    var establishedAt: Instant
    /// It leads to another session of our own identity.
    var isOurselves = false
    /// Our certificate when the connection began; another may be ours when the handshake is through.
    let ours: Certificate
    /// The peer has said something on it.
    var isHeard = false
    /// Nothing more is sent on it: a better link to the same peer took over. It is read until the peer says so too.
    var isRetiring = false
    /// The peer sends nothing more on it.
    var peerRetired = false
    /// The transport ends it once all bytes are sent.
    var isFinishing = false
    var isDirty = false
    /// It is in no table any more: nothing of it is read or written.
    var isForgotten = false
    /// Since when its queue holds a fast sender up.
    var fullSince: Instant?
    /// The owners of the certificates that were sent on it, by the first words of their keys: each link may have one for each
    /// peer of a crowd.
    var certificatesSent: Set<UInt64> = []
    /// Frames that are looked at though they are about others: certificates and sealed messages.
    var relayed: TokenBucket
    /// As `relayed`, in a crowd: a certificate comes behind each author's presence.
    var relayedInCrowd: TokenBucket
    /// As `relayed`, from a bridge.
    lazy var bridged = TokenBucket(
        Rate(perSecond: Limits.treeFramesPerSecond, burst: Limits.treeFramesBurst), now: establishedAt)
    /// Frames that tell the peer's clock.
    var clocks: TokenBucket
    /// Certificates that are passed on because they are better than the ones that were known.
    var betterCertificates: TokenBucket
    /// The first bytes of a sealed message for its peer; read once there is a peer.
    lazy var sealedAddress = peer.map(SealedMessage.address(of:))
    /// When the node looks at its deadlines next.
    var time = TimerToken()

    init(id: ConnectionID, endpoint: Endpoint, link: consuming Link, ours: Certificate, now: Instant) {
        self.id = id
        self.endpoint = endpoint
        source = LinkSource(endpoint.sourceNumber)
        self.ours = ours
        relayed = TokenBucket(
            Rate(perSecond: Limits.relayedFramesPerSecond, burst: Limits.relayedFramesBurst), now: now)
        relayedInCrowd = TokenBucket(
            Rate(perSecond: Limits.treeFramesPerSecond, burst: Limits.treeFramesBurst), now: now)
        clocks = TokenBucket(Rate(perSecond: Limits.clocksPerSecond, burst: Limits.clocksBurst), now: now)
        betterCertificates = TokenBucket(
            Rate(perSecond: Limits.betterCertificatesPerMinute / 60, burst: Limits.betterCertificatesBurst), now: now)
        standing = link.role == .initiator ? .dialled : .halfOpen
        self.link = link
        establishedAt = now
    }

    var peer: PeerID? { certificate?.identity }

    /// The peer that dialled: it breaks the tie between two links of one pair (Protocol.md section 3).
    func initiator(me: PeerID) -> PeerID? {
        switch link.role {
        case .initiator: me
        case .responder: peer
        }
    }
}
