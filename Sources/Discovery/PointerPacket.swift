/// What a packet of multicast DNS says of one name: which instances it points to, and whether somebody asks for them.
///
/// Every packet of the network is looked at so, and most are about something else: nothing is allocated for those, and
/// nothing of a question about another name is read behind it. What comes in is anybody's.
struct PointerPacket: Hashable {
    enum Kind: Hashable {
        case response
        /// Asks everybody for the name, and lists what the sender knows (RFC 6762 section 7.1).
        case question
        /// Goes on listing what the sender of a question knows (section 7.2).
        case continuation
    }

    struct Pointer: Hashable {
        /// In the form of `RandomNames.canonical`.
        let instance: String
        let timeToLive: UInt32
    }

    let kind: Kind
    /// Whether more that the sender knows follows in another packet.
    let isTruncated: Bool
    let pointers: [Pointer]

    private static let headerSize = 12

    /// Nil for what is about something else, and for questions and lists that have a fault. A response is read up to it.
    ///
    /// - Parameter bytes: from index 0.
    init?(_ bytes: ArraySlice<UInt8>, about name: BrowsedName) {
        // Neither another kind of message, nor one that tells of an error (RFC 6762 sections 18.3 and 18.11).
        guard bytes.count >= Self.headerSize, bytes[2] & 0x78 == 0, bytes[3] & 0x0f == 0 else { return nil }
        let isResponse = bytes[2] & 0x80 != 0
        var reader = PointerReader(bytes: bytes, position: Self.headerSize)
        let questions = reader.count(at: 4), answers = reader.count(at: 6)
        guard let asks = reader.questions(questions, for: name) else { return nil }
        var found: [Pointer] = []
        if isResponse {
            let records = answers + reader.count(at: 8) + reader.count(at: 10)
            _ = reader.pointers(records, of: name, into: &found)
            guard !found.isEmpty else { return nil }
            kind = .response
        } else {
            guard asks || questions == 0, reader.pointers(answers, of: name, into: &found) else { return nil }
            kind = asks ? .question : .continuation
        }
        isTruncated = bytes[2] & 0x02 != 0
        pointers = found
    }
}

/// Walks through a DNS message (RFC 1035 section 4.1) from a position on.
private struct PointerReader {
    private static let maximumName = 255
    private static let pointerType = 12
    private static let internet = 1
    /// In a question it asks for an answer by unicast, in a record it says that there is no other (RFC 6762 section 18).
    private static let topBit = 0x8000

    let bytes: ArraySlice<UInt8>
    var position: Int

    func count(at index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }

    /// Whether one of the questions asks everybody for the pointers of `name`; nil where there is a fault.
    mutating func questions(_ count: Int, for name: BrowsedName) -> Bool? {
        var asks = false
        for _ in 0..<count {
            guard let isName = pass(name.wire), let type = number(), let kind = number() else { return nil }
            asks = asks || isName.matches && type == Self.pointerType && kind == Self.internet
        }
        return asks
    }

    /// Gathers what `name` points to in the next records; false at a fault.
    mutating func pointers(_ count: Int, of name: BrowsedName, into found: inout [PointerPacket.Pointer]) -> Bool {
        for _ in 0..<count {
            guard let owner = pass(name.wire), let type = number(), let kind = number(), let high = number(),
                let low = number(), let length = number(), bytes.count - position >= length
            else { return false }
            let end = position + length
            defer { position = end }
            guard owner.matches, type == Self.pointerType, kind & ~Self.topBit == Self.internet else { continue }
            guard let target = pass(name.service, behindFirst: true), position == end else { return false }
            guard target.matches, let instance = RandomNames.canonical(bytes[target.first]) else { continue }
            found.append(PointerPacket.Pointer(instance: instance, timeToLive: UInt32(high << 16 | low)))
        }
        return true
    }

    private mutating func number() -> Int? {
        guard bytes.count - position >= 2 else { return nil }
        position += 2
        return count(at: position - 2)
    }

    /// Moves behind the name at the position: whether it is the wanted one, or what follows its first label is; and where
    /// that label stands. Nil where it has no end.
    ///
    /// A name may go on elsewhere in the message (RFC 1035 section 4.1.4): only further ahead than where it last was, so
    /// that it ends.
    private mutating func pass(
        _ wanted: [UInt8], behindFirst: Bool = false
    ) -> (matches: Bool, first: Range<Int>)? {
        var index = position, segment = position, size = 0, compared = 0
        var matches = true
        var end: Int?
        var first = 0..<0
        while index < bytes.count {
            let length = Int(bytes[index])
            switch length {
            case 0:
                position = end ?? index + 1
                return (matches && compared == wanted.count - 1, first)
            case 1...63:
                size += length + 1
                guard index + length < bytes.count, size < Self.maximumName else { return nil }
                let isFirst = size == length + 1
                if isFirst { first = index + 1..<index + length + 1 }
                if !(isFirst && behindFirst) {
                    matches = matches && hasLabel(wanted, from: compared, at: index, length: length)
                    compared += length + 1
                }
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

    /// Whether the label at `index` is the next of `wanted`, in either case.
    private func hasLabel(_ wanted: [UInt8], from start: Int, at index: Int, length: Int) -> Bool {
        guard wanted.count - start > length + 1 else { return false }
        for offset in 0...length {
            let byte = bytes[index + offset]
            guard wanted[start + offset] == ((65...90).contains(byte) ? byte + 32 : byte) else { return false }
        }
        return true
    }
}
