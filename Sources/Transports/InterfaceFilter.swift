import ChatNode
import Reactor
import Wire

/// Whether a connection may be used by its local address: it must be one of the named interfaces'.
///
/// Checked on the connection, not with `SO_BINDTODEVICE`: that binds a socket to one interface only, and connections
/// between nodes of one machine, which cross `lo`, would be lost.
struct InterfaceFilter {
    /// Addresses come and go; asking for each connection would let a flood of them ask the kernel as often.
    private static let lifetime = Duration.seconds(1)

    private let names: Set<String>
    private var addresses: Set<[UInt8]> = []
    private var readAt: Instant?

    init(names: [String]) {
        self.names = Set(names)
    }

    mutating func allows(_ local: Endpoint, now: Instant) -> Bool {
        if readAt.map({ now - $0 >= InterfaceFilter.lifetime }) ?? true {
            // If the kernel can not be asked, as without descriptors, the earlier answer holds.
            addresses = InterfaceFilter.addresses(of: names) ?? addresses
            readAt = now
        }
        return addresses.contains(InterfaceFilter.key(local))
    }

    /// Link-local addresses may be the same on two interfaces.
    private static func key(_ endpoint: Endpoint) -> [UInt8] {
        let scope = endpoint.isLinkLocalIPv6 ? endpoint.scope : 0
        return endpoint.address + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scope >> $0) }
    }

    private static func addresses(of names: Set<String>) -> Set<[UInt8]>? {
        InterfaceAddresses.read().map { entries in
            Set(entries.filter { names.contains($0.interface) }.map { key($0.endpoint) })
        }
    }
}
