import ChatNode

/// An instance with all that a dial needs, from one packet of multicast DNS: its owner's announcement, or an answer with
/// the additional records (RFC 6763 section 12.1). No query for it is needed.
struct HeardInstance: Hashable, Sendable {
    /// In the form of `RandomNames.canonical`.
    let instance: String
    let port: UInt16
    /// 4 or 16 bytes each; at least one.
    let addresses: [[UInt8]]
    /// Whether the TXT record has the protocol version that we speak.
    let isOurVersion: Bool
    /// The address that the packet came from.
    let sender: [UInt8]

    static let maximumAddresses = 8

    /// The instances in a packet that `name` points to, up to the first fault. The input is hostile.
    ///
    /// - Parameters:
    ///   - bytes: from index 0.
    ///   - sender: the address that they came from.
    static func all(in bytes: ArraySlice<UInt8>, from sender: [UInt8], of name: BrowsedName) -> [HeardInstance] {
        // The known answers of a question, perhaps hundreds, are skipped.
        guard let message = DNSReader(bytes), message.isResponse, let packet = PointerPacket(bytes, about: name)
        else { return [] }
        var reader = HeardReader(message, from: sender)
        reader.read()
        return packet.pointers.compactMap { pointer in
            pointer.timeToLive > 0 ? reader.instance(pointer.instance) : nil
        }
    }

    /// The instances that a packet lists in the bucket of its sender's address, and that are at that address; what it says of
    /// other buckets and addresses does not count (Protocol.md section 10).
    ///
    /// - Parameters:
    ///   - bytes: from index 0.
    ///   - subtype: that of the room's announcements.
    static func ofBucket(in bytes: ArraySlice<UInt8>, from sender: [UInt8], of subtype: String) -> [HeardInstance] {
        let bucket = AddressBucket(of: sender, in: subtype)
        let heard = [bucket.wideSubtype(of: subtype), bucket.narrowSubtype(of: subtype)].lazy.flatMap {
            all(in: bytes, from: sender, of: BrowsedName(subtype: $0))
        }
        return heard.filter(\.isProof)
    }

    /// The sender's own address if it is among them, then those of one family, then the others.
    func addresses(first family: Family) -> [[UInt8]] {
        let size = family == .ipv4 ? 4 : 16
        let rest = addresses.filter { $0 != sender }
        return (isProof ? [sender] : []) + rest.filter { $0.count == size } + rest.filter { $0.count != size }
    }

    /// Where it can be dialled; nil if nowhere.
    ///
    /// Without an address on this link the link-local address that the packet came from is taken: a host that does not
    /// announce its own, because the hardware address is in it, sends from there all the same, and has perhaps an IPv4
    /// address of another network.
    func endpoint(in view: NetworkView, at interface: UInt32, first family: Family) -> Endpoint? {
        let listed = addresses(first: family).lazy.compactMap {
            view.endpoint(address: $0, port: self.port, interface: interface)
        }
        if let endpoint = listed.first { return endpoint }
        let source = view.endpoint(address: sender, port: port, interface: interface)
        return source.flatMap { $0.isLinkLocalIPv6 ? $0 : nil }
    }

    /// Whether the packet came from an address that it lists, which then is no other host's.
    var isProof: Bool { addresses.contains(sender) }
}

/// Gathers services, texts and addresses by the names that they belong to.
private struct HeardReader {
    private struct Service {
        let port: UInt16
        let host: [UInt8]
    }

    private var message: DNSReader
    private let sender: [UInt8]
    private var services: [[UInt8]: Service] = [:]
    private var versions: [[UInt8]: Bool] = [:]
    private var addresses: [[UInt8]: [[UInt8]]] = [:]

    init(_ message: DNSReader, from sender: [UInt8]) { (self.message, self.sender) = (message, sender) }

    mutating func read() {
        guard message.passQuestions() else { return }
        for _ in 0..<message.recordCount {
            guard let owner = name(), let body = message.body() else { return }
            if body.isInternet, body.timeToLive > 0 { read(body, of: owner) }
            message.leave(body)
        }
    }

    func instance(_ instance: String) -> HeardInstance? {
        let owner = MDNSName.instance(instance).wire
        guard let service = services[owner], let addresses = addresses[service.host],
            let isOurVersion = versions[owner]
        else { return nil }
        return HeardInstance(
            instance: instance, port: service.port, addresses: addresses, isOurVersion: isOurVersion, sender: sender)
    }

    private mutating func read(_ body: DNSReader.RecordBody, of owner: [UInt8]) {
        switch MDNSRecord.Kind(rawValue: UInt16(truncatingIfNeeded: body.type)) {
        case .srv:
            // Priority and weight say which of several to prefer; an instance has one.
            guard message.number() != nil, message.number() != nil, let port = message.number(), let host = name()
            else { return }
            services[owner] = Service(port: UInt16(truncatingIfNeeded: port), host: host)
        case .txt:
            versions[owner] = hasOurVersion(body.data)
        case .a where body.data.count == 4, .aaaa where body.data.count == 16:
            guard addresses[owner, default: []].count < HeardInstance.maximumAddresses else { return }
            addresses[owner, default: []].append(Array(message.bytes[body.data]))
        case .a, .aaaa, .ptr, nil:
            break
        }
    }

    /// Whether one of the texts, each behind its length (RFC 1035 section 3.3.14), is the version that we speak.
    private func hasOurVersion(_ data: Range<Int>) -> Bool {
        let bytes = message.bytes
        var index = data.lowerBound
        while index < data.upperBound {
            let end = index + 1 + Int(bytes[index])
            guard end <= data.upperBound else { return false }
            if bytes[index + 1..<end].elementsEqual(MDNSRecords.version.utf8) { return true }
            index = end
        }
        return false
    }

    /// The next name as `MDNSName.wire` has it, in lower case.
    private mutating func name() -> [UInt8]? {
        let bytes = message.bytes
        var wire: [UInt8] = []
        let isWhole = message.name { label in
            wire.append(UInt8(label.count))
            wire += bytes[label].lazy.map(DNSReader.lowercased)
        }
        return isWhole ? wire + [0] : nil
    }
}
