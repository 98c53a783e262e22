import Wire

/// Decides which of the endpoints that a peer tells may be dialled (Protocol.md section 8): a member must not make a node dial
/// ports of its own machine, of a router, or of other networks.
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
        guard endpoint.isUnicast, let network, !network.ownAddresses.contains(endpoint.address) else { return false }
        if endpoint.isLinkLocalIPv6, endpoint.scope == 0 || endpoint.scope != network.scope { return false }
        return network.subnets.contains { subnet in
            subnet.covers(endpoint.address) && !(endpoint.isIPv4 && subnet.isOfAll(endpoint.address))
        }
    }
}
