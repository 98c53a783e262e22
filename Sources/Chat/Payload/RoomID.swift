internal import Noise
internal import Wire

/// Identifies a room: 16 bytes computed from its name (Protocol.md section 3).
package struct RoomID: Hashable, Sendable {
    package static let byteCount = 16

    private let first: UInt64
    private let second: UInt64

    /// Nil unless there are exactly 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == RoomID.byteCount else { return nil }
        var reader = ByteReader(bytes.span)
        guard let room = try? RoomID(from: &reader) else { return nil }
        self = room
    }

    /// The room with that name; canonically equivalent names are one room.
    package init(name: String) {
        let digest = SHA256.hash("earshot/1 room\0", Array(NFC.normalized(name).utf8).span)
        guard let room = RoomID(Array(digest.prefix(RoomID.byteCount))) else {
            preconditionFailure("a SHA-256 digest has fewer than 16 bytes")
        }
        self = room
    }

    init(from reader: inout ByteReader) throws(TruncatedInput) {
        first = try reader.readUInt64()
        second = try reader.readUInt64()
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: RoomID.byteCount)
        writer.write(first)
        writer.write(second)
        return writer.bytes
    }

    /// The first 8 hexadecimal digits: the DNS-SD subtype of the room (Protocol.md section 10).
    package var tag: String { Hexadecimal.encode(bytes.prefix(4)) }
}
