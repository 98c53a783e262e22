/// The instances that a packet of multicast DNS lists for one name, and whether it queries that name.
///
/// Every packet of the network is read by this, and most are about other names: nothing is allocated for those, and nothing
/// behind a question about another name is read. The input is hostile.
struct PointerPacket: Hashable {
    enum Kind: Hashable {
        case response
        /// A query for the name, with the sender's known answers (RFC 6762 section 7.1).
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

    /// Nil for what is about something else, and for questions and lists that have a fault. A response is read up to it.
    ///
    /// - Parameter bytes: from index 0.
    init?(_ bytes: ArraySlice<UInt8>, about name: BrowsedName) {
        // Neither another kind of message, nor one that tells of an error (RFC 6762 sections 18.3 and 18.11).
        guard let message = DNSReader(bytes), bytes[2] & 0x78 == 0, bytes[3] & 0x0f == 0 else { return nil }
        var reader = PointerReader(message: message)
        let questions = message.count(0), answers = message.count(1)
        guard let asks = reader.questions(questions, for: name) else { return nil }
        var found: [Pointer] = []
        if message.isResponse {
            _ = reader.pointers(message.recordCount, of: name, into: &found)
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

/// Looks through the questions and records of a message for one name.
private struct PointerReader {
    var message: DNSReader

    /// True if one of the questions is a multicast query for the pointers of `name`; nil at a fault.
    mutating func questions(_ count: Int, for name: BrowsedName) -> Bool? {
        var asks = false
        for _ in 0..<count {
            guard let asked = pass(name.wire), let type = message.number(), let kind = message.number() else {
                return nil
            }
            asks = asks || asked.matches && type == DNSReader.pointerType && kind == DNSReader.internet
        }
        return asks
    }

    /// Gathers what `name` points to in the next records; false at a fault.
    mutating func pointers(_ count: Int, of name: BrowsedName, into found: inout [PointerPacket.Pointer]) -> Bool {
        for _ in 0..<count {
            guard let owner = pass(name.wire), let body = message.body() else { return false }
            guard owner.matches, body.isPointer, body.isInternet else {
                message.leave(body)
                continue
            }
            guard let target = pass(name.service, behindFirst: true), message.leave(body) else { return false }
            guard target.matches, let instance = RandomNames.canonical(message.bytes[target.first]) else { continue }
            found.append(PointerPacket.Pointer(instance: instance, timeToLive: body.timeToLive))
        }
        return true
    }

    /// Reads the next name: whether it is the wanted one, or what follows its first label is; and the place of that label.
    /// Nil where it has no end.
    private mutating func pass(
        _ wanted: [UInt8], behindFirst: Bool = false
    ) -> (matches: Bool, first: Range<Int>)? {
        let bytes = message.bytes
        var compared = 0
        var matches = true
        var first: Range<Int>?
        let isWhole = message.name { label in
            if first == nil {
                first = label
                if behindFirst { return }
            }
            matches = matches && Self.hasLabel(wanted, from: compared, bytes, label)
            compared += label.count + 1
        }
        return isWhole ? (matches && compared == wanted.count - 1, first ?? 0..<0) : nil
    }

    /// Whether a label is the next of `wanted`, its length before it.
    private static func hasLabel(
        _ wanted: [UInt8], from start: Int, _ bytes: ArraySlice<UInt8>, _ label: Range<Int>
    ) -> Bool {
        guard wanted.count - start > label.count + 1, wanted[start] == label.count else { return false }
        for offset in 0..<label.count
        where wanted[start + 1 + offset] != DNSReader.lowercased(bytes[label.lowerBound + offset]) { return false }
        return true
    }
}

/// The name that peers of a room are listed under, in the form in which packets have it.
struct BrowsedName: Hashable, Sendable {
    /// Labels with their lengths, in lower case, and the root.
    let wire: [UInt8]
    /// The service type in that form; the names that it points to end with it.
    let service = MDNSName(["_earshot", "_tcp"]).wire

    init(subtype: String) { self.init(type: MDNSName.browsingType(subtype: subtype)) }

    /// - Parameter type: what Avahi would browse for: `_r73b49a38._sub._earshot._tcp`.
    init(type: String) {
        wire = MDNSName(type.lowercased().split(separator: ".").map(String.init)).wire
    }
}
