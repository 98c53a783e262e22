import Noise
package import Wire

/// The body of a frame with a payload, with nothing proven yet (Protocol.md section 5): `hops u8 | S | sig`, or of one for us alone
/// `serials[2] | S | mac`.
///
/// Parsed once, where the frame comes in.
package struct PayloadFrame: ~Escapable {
    package let body: Span<UInt8>
    let header: PayloadHeader
    package let type: PayloadType
    package let id: MessageID
    /// S in the body.
    private let signed: Range<Int>

    /// The body of a frame 1, whose payload is for the room.
    ///
    /// - Throws: `.malformed`, `.unknownKind`, or `.misdirected` for a payload that is for one peer.
    @_lifetime(copy body)
    package init(_ body: Span<UInt8>) throws(DropReason) {
        try self.init(body, from: 1, proof: SignedPayload.signatureBytes, isDirect: false)
    }

    /// The body of a frame 16, whose payload is for one peer.
    ///
    /// - Throws: `.malformed`, `.unknownKind`, or `.misdirected` for a payload that is for the room.
    @_lifetime(copy body)
    package init(direct body: Span<UInt8>) throws(DropReason) {
        try self.init(body, from: SignedPayload.serialBytes, proof: DirectKey.macBytes, isDirect: true)
    }

    @_lifetime(copy body)
    private init(_ body: Span<UInt8>, from start: Int, proof: Int, isDirect: Bool) throws(DropReason) {
        guard body.count >= start + PayloadHeader.byteCount + proof else { throw .malformed }
        let bytes = body.extracting(start..<body.count - proof)
        let header: PayloadHeader
        do throws(PayloadError) { header = try PayloadHeader(bytes) } catch { throw DropReason(error) }
        guard let type = PayloadType(rawValue: header.kind) else { throw .unknownKind }
        guard header.isDirect == isDirect else { throw .misdirected }
        self.body = body
        self.header = header
        self.type = type
        signed = start..<body.count - proof
        id = MessageID(signed: bytes)
    }

    /// The id of the signed bytes in the body of a frame 1 that need not be valid; nil if it is too short.
    package static func id(of body: Span<UInt8>) -> MessageID? {
        guard body.count > 1 + SignedPayload.signatureBytes else { return nil }
        return MessageID(signed: body.extracting(1..<body.count - SignedPayload.signatureBytes))
    }

    /// The author that the frame claims.
    package var author: PeerID { header.author }

    /// The time that the frame claims.
    package var timestamp: Timestamp { header.timestamp }

    /// The epoch and number that the frame claims.
    package var authorClock: AuthorClock { AuthorClock(epoch: header.epoch, sequence: header.sequence) }

    /// Whether the payload is for one peer.
    package var isDirect: Bool { header.isDirect }

    /// The number of relays it passed, according to the last one; 0 for a payload for one peer, which no relay can read.
    package var hops: UInt8 { isDirect ? 0 : body[0] & ~SignedPayload.bridgedBit }

    /// True if it came over a bridge, according to the last relay.
    package var isBridged: Bool { !isDirect && body[0] & SignedPayload.bridgedBit != 0 }

    /// The last bytes of the serials of the certificates that the key of a direct payload is of.
    package var serials: (author: UInt8, target: UInt8) { (body[0], body[1]) }

    /// True for a presence that claims that its author is in a crowd.
    package var isPresenceOfCrowd: Bool {
        // The part about bridges is the last byte.
        let bridging = Bridging(encoded: body[signed.upperBound - 1])
        return type == .presence && bridging?.isInCrowd == true
    }

    /// True if its author sends the payload again until its target acknowledges it.
    var isSentAgain: Bool { isDirect && type.isSentAgain }

    /// True for a public payload that late joiners get, and that the trees of a large room carry.
    package var isHistory: Bool { !isDirect && type.isHistory }

    var isSignatureValid: Bool {
        !isDirect && SignedPayload.isSignatureValid(in: body.extracting(1...), by: header.author)
    }

    /// Whether the MAC of a payload for one peer is one under this key.
    func isAuthentic(under key: DirectKey) -> Bool {
        isDirect && key.isMAC(body.extracting(signed.upperBound...), of: body.extracting(signed))
    }

    /// Decodes the whole payload; until then only the header is read.
    func signedPayload() throws(DropReason) -> SignedPayload {
        do throws(PayloadError) {
            let payload = try P2PPayload(header, body.extracting(signed), id)
            let kept = isDirect ? signed : 1..<body.count
            return SignedPayload(payload, bytes: [UInt8](copying: body.extracting(kept)))
        } catch {
            throw DropReason(error)
        }
    }
}
