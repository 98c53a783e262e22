import Chat
import Noise
import Wire

/// A connection as the parts see it: they read it, and change it by effects alone.
struct LinkInfo {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    var id: ConnectionID { connection.id }
    var endpoint: Endpoint { connection.endpoint }
    /// The peer's host, as the limits per host count it.
    var source: LinkSource { connection.source }
    var role: Link.Role { connection.link.role }
    /// Nil before the handshake is complete and the link is admitted.
    var peer: PeerID? { connection.peer }
    /// The peer's; nil as long as `peer` is nil.
    var certificate: Certificate? { connection.certificate }
    var establishedAt: Instant { connection.establishedAt }
    /// No frame of our own is sent on it any more.
    var isRetiring: Bool { connection.isRetiring }
    /// It has ended.
    var isForgotten: Bool { connection.isForgotten }
    /// The peer has sent a payload on it.
    var isHeard: Bool { connection.isHeard }
    /// The sealed bytes that wait for the network.
    var queuedBytes: Int { connection.link.outbox.count }
    /// The queue is half full: it has no room for what the peer can do without.
    var isBusy: Bool { queuedBytes >= Outbox.capacity / 2 }
    /// The network did not take all bytes of the last write.
    var isHeldUp: Bool { connection.link.outbox.isHeldUp }
    /// The last measured round trip; nil before the first.
    var roundTrip: Duration? { connection.link.roundTrip }
    /// When the last record came.
    var lastReceived: Instant { connection.link.lastReceived }
    /// Where the peer is, as a witness of the size of the room.
    var witness: LinkSource { LinkSource(endpoint.witnessNumber) }
    /// The first bytes of a sealed message for its peer; nil as long as `peer` is nil.
    var sealedAddress: [UInt8]? { connection.sealedAddress }
}

extension Connections {
    /// The link of each peer that frames are sent on, in the order in which the connections began.
    var active: some RandomAccessCollection<LinkInfo> { activeLinks.lazy.map(LinkInfo.init) }

    /// The connection with an id; nil if it has ended.
    func info(_ id: ConnectionID) -> LinkInfo? { self[id].map(LinkInfo.init) }

    /// The link that frames for a peer are sent on; nil without one.
    func info(of peer: PeerID) -> LinkInfo? { sendingLink(of: peer).map(LinkInfo.init) }

    /// All links of a peer, those that are retiring too.
    func allInfo(of peer: PeerID) -> [LinkInfo] { links(of: peer).map(LinkInfo.init) }

    /// Whether a peer has a link.
    func hasLink(to peer: PeerID) -> Bool { !links(of: peer).isEmpty }
}
