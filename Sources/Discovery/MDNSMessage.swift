/// A PTR record that somebody answered with: a name, and the name that it points to. Labels are in lower case.
struct MDNSPointer: Hashable, Sendable {
    let name: [String]
    let target: [String]
}

/// The little of DNS messages (RFC 1035 section 4) that asking for pointers needs. What comes in is anybody's.
struct MDNSMessage {
    /// RFC 1035 section 2.3.4: no name is longer, its lengths counted.
    private static let maximumName = 255
    private static let headerSize = 12
    private static let pointerType: UInt16 = 12

    /// A query for the PTR records of some names, as it is sent by multicast.
    static func query(for names: [MDNSName]) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: names.count), 0, 0, 0, 0, 0, 0]
        for name in names { bytes += name.wire + [0, 12, 0, 1] }
        return bytes
    }

    /// The PTR records of a response, up to the first fault in it; none of a query.
    static func pointers(in bytes: [UInt8]) -> [MDNSPointer] {
        guard bytes.count >= headerSize, bytes[2] & 0x80 != 0 else { return [] }
        var message = MDNSMessage(bytes: bytes, position: headerSize)
        let counts = stride(from: 4, to: headerSize, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        for _ in 0..<counts[0] {
            guard message.name() != nil, message.skip(4) else { return [] }
        }
        var found: [MDNSPointer] = []
        for _ in 0..<counts[1] + counts[2] + counts[3] {
            guard let record = message.record() else { break }
            if let pointer = record { found.append(pointer) }
        }
        return found
    }

    private let bytes: [UInt8]
    private var position: Int

    private init(bytes: [UInt8], position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// The next record, `.some(nil)` for one of another type; nil at a fault.
    private mutating func record() -> MDNSPointer?? {
        guard let name = name(), let type = number(), skip(6), let length = number() else { return nil }
        let start = position
        guard skip(Int(length)) else { return nil }
        guard type == Self.pointerType else { return .some(nil) }
        let end = position
        position = start
        guard let target = self.name(), position == end else { return nil }
        return MDNSPointer(name: name, target: target)
    }

    private mutating func number() -> UInt16? {
        guard skip(2) else { return nil }
        return UInt16(bytes[position - 2]) << 8 | UInt16(bytes[position - 1])
    }

    private mutating func skip(_ count: Int) -> Bool {
        guard bytes.count - position >= count else { return false }
        position += count
        return true
    }

    /// The labels of the name at the position, which moves behind it.
    ///
    /// A name may go on elsewhere in the message (RFC 1035 section 4.1.4): only further ahead than where it last was, so
    /// that it ends.
    private mutating func name() -> [String]? {
        var labels: [String] = []
        var index = position, segment = position, size = 0
        var end: Int?
        while index < bytes.count {
            let length = Int(bytes[index])
            switch length {
            case 0:
                position = end ?? index + 1
                return labels
            case 1...63:
                size += length + 1
                guard index + length < bytes.count, size < Self.maximumName else { return nil }
                labels.append(Self.lowercased(bytes[index + 1...index + length]))
                index += length + 1
            case 192...255:
                guard index + 1 < bytes.count else { return nil }
                let target = (length & 0x3f) << 8 | Int(bytes[index + 1])
                guard target < segment else { return nil }
                end = end ?? index + 2
                (index, segment) = (target, target)
            default:
                return nil
            }
        }
        return nil
    }

    private static func lowercased(_ label: ArraySlice<UInt8>) -> String {
        String(decoding: label.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
