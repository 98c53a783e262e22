import CAvahi
import CAvahiCore
import CLinux
import Glibc

/// Asks the kernel for the interfaces and addresses of this network namespace. Needs no privilege.
enum NetworkReader {
    private static let bufferSize = 65_536

    private static let attempts = 3
    /// Of a dump. Routers may have a million routes; the default ones come first.
    private static let mostDatagrams = 1_024
    private static let mostRouteDatagrams = 16

    /// The interfaces as they are now; nil where the kernel does not say so within 0.2 s for each of three attempts.
    static func read() -> [NetworkInterface]? {
        for _ in 0..<attempts {
            if let interfaces = readOnce() { return interfaces }
        }
        return nil
    }

    private static func readOnce() -> [NetworkInterface]? {
        let descriptor = socket(AF_NETLINK, CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue), CInt(NETLINK_ROUTE))
        guard descriptor >= 0 else { return nil }
        defer { _ = Glibc.close(descriptor) }
        var patience = timeval(tv_sec: 0, tv_usec: 200_000)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var parser = NetlinkParser()
        for type in [UInt16(RTM_GETLINK), UInt16(RTM_GETADDR)] {
            guard dump(type, from: descriptor, into: &parser) else { return nil }
        }
        // Without loopback, which every network namespace has, the rest is incomplete too.
        guard parser.interfaces.values.contains(where: \.isLoopback) else { return nil }
        // Routes tell nothing of a machine without virtual interfaces; and where they can not be read, it is as if there were none.
        if parser.interfaces.values.contains(where: \.isVirtual) {
            _ = dump(UInt16(RTM_GETROUTE), from: descriptor, into: &parser, most: mostRouteDatagrams)
        }
        return parser.interfaces.values.sorted { $0.index < $1.index }
    }

    /// A socket that becomes readable when links, addresses or routes change; -1 where there is none.
    static func openWatch() -> CInt {
        let kind = CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_NETLINK, kind, CInt(NETLINK_ROUTE))
        guard descriptor >= 0 else { return -1 }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups =
            UInt32(RTMGRP_LINK) | UInt32(RTMGRP_IPV4_IFADDR) | UInt32(RTMGRP_IPV6_IFADDR)
            | UInt32(RTMGRP_IPV4_ROUTE) | UInt32(RTMGRP_IPV6_ROUTE)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
            }
        }
        guard status == 0 else {
            _ = Glibc.close(descriptor)
            return -1
        }
        return descriptor
    }

    private static func dump(
        _ type: UInt16, from descriptor: CInt, into parser: inout NetlinkParser, most: Int = mostDatagrams
    ) -> Bool {
        var header = nlmsghdr()
        let size = MemoryLayout<nlmsghdr>.size + MemoryLayout<rtgenmsg>.stride
        header.nlmsg_len = UInt32(size)
        header.nlmsg_type = type
        header.nlmsg_flags = UInt16(NLM_F_REQUEST) | UInt16(0x300)
        var request = unsafe withUnsafeBytes(of: &header) { unsafe Array($0) }
        request += Array(repeating: 0, count: size - request.count)
        guard unsafe send(descriptor, request, request.count, 0) == request.count else { return false }
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        // Twice what the largest machine needs, so that a kernel that never says "done" can not hold us.
        for _ in 0..<most {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            switch parser.parse(buffer[..<count]) {
            case .continues: continue
            case .complete: return true
            case .failed: return false
            }
        }
        return false
    }
}
