package import Noise
package import Wire

/// How it is known that a payload is its author's (Protocol.md section 7).
package enum Provenance: Hashable, Sendable {
    /// Ours.
    case own
    /// It came over its author's own session, which authenticates it; the signature is not checked yet.
    case direct(PeerID)
    /// The signature was checked; `via` is the neighbour that it came from.
    case signed(via: PeerID)
    /// Its author sealed it for us, and the signature was checked; `via` is the neighbour that it came from.
    case sealed(via: PeerID)
}

/// The only payload that may be routed, shown or relayed (Protocol.md section 7).
///
/// Each way to make one carries its own proof; there is no other.
package struct VerifiedPayload: Hashable, Sendable {
    package let signed: SignedPayload
    package let provenance: Provenance

    /// Signs what we say ourselves. `sequence` counts from 1 within the epoch; texts and nicknames are composed.
    package init(
        signing body: PayloadBody, by identity: borrowing Identity, in room: RoomID, epoch: UInt64, sequence: UInt64,
        timestamp: Timestamp
    ) {
        signed = SignedPayload(
            body, by: identity, in: room, epoch: epoch, sequence: sequence, timestamp: timestamp)
        provenance = .own
    }

    /// From its author's own link, with the signature unchecked; nil if the link's proven identity is another.
    init?(_ signed: SignedPayload, onLinkOf peer: PeerID) {
        guard signed.payload.author == peer else { return nil }
        self.signed = signed
        provenance = .direct(peer)
    }

    /// From anybody's link, by its signature; nil if that does not hold.
    init?(checking signed: SignedPayload, via link: PeerID) {
        guard signed.isSignatureValid else { return nil }
        self.signed = signed
        provenance = .signed(via: link)
    }

    /// The same from a frame, whose signature is checked before anything that it says is read.
    ///
    /// - Throws: `.badSignature`, or what is wrong with the words.
    init(checking frame: borrowing PayloadFrame, via link: PeerID) throws(DropReason) {
        guard frame.isSignatureValid else { throw .badSignature }
        signed = try frame.signedPayload()
        provenance = .signed(via: link)
    }

    /// From what its author sealed for us. The caller has opened it.
    ///
    /// - Throws: `.badSignature`, or what is wrong with the words.
    init(opening frame: borrowing PayloadFrame, via link: PeerID) throws(DropReason) {
        guard frame.isSignatureValid else { throw .badSignature }
        signed = try frame.signedPayload()
        provenance = .sealed(via: link)
    }

    /// The same payload with its signature checked; what was checked before, or is ours, stays as it is.
    ///
    /// - Throws: `.badSignature`.
    func checkingSignature() throws(DropReason) -> VerifiedPayload {
        switch provenance {
        case .own, .signed, .sealed: return self
        case .direct(let author):
            guard let checked = VerifiedPayload(checking: signed, via: author) else { throw .badSignature }
            return checked
        }
    }

    package var payload: P2PPayload { signed.payload }
    package var type: PayloadType { signed.payload.type }
    package var author: PeerID { signed.payload.author }
    package var id: MessageID { signed.payload.messageId }

    /// True if it came from its author to us and nobody else, over the author's own link or sealed: what a direct
    /// conversation demands (Protocol.md section 8).
    package var isFirstHand: Bool {
        switch provenance {
        case .own, .direct, .sealed: true
        case .signed(let via): via == payload.author
        }
    }
}

/// What comes of looking at a signature when it is needed (Protocol.md section 7).
package enum SignatureCheck {
    case valid(VerifiedPayload)
    /// It is not kept.
    case absent
    /// Who sent it on its own link is to be convicted; it is not kept any more.
    case forged(by: PeerID)
}
