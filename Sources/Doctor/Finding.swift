/// One thing that holds for this machine or its network.
struct Finding: Hashable, Sendable {
    enum Severity: String, Hashable, Sendable { case ok, note, problem }

    /// The code by which scripts distinguish findings. A code never changes.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// An interface by which peers can be found.
        case interface
        case noNetwork = "no_network"
        case onlyLoopback = "only_loopback"
        case noMulticast = "no_multicast"
        /// An interface that carries no multicast, beside others that do.
        case tunnel
        case multicastOff = "multicast_off"
        case virtualInterface = "virtual_interface"
        /// UDP port 5353.
        case mdns
        case firewall
        case firewallDefault = "firewall_default"
        case noMulticastRoute = "no_multicast_route"
        case mdnsPortTaken = "mdns_port_taken"
        case daemon
        case noDaemon = "no_daemon"
        case daemonHangs = "daemon_hangs"
        case noResponder = "no_responder"
        case responderSilent = "responder_silent"
        case hostName = "host_name"
        /// The TCP port.
        case port
        case firewallPort = "firewall_port"
        /// The clock in the kernel's TCP packets.
        case timestamps
        case peers
        /// Nodes of the room that announce no address of a network that this machine is in.
        case unreachable
        /// A node on this machine.
        case ownNode = "own_node"
        /// Nodes of other rooms answered on other machines, none of this room.
        case emptyRoom = "empty_room"
        case nobody
        case nobodyHeard = "nobody_heard"
        /// A broker of `--bridge`.
        case broker
        /// The port of an IRC gateway on loopback.
        case gateway
    }

    let severity: Severity
    package let code: Code
    /// The name of the one interface that it is about.
    package let interface: String?
    /// The fact, as a sentence without its full stop.
    package let message: String
    /// The remedy; nil where none is needed.
    package let advice: String?

    package static func ok(_ code: Code, on interface: String? = nil, _ message: String) -> Finding {
        Finding(severity: .ok, code: code, interface: interface, message: message, advice: nil)
    }

    package static func note(_ code: Code, on interface: String? = nil, _ message: String, _ advice: String) -> Finding
    {
        Finding(severity: .note, code: code, interface: interface, message: message, advice: advice)
    }

    package static func problem(_ code: Code, on interface: String? = nil, _ message: String, _ advice: String)
        -> Finding
    {
        Finding(severity: .problem, code: code, interface: interface, message: message, advice: advice)
    }
}
