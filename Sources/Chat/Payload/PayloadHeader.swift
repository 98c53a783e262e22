internal import Wire

/// The fixed part of S: everything but the body (Protocol.md section 6).
struct PayloadHeader {
    /// Room, author, epoch, sequence, time, kind, length of the body.
    static let byteCount = RoomID.byteCount + PeerID.byteCount + 3 * 8 + 1 + 2

    let room: RoomID
    let author: PeerID
    let epoch: UInt64
    let sequence: UInt64
    let timestamp: Timestamp
    let kind: UInt8
    /// Whether the payload is for one peer: in that case S has no signature, and a number of that peer's own.
    let isDirect: Bool

    /// Reads the header of S, which must hold exactly its body.
    init(_ signed: Span<UInt8>) throws(PayloadError) {
        var reader = ByteReader(signed)
        let bodyLength: Int
        do throws(TruncatedInput) {
            room = try RoomID(from: &reader)
            author = try reader.readPeerID()
            epoch = try reader.readUInt64()
            sequence = try reader.readUInt64()
            timestamp = Timestamp(milliseconds: try reader.readUInt64())
            kind = try reader.readUInt8()
            bodyLength = Int(try reader.readUInt16())
        } catch {
            throw .malformed
        }
        guard reader.remaining == bodyLength else { throw .malformed }
        isDirect = PayloadHeader.isDirect(kind, signed.extracting(PayloadHeader.byteCount...))
    }

    /// Whether a body that need not be valid is for one peer: that of kinds 3 to 6 says so in its first 32 bytes, which are zeros for
    /// the room.
    private static func isDirect(_ kind: UInt8, _ body: Span<UInt8>) -> Bool {
        guard let type = PayloadType(rawValue: kind) else { return false }
        switch type {
        case .publicMessage, .presence, .card: return false
        case .typing, .edit, .delete, .reaction:
            return body.extracting(first: PeerID.byteCount).indices.contains { body[$0] != 0 }
        case .dmRequest, .dmAccept, .dmDecline, .dmLeave, .directMessage, .delivered, .read, .invitation: return true
        }
    }

    init(
        room: RoomID, author: PeerID, epoch: UInt64, sequence: UInt64, timestamp: Timestamp, kind: UInt8,
        isDirect: Bool = false
    ) {
        self.room = room
        self.author = author
        self.epoch = epoch
        self.sequence = sequence
        self.timestamp = timestamp
        self.kind = kind
        self.isDirect = isDirect
    }

    /// S: this header and a body of at most 65,535 bytes.
    func encoded(with body: [UInt8]) -> [UInt8] {
        precondition(body.count <= UInt16.max, "a payload's body of \(body.count) bytes was composed")
        var writer = ByteWriter(capacity: PayloadHeader.byteCount + body.count + SignedPayload.signatureBytes)
        writer.write(room.bytes)
        writer.write(author)
        writer.write(epoch)
        writer.write(sequence)
        writer.write(timestamp.milliseconds)
        writer.write(kind)
        writer.write(UInt16(body.count))
        writer.write(body)
        return writer.bytes
    }
}
