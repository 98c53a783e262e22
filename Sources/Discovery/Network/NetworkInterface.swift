internal import ChatNode

/// An address of ours, as the kernel tells it.
package struct InterfaceAddress: Hashable, Sendable {
    /// 4 bytes for IPv4, 16 for IPv6.
    package let bytes: [UInt8]
    /// How many leading bits the neighbours on the link share with it.
    let prefixLength: Int
    /// Neither being checked for duplicates, nor found to be one, nor on its way out.
    var isUsable = true

    var isIPv4: Bool { bytes.count == 4 }
    var isLinkLocal: Bool { isIPv4 ? bytes.starts(with: [169, 254]) : bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 }

    /// Whether the last 64 bits were made from the hardware address, which outlives every run (RFC 4291 appendix A).
    var isEUI64: Bool { !isIPv4 && bytes[11] == 0xff && bytes[12] == 0xfe }

    /// Whether `address` of the same family shares the prefix.
    func covers(_ address: [UInt8]) -> Bool {
        Subnet(bytes, prefixLength: prefixLength).covers(address)
    }
}

/// A network interface of this machine with its addresses.
package struct NetworkInterface: Hashable, Sendable {
    package let index: UInt32
    package let name: String
    /// The kind in the kernel's words: `veth`, `bridge`, `tun`; empty for a card.
    package var kind = ""
    package var isUp = true
    /// Up and with a carrier.
    package var isRunning = true
    /// How often it has got or lost its carrier: between two readings it may have been on another network.
    var carrierChanges: UInt32 = 0
    package var isLoopback = false
    package var hasMulticast = true
    package var isPointToPoint = false
    /// The index of the bridge, bond or other interface that it is a port of.
    var master: UInt32?
    /// Whether a route to everywhere leads over it.
    var hasDefaultRoute = false
    package var addresses: [InterfaceAddress] = []

    /// Whether mDNS works on it as far as flags can tell.
    package var carriesMulticast: Bool { isUp && isRunning && (isLoopback || hasMulticast && !isPointToPoint) }

    /// Its kinds lead to the containers and virtual machines of this machine, unless the way to everywhere leads over it.
    private static let virtualKinds: Set<String> = ["bridge", "dummy", "geneve", "tun", "veth", "vxlan"]

    /// Whether it is of a kind that leads no further than this machine as a rule.
    package var isVirtual: Bool { Self.virtualKinds.contains(kind) }

    /// True if an announced address is still one of this interface.
    func keeps(_ address: [UInt8]) -> Bool { addresses.contains { $0.isUsable && $0.bytes == address } }

    /// The addresses that multicast is sent from. On loopback nothing is sent by IPv6.
    func sources(_ family: Family) -> [[UInt8]] {
        if isLoopback, family == .ipv6 { return [] }
        return addresses.filter { $0.isUsable && $0.isIPv4 == (family == .ipv4) }.map(\.bytes)
    }

    /// The addresses to announce: one IPv4 and one IPv6 address at most.
    var publishableAddresses: [[UInt8]] {
        let usable = addresses.filter(\.isUsable)
        let ipv4 = usable.filter(\.isIPv4).min { !$0.isLinkLocal && $1.isLinkLocal }
        let ipv6 = usable.filter { !$0.isIPv4 && !$0.isEUI64 }.min { $0.isLinkLocal && !$1.isLinkLocal }
        let chosen = [ipv4, ipv6].compactMap { $0 }
        guard chosen.isEmpty else { return chosen.map(\.bytes) }
        // An address that holds the MAC is better than none.
        return usable.prefix(1).map(\.bytes)
    }
}
