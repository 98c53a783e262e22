internal import Chat
internal import Discovery
internal import Reactor

/// The way in which a room is joined on the network of this machine.
public struct Options: Sendable, Hashable {
    /// The way in which peers are found.
    public enum Discovery: Sendable, Hashable {
        /// By the Avahi daemon if it runs, and otherwise by mDNS of this process.
        case automatic
        /// Only by the Avahi daemon.
        case daemon
        /// Only by mDNS of this process.
        case embedded
        /// Not at all: only the named peers are dialled, and this node is found by those alone that name it.
        case disabled
    }

    /// The way in which peers are found; `automatic` unless it is set.
    public var discovery = Discovery.automatic
    /// The TCP port to listen on; 0, the default, for one of the system's choice.
    public var port: UInt16 = 0
    /// Peers that are dialled besides, each as `HOST:PORT`, an IPv6 address in square brackets.
    public var peers: [String] = []
    /// Names of the only network interfaces to use, as `eth0`; empty for all.
    public var interfaces: [String] = []
    /// Whether the last messages are asked of peers, and given to newcomers; true unless it is set.
    public var sharesHistory = true

    /// The defaults: found by mDNS, on all interfaces, at a port of the system's choice.
    public init() {}

    /// - Throws: `JoinError` with `noInterface`, `invalidPeer`.
    func network() throws(JoinError) -> LocalNetwork {
        var network = LocalNetwork()
        network.discovery =
            switch discovery {
            case .automatic: .auto
            case .daemon: .daemon
            case .embedded: .embedded
            case .disabled: .none
            }
        for name in interfaces where name.utf8.contains(0) || !ProcessEnvironment.hasInterface(name) {
            throw JoinError(.noInterface, StartFailure(noInterface: name).message)
        }
        network.interfaces = interfaces
        for text in peers {
            guard let peer = PeerAddress(text) else {
                throw JoinError(.invalidPeer, "\"\(DisplayGuard.safe(text))\" is no peer; write HOST:PORT")
            }
            network.peers.append(peer)
        }
        return network
    }
}
