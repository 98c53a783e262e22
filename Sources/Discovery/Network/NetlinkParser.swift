/// Reads what the kernel answers to dumps of links, addresses and routes (rtnetlink(7)): fields in the byte order of the
/// machine.
struct NetlinkParser {
    /// How far a dump has come.
    enum Progress {
        case continues
        case complete
        /// The kernel refused it, or the tables changed meanwhile: what was read may lack anything.
        case failed
    }

    private(set) var interfaces: [UInt32: NetworkInterface] = [:]

    private enum MessageType {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let newAddress: UInt16 = 20
        static let newRoute: UInt16 = 24
    }

    /// NLM_F_DUMP_INTR.
    private static let interrupted: UInt16 = 0x10

    /// Takes the messages of one datagram.
    mutating func parse(_ datagram: ArraySlice<UInt8>) -> Progress {
        var (progress, isWhole) = (Progress.continues, true)
        var rest = datagram
        while let length = rest.native32(at: 0), let type = rest.native16(at: 4), let flags = rest.native16(at: 6),
            length >= 16, length <= rest.count
        {
            let body = rest.dropFirst(16).prefix(Int(length) - 16)
            if flags & Self.interrupted != 0 { isWhole = false }
            switch type {
            case MessageType.error: isWhole = false
            // The kernel tells the end of a dump with its error, 0 for none.
            case MessageType.done: (progress, isWhole) = (.complete, isWhole && body.native32(at: 0) ?? 0 == 0)
            case MessageType.newLink: addLink(body)
            case MessageType.newAddress: addAddress(body)
            case MessageType.newRoute: addRoute(body)
            default: break
            }
            rest = rest.dropFirst(Self.aligned(Int(length)))
        }
        return isWhole ? progress : .failed
    }

    private mutating func addLink(_ body: ArraySlice<UInt8>) {
        guard let index = body.native32(at: 4), let flags = body.native32(at: 8) else { return }
        var name = "", kind = ""
        var carrierChanges: UInt32 = 0
        var master: UInt32?
        for (type, value) in Self.attributes(body.dropFirst(16)) {
            switch type {
            case 3: name = Self.text(value)
            // IFLA_LINKINFO, and within it IFLA_INFO_KIND.
            case 18: kind = Self.attributes(value).first { $0.0 == 1 }.map { Self.text($0.1) } ?? ""
            // IFLA_MASTER.
            case 10: master = value.native32(at: 0).flatMap { $0 == 0 ? nil : $0 }
            // IFLA_CARRIER_CHANGES.
            case 35: carrierChanges = value.native32(at: 0) ?? 0
            default: break
            }
        }
        interfaces[index] = NetworkInterface(
            index: index, name: name, kind: kind, isUp: flags & 0x1 != 0, isRunning: flags & 0x40 != 0,
            carrierChanges: carrierChanges, isLoopback: flags & 0x8 != 0, hasMulticast: flags & 0x1000 != 0,
            isPointToPoint: flags & 0x10 != 0, master: master,
            addresses: interfaces[index]?.addresses ?? [])
    }

    /// Notes the interfaces of a default route: one of no prefix that forwards (RTN_UNICAST).
    private mutating func addRoute(_ body: ArraySlice<UInt8>) {
        guard body.count >= 12, body[body.startIndex + 1] == 0, body[body.startIndex + 7] == 1 else { return }
        for (type, value) in Self.attributes(body.dropFirst(12)) {
            switch type {
            // RTA_OIF.
            case 4: value.native32(at: 0).map { interfaces[$0]?.hasDefaultRoute = true }
            // RTA_MULTIPATH: a list of rtnexthop.
            case 9:
                for index in Self.nextHops(value) { interfaces[index]?.hasDefaultRoute = true }
            default: break
            }
        }
    }

    private static func nextHops(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
        var indices: [UInt32] = []
        var rest = bytes
        while let length = rest.native16(at: 0), let index = rest.native32(at: 4), length >= 8, length <= rest.count {
            indices.append(index)
            rest = rest.dropFirst(aligned(Int(length)))
        }
        return indices
    }

    private mutating func addAddress(_ body: ArraySlice<UInt8>) {
        guard body.count >= 8, let index = body.native32(at: 4) else { return }
        let prefixLength = Int(body[body.startIndex + 1])
        var flags = UInt32(body[body.startIndex + 2])
        var address: ArraySlice<UInt8>?
        for (type, value) in Self.attributes(body.dropFirst(8)) {
            switch type {
            // On a point-to-point link the first is the other end, and the second is ours wherever both are given.
            case 1: address = address ?? value
            case 2: address = value
            case 8: flags = value.native32(at: 0) ?? flags
            default: break
            }
        }
        guard let address, address.count == 4 || address.count == 16 else { return }
        // IFA_F_DADFAILED, IFA_F_DEPRECATED, IFA_F_TENTATIVE.
        let isUsable = flags & (0x08 | 0x20 | 0x40) == 0
        let new = InterfaceAddress(bytes: Array(address), prefixLength: prefixLength, isUsable: isUsable)
        interfaces[index]?.addresses.append(new)
    }

    private static func text(_ value: ArraySlice<UInt8>) -> String {
        String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func attributes(_ bytes: ArraySlice<UInt8>) -> [(UInt16, ArraySlice<UInt8>)] {
        var found: [(UInt16, ArraySlice<UInt8>)] = []
        var rest = bytes
        while let length = rest.native16(at: 0), let type = rest.native16(at: 2), length >= 4, length <= rest.count {
            found.append((type & 0x3fff, rest.dropFirst(4).prefix(Int(length) - 4)))
            rest = rest.dropFirst(aligned(Int(length)))
        }
        return found
    }

    private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    fileprivate func native16(at offset: Int) -> UInt16? {
        guard count >= offset + 2 else { return nil }
        return UInt16(littleEndian: UInt16(self[startIndex + offset]) | UInt16(self[startIndex + offset + 1]) << 8)
    }

    fileprivate func native32(at offset: Int) -> UInt32? {
        guard count >= offset + 4 else { return nil }
        var value: UInt32 = 0
        for index in (0..<4).reversed() { value = value << 8 | UInt32(self[startIndex + offset + index]) }
        return UInt32(littleEndian: value)
    }
}
