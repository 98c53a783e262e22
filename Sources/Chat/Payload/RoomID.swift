internal import Wire

/// Identifies a room in payloads: 16 bytes that its nodes compute (Protocol.md section 3).
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
}
