package import Noise
package import Wire

/// The proof of a payload's author (Protocol.md section 7).
package enum Provenance: Hashable, Sendable {
    /// Signed by this node.
    case own
    /// Received over its author's own session, which authenticates it; the signature of one for the room is not checked yet, and
    /// the MAC of one for us is.
    case direct(PeerID)
    /// The signature is checked; `via` is the neighbour that it came from.
    case signed(via: PeerID)
    /// As `signed`, and it came over a bridge, which `via` may be.
    case bridged(via: PeerID)
    /// Sealed for this node by its author, with its MAC checked; `via` is the neighbour that it came from.
    case sealed(via: PeerID)
}

/// The only payload that may be routed, shown or relayed (Protocol.md section 7).
///
/// Each initializer demands its own proof.
package struct VerifiedPayload: Hashable, Sendable {
    package let signed: SignedPayload
    package let provenance: Provenance

    /// Signs an own payload; one for a single peer is encoded. `sequence` counts from 1 within the epoch; texts and nicknames are composed.
    package init(
        signing body: PayloadBody, by identity: borrowing Identity, in room: RoomID, epoch: UInt64, sequence: UInt64,
        timestamp: Timestamp
    ) {
        signed = SignedPayload(
            body, by: identity, in: room, epoch: epoch, sequence: sequence, timestamp: timestamp)
        provenance = .own
    }

    /// A public payload from its author's own link, with its signature unchecked; nil if the link has another identity.
    init?(_ signed: SignedPayload, onLinkOf peer: PeerID) {
        guard signed.payload.author == peer, !signed.payload.isDirect else { return nil }
        self.signed = signed
        provenance = .direct(peer)
    }

    /// A payload from any link, proven by its signature; nil if that is false.
    init?(checking signed: SignedPayload, via link: PeerID) {
        guard !signed.payload.isDirect, signed.isSignatureValid else { return nil }
        self.signed = signed
        provenance = .signed(via: link)
    }

    /// A payload from a frame, whose signature is checked before its body is decoded.
    ///
    /// - Throws: `.badSignature`, or the fault of the body.
    init(checking frame: borrowing PayloadFrame, via link: PeerID) throws(DropReason) {
        guard frame.isSignatureValid else { throw .badSignature }
        signed = try frame.signedPayload()
        provenance = frame.isBridged ? .bridged(via: link) : .signed(via: link)
    }

    /// A payload for us alone, proven by its MAC, which only its author and we can make.
    ///
    /// - Parameters:
    ///   - key: of the author's certificate and ours; nil if there is none.
    ///   - neighbour: the one that a sealed payload came from; nil if it came over its author's own link.
    /// - Throws: `.falseMAC`, or the fault of the body.
    init(
        authenticating frame: borrowing PayloadFrame, under key: DirectKey?, sealedVia neighbour: PeerID? = nil
    ) throws(DropReason) {
        guard let key, frame.isAuthentic(under: key) else { throw .falseMAC }
        signed = try frame.signedPayload()
        provenance = neighbour.map { .sealed(via: $0) } ?? .direct(signed.payload.author)
    }

    /// This payload with its signature checked; own payloads and checked ones are returned as they are.
    ///
    /// - Throws: `.badSignature`.
    func checkingSignature() throws(DropReason) -> VerifiedPayload {
        switch provenance {
        case .own, .signed, .bridged, .sealed: return self
        case .direct where payload.isDirect: return self
        case .direct(let author):
            guard let checked = VerifiedPayload(checking: signed, via: author) else { throw .badSignature }
            return checked
        }
    }

    package var payload: P2PPayload { signed.payload }
    package var type: PayloadType { signed.payload.type }
    package var author: PeerID { signed.payload.author }
    package var id: MessageID { signed.payload.messageId }

    /// The neighbour that it came from; nil for an own payload.
    var neighbour: PeerID? {
        switch provenance {
        case .own: nil
        case .direct(let author): author
        case .signed(let via), .bridged(let via), .sealed(let via): via
        }
    }

    /// True if it came over a bridge.
    package var isBridged: Bool {
        switch provenance {
        case .bridged: true
        case .own, .direct, .signed, .sealed: false
        }
    }

    /// The whole frame for another peer; it says whether the payload came over a bridge.
    package func frame(hops: UInt8) -> [UInt8] { signed.frame(hops: hops, isBridged: isBridged) }
}

/// The result of a signature check that was put off (Protocol.md section 7).
package enum SignatureCheck {
    case valid(VerifiedPayload)
    /// The payload is not kept.
    case absent
    /// The signature is false: its author, which sent it on its own link, is to be banned. The payload is not given to
    /// others.
    case forged(by: PeerID)
}
