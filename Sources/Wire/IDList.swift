/// The body of `have` and `want`: `count u16 | id[8]*`, the first 8 bytes of the ids of payloads (Protocol.md section 5).
package enum IDList {
    private static let idBytes = 8

    /// A frame, its type byte first.
    package static func frame(_ type: FrameType, _ ids: [UInt64]) -> [UInt8] {
        precondition(ids.count <= Limits.offeredPayloads, "a list of \(ids.count) ids does not fit a record")
        var writer = ByteWriter(capacity: 3 + ids.count * idBytes)
        writer.write(type.rawValue)
        writer.write(UInt16(ids.count))
        for id in ids { writer.write(id) }
        return writer.bytes
    }

    /// The ids in a body; nil if there are more than `limit`, or the count is not that of the bytes.
    package static func read(_ body: Span<UInt8>, limit: Int) -> [UInt64]? {
        var reader = ByteReader(body)
        guard let count = try? Int(reader.readUInt16()), count <= limit, reader.remaining == count * idBytes
        else { return nil }
        var ids: [UInt64] = []
        ids.reserveCapacity(count)
        for _ in 0..<count {
            guard let id = try? reader.readUInt64() else { return nil }
            ids.append(id)
        }
        return ids
    }
}

extension Limits {
    /// Ids in a `have`, and entries of the tables about what was offered: 100 messages, an edit of each, 100 deletions,
    /// 184 reactions and 16 cards. With more the list does not fit one record; with fewer a part of the history is
    /// never offered.
    package static let offeredPayloads = 500
}
