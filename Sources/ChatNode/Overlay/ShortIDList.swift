import Wire

/// `count u8 | id[8]*`, the first 8 bytes of the ids of payloads, in frames 10 to 12 (Protocol.md section 13).
enum ShortIDList {
    static let idBytes = 8

    static func write(_ ids: [UInt64], limit: Int, to writer: inout ByteWriter) {
        precondition(ids.count <= limit, "a list of \(ids.count) ids is above its limit of \(limit)")
        writer.write(UInt8(ids.count))
        for id in ids { writer.write(id) }
    }

    /// The ids up to the end of the body; nil if there are more than `limit`, or the count is not that of the bytes.
    static func read(_ reader: inout ByteReader, limit: Int) throws(TruncatedInput) -> [UInt64]? {
        let count = Int(try reader.readUInt8())
        guard count <= limit, reader.remaining == count * idBytes else { return nil }
        var ids: [UInt64] = []
        ids.reserveCapacity(count)
        for _ in 0..<count { ids.append(try reader.readUInt64()) }
        return ids
    }
}

/// A frame 11: what the sender has of the last 30 s (Protocol.md section 13).
package struct LatestFrame: Hashable, Sendable {
    /// The receiver is to answer with what the list lacks.
    package let wantsAnswer: Bool
    package let ids: [UInt64]

    package init(wantsAnswer: Bool, ids: [UInt64]) {
        self.wantsAnswer = wantsAnswer
        self.ids = ids
    }

    /// Nil for a body with a byte too many or too few, or too many ids.
    package init?(_ body: Span<UInt8>) {
        var reader = ByteReader(body)
        guard let wantsAnswer = try? reader.readUInt8(), wantsAnswer <= 1,
            let ids = try? ShortIDList.read(&reader, limit: Limits.latestPayloads)
        else { return nil }
        self.init(wantsAnswer: wantsAnswer == 1, ids: ids)
    }

    /// The whole frame, its type byte first.
    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 3 + 8 * ids.count)
        writer.write([FrameType.latest.rawValue, wantsAnswer ? 1 : 0])
        ShortIDList.write(ids, limit: Limits.latestPayloads, to: &writer)
        return writer.bytes
    }
}

/// A frame 12: what the sender got lately and did not push to the receiver (Protocol.md section 13).
package struct NewsFrame: Hashable, Sendable {
    package let ids: [UInt64]

    package init(ids: [UInt64]) {
        self.ids = ids
    }

    /// Nil for a body with a byte too many or too few, or too many ids.
    package init?(_ body: Span<UInt8>) {
        var reader = ByteReader(body)
        guard let ids = try? ShortIDList.read(&reader, limit: Limits.newsPayloads) else { return nil }
        self.init(ids: ids)
    }

    /// The bytes of a frame with so many ids.
    static func size(of count: Int) -> Int { 2 + ShortIDList.idBytes * count }

    /// The whole frame, its type byte first.
    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: NewsFrame.size(of: ids.count))
        writer.write(FrameType.news.rawValue)
        ShortIDList.write(ids, limit: Limits.newsPayloads, to: &writer)
        return writer.bytes
    }
}

extension Limits {
    /// Ids in a `latest`: fewer than a node grafts at once at a neighbour. With more, a newcomer asks for so much of the last half minute that
    /// it may not ask for what it misses next; with fewer, a busy room's older payloads are not compared.
    static let latestPayloads = 100
    /// Ids in a `news`: as many as fit the smallest record. More take a larger record; with fewer, announcements take
    /// several frames.
    static let newsPayloads = 60
}
