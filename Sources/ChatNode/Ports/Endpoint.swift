import Chat

/// Where a peer can be dialled: an IP address with its port.
package struct Endpoint: Hashable, Sendable {
    /// 4 bytes for IPv4, 16 for IPv6.
    package let address: [UInt8]
    package let port: UInt16
    /// The interface index that a link-local IPv6 address belongs to; 0 otherwise.
    package let scope: UInt32

    /// IPv4 addresses that come mapped into IPv6 (`::ffff:a.b.c.d`) become IPv4, so that one host is one source.
    package init(address: [UInt8], port: UInt16, scope: UInt32 = 0) {
        precondition(address.count == 4 || address.count == 16, "an IP address of \(address.count) bytes")
        let isMapped = address.count == 16 && address.prefix(12).elementsEqual(Endpoint.mappedPrefix)
        self.address = isMapped ? Array(address.suffix(4)) : address
        self.port = port
        self.scope = isMapped ? 0 : scope
    }

    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

    /// This port on the loopback address.
    package var onThisMachine: Endpoint { Endpoint(address: [127, 0, 0, 1], port: port) }

    package var isIPv4: Bool { address.count == 4 }

    package var isLoopback: Bool {
        isIPv4 ? address[0] == 127 : address == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    }

    /// fe80::/10, which means something only together with `scope`.
    package var isLinkLocalIPv6: Bool { !isIPv4 && address[0] == 0xfe && address[1] & 0xc0 == 0x80 }

    /// The host that limits per source count: the address with its scope, without the port (Protocol.md section 11).
    package var source: Endpoint { Endpoint(address: address, port: 0, scope: scope) }

    /// Links from the same host have equal numbers: its address with the scope; on this machine, which is exempt from limits per
    /// source, the port too.
    var sourceNumber: UInt64 { (isLoopback ? self : source).number }

    /// As `sourceNumber`, but all addresses of an IPv6 /64 have one: a host can have any number of them.
    var witnessNumber: UInt64 { (isLoopback ? self : network ?? source).number }

    private var number: UInt64 {
        var hasher = Hasher()
        hasher.combine(self)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// The IPv6 /64 whose links are limited together; nil for IPv4, and for link-local addresses: those of all hosts are in one.
    var linkNetwork: Endpoint? { isLinkLocalIPv6 ? nil : network }

    /// The IPv6 /64 with its scope, in which one host can have any number of addresses; nil for IPv4.
    package var network: Endpoint? {
        isIPv4 ? nil : Endpoint(address: address.prefix(8) + [UInt8](repeating: 0, count: 8), port: 0, scope: scope)
    }
}

extension Endpoint {
    /// The host as a giver of what its links bring; nil for this machine, whose processes are different users.
    var giver: Giver? { isLoopback ? nil : Giver(address: address + [UInt8(truncatingIfNeeded: scope)]) }
}
