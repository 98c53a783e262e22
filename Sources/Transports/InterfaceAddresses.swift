import ChatNode
internal import CLinux
internal import Glibc
import Reactor

/// The addresses of this machine's interfaces, as the kernel tells them.
enum InterfaceAddresses {
    struct Entry {
        let interface: String
        /// Its port is 0.
        let endpoint: Endpoint
        /// How many leading bits the hosts on the link share with the address.
        let prefixLength: Int
    }

    /// Nil if the kernel can not be asked, as without descriptors.
    static func read() -> [Entry]? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return nil }
        defer { unsafe freeifaddrs(list) }
        var entries: [Entry] = []
        var next = unsafe list
        while let entry = unsafe next {
            unsafe next = entry.pointee.ifa_next
            guard let pointer = unsafe entry.pointee.ifa_addr,
                let endpoint = unsafe SocketAddress.copied(from: pointer)
            else { continue }
            let mask = unsafe entry.pointee.ifa_netmask.flatMap { unsafe SocketAddress.copied(from: $0) }
            entries.append(
                Entry(
                    interface: unsafe String(cString: entry.pointee.ifa_name), endpoint: endpoint,
                    prefixLength: mask.map { leadingOnes($0.address) } ?? endpoint.address.count * 8))
        }
        return entries
    }

    /// The network of the interface with a local address; nil if no interface has it.
    static func network(of local: Endpoint) -> LinkNetwork? {
        guard let entries = read(),
            let own = entries.first(where: {
                $0.endpoint.address == local.address && (!local.isLinkLocalIPv6 || $0.endpoint.scope == local.scope)
            })
        else { return nil }
        let subnets = entries.filter { $0.interface == own.interface }
            .map { Subnet($0.endpoint.address, prefixLength: $0.prefixLength) }
        return LinkNetwork(
            subnets: subnets, ownAddresses: Set(entries.map(\.endpoint.address)), gateways: Gateways.read(),
            scope: unsafe if_nametoindex(own.interface))
    }

    private static func leadingOnes(_ mask: [UInt8]) -> Int {
        var count = 0
        for byte in mask {
            count += (~byte).leadingZeroBitCount
            if byte != 0xff { break }
        }
        return count
    }
}
