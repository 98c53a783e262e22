/// A PTR record of an answer: a name, and the name that it points to. Labels are in lower case.
struct MDNSPointer: Hashable, Sendable {
    let name: [String]
    let target: [String]
}

/// The little of DNS messages (RFC 1035 section 4) that asking for pointers, and announcing them, needs.
struct MDNSMessage {
    /// A query for the PTR records of some names, as it is sent by multicast.
    ///
    /// - Parameter id: 0 but for a one-shot question, whose answers repeat it (RFC 6762 section 6.7).
    static func query(for names: [MDNSName], id: UInt16 = 0) -> [UInt8] {
        var bytes: [UInt8] = [
            UInt8(id >> 8), UInt8(id & 0xff), 0, 0, 0, UInt8(truncatingIfNeeded: names.count), 0, 0, 0, 0, 0, 0,
        ]
        for name in names { bytes += name.wire + [0, 12, 0, 1] }
        return bytes
    }

    /// A response with all of the records, as their owner announces them (RFC 6762 section 8.3).
    static func announcement(of records: [MDNSRecord]) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, UInt8(truncatingIfNeeded: records.count), 0, 0, 0, 0]
        for record in records {
            bytes += Self.record(
                of: record.name.wire, record.kind, isUnique: record.isUnique, seconds: record.timeToLive,
                data: record.rdata)
        }
        return bytes
    }

    /// One record of a message (RFC 1035 section 4.1.3).
    ///
    /// - Parameters:
    ///   - name: in wire form, compressed or not.
    ///   - isUnique: whether it replaces what caches hold under its name (RFC 6762 section 10.2).
    ///   - data: at most 255 bytes.
    static func record(
        of name: [UInt8], _ kind: MDNSRecord.Kind, isUnique: Bool = false, seconds: UInt32, data: [UInt8]
    ) -> [UInt8] {
        let cacheFlush: UInt8 = 0x80
        var bytes = name + [0, UInt8(kind.rawValue), isUnique ? cacheFlush : 0, 1]
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: seconds >> UInt32(shift))) }
        return bytes + [0, UInt8(data.count)] + data
    }

    /// The PTR records of a response, up to the first fault in it; none of a query.
    ///
    /// A record with no time to live is left out: it is withdrawn (RFC 6762 section 10.1).
    static func pointers(in bytes: [UInt8]) -> [MDNSPointer] {
        guard var reader = DNSReader(bytes[...]), reader.isResponse, reader.passQuestions() else { return [] }
        var message = MDNSMessage(reader: reader)
        var found: [MDNSPointer] = []
        for _ in 0..<reader.recordCount {
            guard let record = message.record() else { break }
            if let pointer = record { found.append(pointer) }
        }
        return found
    }

    private var reader: DNSReader

    /// The next record, `.some(nil)` for one of another type or a withdrawn one; nil at a fault.
    private mutating func record() -> MDNSPointer?? {
        guard let name = labels(), let body = reader.body() else { return nil }
        guard body.isPointer, body.timeToLive > 0 else {
            reader.leave(body)
            return .some(nil)
        }
        guard let target = labels(), reader.leave(body) else { return nil }
        return MDNSPointer(name: name, target: target)
    }

    /// The labels of the next name.
    private mutating func labels() -> [String]? {
        let bytes = reader.bytes
        var labels: [String] = []
        let isWhole = reader.name { label in
            labels.append(String(decoding: bytes[label].lazy.map(DNSReader.lowercased), as: UTF8.self))
        }
        return isWhole ? labels : nil
    }
}
