package import ChatNode
package import Reactor

/// Observations of this machine's network within a few seconds, not yet judged.
package struct NetworkObservations: Hashable, Sendable {
    /// The state of the daemon.
    package enum Daemon: Hashable, Sendable {
        case answers
        /// There is no system bus to ask it by.
        case hasNoBus
        /// There is a bus, and no daemon on it.
        case isAbsent
        /// It was asked, and says nothing.
        case hangs
        case failed(String)
    }

    package var interfaces: [InterfaceObservation] = []
    package var daemon = Daemon.hangs
    /// Why this program can not answer mDNS itself; nil where it can, or need not.
    package var embeddedFailure: String?
    package var nodes = NodeCounts()
    /// The setting net.ipv4.tcp_timestamps, which is for IPv6 too; nil where the system does not tell.
    package var tcpTimestamps: Int?

    package init() {}
}

/// How many nodes answered, by room and machine.
package struct NodeCounts: Hashable, Sendable {
    /// Of the room, on other machines.
    package var peers = 0
    /// Of those, the ones that announce no address that this machine can reach.
    package var unreachable = 0
    /// Of the room, on this machine.
    package var own = 0
    /// Of other rooms, on other machines.
    package var others = 0
    /// Of other rooms, on this machine.
    package var ownOthers = 0
}

/// An interface of this machine, and what became of packets on it.
package struct InterfaceObservation: Hashable, Sendable {
    package let interface: NetworkInterface
    /// One for each family that it has an address of; none for an interface that takes no part.
    package var families: [FamilyObservation] = []

    /// The announced addresses.
    package var endpoints: [Endpoint] {
        interface.publishableAddresses.map {
            let isScoped = Endpoint(address: $0, port: 0).isLinkLocalIPv6
            return Endpoint(address: $0, port: 0, scope: isScoped ? interface.index : 0)
        }
    }
}

/// The fate of packets on one interface in one address family.
package struct FamilyObservation: Hashable, Sendable {
    /// The fate of a packet to a multicast group that this machine is a member of.
    package enum Passage: Hashable, Sendable {
        /// It came back, as a packet of any host would come.
        case open
        /// It was sent, and something on this machine dropped it.
        case dropped
        /// The system would not send it, or give the port away.
        case refused(SystemError)
    }

    package let family: Family
    /// At the port of mDNS.
    package var mdns = Passage.dropped
    /// At a port that is open only in a firewall that is open for everything.
    package var otherPort = Passage.dropped
    /// Whether the record that the responder of this machine was given can be asked for.
    package var isAnswered = false
    /// Names under which this machine's address is published.
    package var names: Set<String> = []
    /// Addresses of other machines that mDNS was heard from.
    package var others: Set<[UInt8]> = []
}
