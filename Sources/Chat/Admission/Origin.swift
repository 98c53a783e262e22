package import Noise
package import Wire

/// The way on which a payload came to this node, which decides what the payload has to prove (Protocol.md section 7).
package enum Origin: Sendable {
    /// Unasked, on a link.
    case live(LiveLink)
    /// For us alone, on its author's link. The key is that of the certificates which the payload names; nil if they are none of that
    /// link and of ours.
    case direct(LiveLink, DirectKey?)
    /// From a neighbour that was asked for it with `want`.
    case history(from: PeerID)
    /// In a neighbour's answer to our digests (Protocol.md section 13).
    ///
    /// `isKept`: whether this node keeps the presence, or a newer one. A presence that is known alone, because it came before the
    /// room was a crowd, is admitted again.
    case roster(from: PeerID, isKept: Bool, bridge: BridgeStanding)
    /// Sealed for us by its author, whose certificate came with it, and passed on by a neighbour (Protocol.md section 8). The key is
    /// that of the certificate and one of ours.
    case sealed(from: PeerID, by: Certificate, DirectKey?)
    /// From another network, over this node's own bridge, which `bridge` stands for.
    case broker(bridge: PeerID, isHistory: Bool)

    /// True if the frame is one for us alone.
    var isDirect: Bool {
        switch self {
        case .direct, .sealed: true
        case .live, .history, .roster, .broker: false
        }
    }

    /// True if the payload came in a frame of its own, which the neighbour could read.
    var isUnsealed: Bool {
        switch self {
        case .live, .direct, .history, .roster, .broker: true
        case .sealed: false
        }
    }
}

/// The link that a payload came on unasked.
package struct LiveLink: Sendable {
    /// The identity that the handshake proved.
    let peer: PeerID
    /// The epoch of that identity's certificate.
    let epoch: UInt64
    /// The host of the link.
    let source: LinkSource
    /// Decides the rates of what the link relays.
    let kind: RelayLink
    /// How far the bit of a bridge counts: its sender sets it.
    let bridge: BridgeStanding
    /// True in overlay mode: a message from its author's own link is judged by its time too, as the nodes do that it goes on to.
    let judgesAge: Bool

    /// - Parameters:
    ///   - source: nil for a source of its own.
    ///   - kind: not `.bridge`, which follows from `bridge`.
    package init(
        to peer: PeerID, epoch: UInt64, source: LinkSource? = nil, kind: RelayLink = .mesh,
        bridge: BridgeStanding = .unknown, judgesAge: Bool = false
    ) {
        (self.peer, self.epoch, self.source) = (peer, epoch, source ?? LinkSource(of: peer))
        (self.kind, self.bridge, self.judgesAge) = (kind, bridge, judgesAge)
    }
}
