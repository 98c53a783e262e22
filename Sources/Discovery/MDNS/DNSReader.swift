/// Reads a DNS message (RFC 1035 section 4.1) behind its header, without copying any of it. The input is hostile.
struct DNSReader {
    /// The part of a record behind its name.
    struct RecordBody {
        let type: Int
        let kind: Int
        let timeToLive: UInt32
        /// Within the message.
        let data: Range<Int>

        var isPointer: Bool { type == DNSReader.pointerType }
        var isInternet: Bool { kind & ~RecordBody.topBit == DNSReader.internet }

        /// A record that replaces all others under its name has it set (RFC 6762 section 10.2).
        private static let topBit = 0x8000
    }

    static let headerSize = 12
    static let pointerType = 12
    static let internet = 1
    /// RFC 1035 section 2.3.4: no name is longer, its lengths counted.
    private static let maximumName = 255

    let bytes: ArraySlice<UInt8>
    private var position = DNSReader.headerSize

    /// Nil where there is no header.
    ///
    /// - Parameter bytes: from index 0.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.headerSize else { return nil }
        self.bytes = bytes
    }

    var isResponse: Bool { bytes[2] & 0x80 != 0 }

    /// How many questions, answers, authorities and further records the header promises, in this order.
    func count(_ section: Int) -> Int { value(at: 4 + 2 * section) }

    /// Of all sections behind the questions.
    var recordCount: Int { count(1) + count(2) + count(3) }

    /// Moves behind the questions; false where one has a fault.
    mutating func passQuestions() -> Bool {
        for _ in 0..<count(0) {
            guard name(label: { _ in }), number() != nil, number() != nil else { return false }
        }
        return true
    }

    mutating func number() -> Int? {
        guard bytes.count - position >= 2 else { return nil }
        position += 2
        return value(at: position - 2)
    }

    private func value(at index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }

    /// The record whose name was read; the next thing to be read is its data. Nil where it is cut off.
    mutating func body() -> RecordBody? {
        guard let type = number(), let kind = number(), let high = number(), let low = number(), let length = number(),
            bytes.count - position >= length
        else { return nil }
        return RecordBody(
            type: type, kind: kind, timeToLive: UInt32(high << 16 | low), data: position..<position + length)
    }

    /// Goes on behind a record; whether its data was read to its end and no further.
    @discardableResult
    mutating func leave(_ record: RecordBody) -> Bool {
        defer { position = record.data.upperBound }
        return position == record.data.upperBound
    }

    /// Moves behind the name at the position, and tells where the bytes of each label stand; false where it has no end.
    ///
    /// A name may go on elsewhere in the message (RFC 1035 section 4.1.4): only further ahead than where it last was, so
    /// that it ends.
    mutating func name(label: (Range<Int>) -> Void) -> Bool {
        var index = position, segment = position, size = 0
        var end: Int?
        while index < bytes.count {
            let length = Int(bytes[index])
            switch length {
            case 0:
                position = end ?? index + 1
                return true
            case 1...63:
                size += length + 1
                guard index + length < bytes.count, size < Self.maximumName else { return false }
                label(index + 1..<index + length + 1)
                index += length + 1
            case 192...255:
                guard index + 1 < bytes.count else { return false }
                let target = (length & 0x3f) << 8 | Int(bytes[index + 1])
                guard target < segment else { return false }
                end = end ?? index + 2
                (index, segment) = (target, target)
            default:
                return false
            }
        }
        return false
    }

    /// A byte as it is compared: names are the same in either case (RFC 1035 section 2.3.3).
    static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
}
