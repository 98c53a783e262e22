package import Wire

/// How it is known that a payload is its author's (Protocol.md section 7).
package enum Provenance: Hashable, Sendable {
    /// Ours.
    case own
    /// It came over its author's own session, which authenticates it; the signature is not checked yet.
    case direct(PeerID)
    /// The signature was checked; `via` is the neighbour that it came from.
    case signed(via: PeerID)
}

/// The only payload that may be routed, shown or relayed (Protocol.md section 7).
package struct VerifiedPayload: Hashable, Sendable {
    package let signed: SignedPayload
    package let provenance: Provenance

    package var payload: P2PPayload { signed.payload }

    /// True if it came over its author's own link: what a direct conversation demands (Protocol.md section 8).
    package var isFromAuthorsLink: Bool {
        switch provenance {
        case .own: true
        case .direct: true
        case .signed(let via): via == payload.author
        }
    }
}
