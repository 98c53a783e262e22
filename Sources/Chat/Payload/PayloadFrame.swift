internal import Wire

/// The body of a payload frame, `hops u8 | S | sig`, with nothing proven yet (Protocol.md section 5).
struct PayloadFrame: ~Escapable {
    private let body: Span<UInt8>
    let header: PayloadHeader
    let type: PayloadType
    let id: MessageID

    @_lifetime(copy body)
    init(_ body: Span<UInt8>) throws(DropReason) {
        let least = 1 + PayloadHeader.byteCount + SignedPayload.signatureBytes
        guard body.count >= least else { throw .malformed }
        let signed = body.extracting(1..<body.count - SignedPayload.signatureBytes)
        let header: PayloadHeader
        do throws(PayloadError) { header = try PayloadHeader(signed) } catch { throw DropReason(error) }
        guard let type = PayloadType(rawValue: header.kind) else { throw .unknownKind }
        self.body = body
        self.header = header
        self.type = type
        id = MessageID(signed: signed)
    }

    /// The number of relays it passed, according to the last one.
    var hops: UInt8 { body[0] & ~SignedPayload.bridgedBit }

    /// True if it came over a bridge, according to the last relay.
    var isBridged: Bool { body[0] & SignedPayload.bridgedBit != 0 }

    var isSignatureValid: Bool {
        SignedPayload.isSignatureValid(in: body.extracting(1...), by: header.author)
    }

    /// Decodes the whole payload; until then only the header is read.
    func signedPayload() throws(DropReason) -> SignedPayload {
        let signed = body.extracting(1..<body.count - SignedPayload.signatureBytes)
        do throws(PayloadError) {
            let payload = try P2PPayload(header, signed, id)
            return SignedPayload(payload, bytes: [UInt8](copying: body.extracting(1...)))
        } catch {
            throw DropReason(error)
        }
    }
}
