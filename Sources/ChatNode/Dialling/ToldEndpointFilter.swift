import Wire

/// Decides which of the endpoints that a peer tells may be dialled (Protocol.md section 8): a member must not make a node dial
/// ports of its own machine, of a router, of a cloud's own services, or of other networks.
package struct ToldEndpointFilter: Sendable {
    private let network: LinkNetwork?
    private let isWithinMachine: Bool
    private let allowsLoopback: Bool

    /// - Parameters:
    ///   - network: that of the link on which endpoints come; nil if it is not known.
    ///   - isWithinMachine: whether both ends of that link are on this machine.
    ///   - allowsLoopback: whether the user named a peer at a loopback address.
    package init(network: LinkNetwork?, isWithinMachine: Bool, allowsLoopback: Bool) {
        (self.network, self.isWithinMachine, self.allowsLoopback) = (network, isWithinMachine, allowsLoopback)
    }

    package func allows(_ endpoint: Endpoint) -> Bool {
        guard endpoint.port >= Limits.leastToldPort else { return false }
        guard !isWithinMachine, !endpoint.isLoopback else {
            return isWithinMachine && allowsLoopback && endpoint.isLoopback
        }
        guard endpoint.isOfPlainHost, let network, !network.ownAddresses.contains(endpoint.address),
            !network.gateways.contains(endpoint.address)
        else { return false }
        if endpoint.isLinkLocalIPv6, endpoint.scope == 0 || endpoint.scope != network.scope { return false }
        let subnets = network.subnets.filter { $0.covers(endpoint.address) }
        return !subnets.isEmpty && !subnets.contains { $0.isOfAll(endpoint.address) }
    }
}

extension Endpoint {
    /// No address of one host on a link, whichever subnet it is in: of many hosts, of this one, with an IPv4 address inside that
    /// a translator or a tunnel would lead to, or where clouds answer their machines about themselves.
    private static let ranges: [Subnet] = [
        Subnet([0, 0, 0, 0], prefixLength: 8), Subnet([224, 0, 0, 0], prefixLength: 3),
        Subnet([169, 254, 169, 0], prefixLength: 24), Subnet([169, 254, 170, 0], prefixLength: 24),
        Subnet([100, 100, 100, 200], prefixLength: 32),
        // Among others ::127.0.0.1, ::ffff:127.0.0.1, ::ffff:0:127.0.0.1 and 64:ff9b::127.0.0.1.
        six([], prefixLength: 8), six([0xff], prefixLength: 8),
        // Teredo and 6to4.
        six([0x20, 1, 0, 0], prefixLength: 32), six([0x20, 2], prefixLength: 16),
        six([0xfd, 0, 0xe, 0xc2], prefixLength: 32),
    ]

    private static func six(_ first: [UInt8], prefixLength: Int) -> Subnet {
        Subnet(first + [UInt8](repeating: 0, count: 16 - first.count), prefixLength: prefixLength)
    }

    /// The interface identifier of ISATAP, with an IPv4 address behind it.
    private var isOfTunnel: Bool {
        !isIPv4 && address[8] & 0xfd == 0 && address[9...11].elementsEqual([0, 0x5e, 0xfe])
    }

    /// Whether one host on a link can be meant, and no other way to it than the link.
    fileprivate var isOfPlainHost: Bool {
        !isLoopback && !isOfTunnel && !Endpoint.ranges.contains { $0.covers(address) }
    }
}

extension Limits {
    /// The least port that is dialled because a peer named it. A lower one lets a peer make nodes connect to services
    /// of the machine's system; a higher one excludes nodes whose users chose their ports.
    static let leastToldPort: UInt16 = 1_024
}
