import CLinux
import ChatNode
import Glibc
import Reactor

/// A UDP socket for multicast DNS on one interface, in one address family (RFC 6762 section 3).
final class MulticastSocket {
    /// The packets that a socket receives.
    enum Use: Hashable, Sendable, CaseIterable {
        /// Packets to the group of mDNS at port 5353, shared with other listeners.
        case mdns
        /// Packets to that group at another port.
        case otherPort
        /// Answers to its own questions, at a port of its own.
        case asker
    }

    static let port: UInt16 = 5_353
    /// No larger message is sent (RFC 6762 section 17).
    static let maximumMessage = 9_000

    private let descriptor: Descriptor
    private let group: Endpoint

    /// - Parameters:
    ///   - source: the address of the interface that packets come from; the system chooses one of IPv6 by itself.
    ///   - other: the port of `.otherPort`.
    ///   - reach: hops that a packet may go; with 0 it is heard on this machine alone.
    init(
        _ use: Use, at interface: UInt32, from source: [UInt8], other: UInt16, reach: UInt8
    ) throws(SystemError) {
        let family: Family = source.count == 4 ? .ipv4 : .ipv6
        group = Self.group(family, interface: interface, port: use == .otherPort ? other : Self.port)
        let kind = CInt(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = try Descriptor("socket", socket(family == .ipv4 ? AF_INET : AF_INET6, kind, 0))
        switch family {
        case .ipv4: try prepareIPv4(interface, from: source, joins: use != .asker, reach: reach)
        case .ipv6: try prepareIPv6(interface, joins: use != .asker, reach: reach)
        }
        guard use != .asker else { return }
        // Bound to the group, it takes no packet that is meant for another responder of this machine.
        try set(SOL_SOCKET, SO_REUSEADDR, to: CInt(1))
        let group = group
        let result = unsafe SocketAddress(group).lend { unsafe bind(descriptor.number, $0, $1) }
        try SystemError.check("bind", result)
    }

    var number: CInt { descriptor.number }

    /// Sends from one of several addresses of IPv6, among which the system would choose; those of IPv4 are chosen already.
    func sendFrom(_ source: [UInt8], at interface: UInt32) throws(SystemError) {
        guard source.count == 16 else { return }
        // A struct in6_pktinfo (RFC 3542 section 6.1), the interface in the machine's byte order.
        var information = source
        var index = interface
        unsafe withUnsafeBytes(of: &index) { unsafe information.append(contentsOf: $0) }
        let result = unsafe setsockopt(
            descriptor.number, CInt(IPPROTO_IPV6), IPV6_PKTINFO, information, socklen_t(information.count))
        try SystemError.check("setsockopt", result)
    }

    func send(_ bytes: [UInt8]) throws(SystemError) {
        let number = descriptor.number
        let count = unsafe SocketAddress(group).lend {
            unsafe CInt(truncatingIfNeeded: sendto(number, bytes, bytes.count, 0, $0, $1))
        }
        try SystemError.check("sendto", count)
    }

    /// The next datagram that waits, and its sender; nil when there is none.
    func receive() -> (bytes: [UInt8], from: Endpoint)? {
        var buffer = [UInt8](repeating: 0, count: Self.maximumMessage)
        guard let (count, sender) = receive(into: &buffer) else { return nil }
        return (Array(buffer[..<count]), sender)
    }

    /// Receives into a buffer, of which it fills `count` bytes.
    func receive(into buffer: inout [UInt8]) -> (count: Int, from: Endpoint)? {
        let number = descriptor.number
        let (count, address) = unsafe SocketAddress.written { address, length in
            unsafe CInt(truncatingIfNeeded: recvfrom(number, &buffer, buffer.count, 0, address, length))
        }
        guard count >= 0, let sender = address.endpoint else { return nil }
        return (Int(count), sender)
    }

    private static func group(_ family: Family, interface: UInt32, port: UInt16) -> Endpoint {
        switch family {
        case .ipv4: Endpoint(address: [224, 0, 0, 251], port: port)
        case .ipv6:
            Endpoint(
                address: [0xff, 2] + [UInt8](repeating: 0, count: 13) + [0xfb], port: port, scope: interface)
        }
    }

    private func prepareIPv4(
        _ interface: UInt32, from source: [UInt8], joins: Bool, reach: UInt8
    ) throws(SystemError) {
        var membership = ip_mreqn()
        // On loopback the system would choose none.
        membership.imr_address.s_addr = source.reduce(0) { $0 << 8 | UInt32($1) }.bigEndian
        membership.imr_multiaddr.s_addr = UInt32(0xe000_00fb).bigEndian
        membership.imr_ifindex = CInt(interface)
        try set(CInt(IPPROTO_IP), IP_MULTICAST_IF, to: membership)
        try set(CInt(IPPROTO_IP), IP_MULTICAST_TTL, to: CInt(reach))
        guard joins else { return }
        try set(CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, to: membership)
        // Else it hears whatever any program here has joined, on any interface.
        try set(CInt(IPPROTO_IP), IP_MULTICAST_ALL, to: CInt(0))
    }

    private func prepareIPv6(_ interface: UInt32, joins: Bool, reach: UInt8) throws(SystemError) {
        try set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, to: CInt(1))
        try set(CInt(IPPROTO_IPV6), IPV6_MULTICAST_IF, to: CInt(interface))
        try set(CInt(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, to: CInt(reach))
        guard joins else { return }
        // A struct ipv6_mreq: the group, and the interface in the machine's byte order.
        var index = interface
        var membership = group.address
        unsafe withUnsafeBytes(of: &index) { unsafe membership.append(contentsOf: $0) }
        let result = unsafe setsockopt(
            descriptor.number, CInt(IPPROTO_IPV6), IPV6_JOIN_GROUP, membership, socklen_t(membership.count))
        try SystemError.check("setsockopt", result)
    }

    private func set<Value: BitwiseCopyable>(_ level: CInt, _ option: CInt, to value: Value) throws(SystemError) {
        var value = value
        let result = unsafe setsockopt(
            descriptor.number, level, option, &value, socklen_t(MemoryLayout<Value>.size))
        try SystemError.check("setsockopt", result)
    }
}
