internal import Wire

/// The fixed part of the signed bytes: everything but the body (Protocol.md section 6).
struct PayloadHeader {
    /// Room, author, epoch, sequence, time, kind, length of the body.
    static let byteCount = RoomID.byteCount + PeerID.byteCount + 3 * 8 + 1 + 2

    let room: RoomID
    let author: PeerID
    let epoch: UInt64
    let sequence: UInt64
    let timestamp: Timestamp
    let kind: UInt8

    /// Reads the header of `signed`, which must hold exactly its body.
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
    }

    init(room: RoomID, author: PeerID, epoch: UInt64, sequence: UInt64, timestamp: Timestamp, kind: UInt8) {
        self.room = room
        self.author = author
        self.epoch = epoch
        self.sequence = sequence
        self.timestamp = timestamp
        self.kind = kind
    }

    /// The bytes to sign: this header and a body of at most 65,535 bytes.
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
