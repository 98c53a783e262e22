import ChatNode
import Reactor

/// How a node takes part in the network that this machine is on.
package struct LocalNetwork: Hashable, Sendable {
    /// How peers are found; `none` leaves only those that are named.
    package enum Discovery: String, Hashable, Sendable, CaseIterable { case auto, daemon, embedded, none }

    package var discovery = Discovery.auto
    /// Names of the only interfaces to use; empty for all.
    package var interfaces: [String] = []
    /// Those that are dialled besides.
    package var peers: [PeerAddress] = []

    package init() {}

    /// The mDNS that the nodes of a process share, each with a port of its own; nil where peers are not looked for.
    package typealias Shared = SharedDiscovery

    /// To be made once for a process.
    package func sharedDiscovery() -> Shared? { policy.map { SharedDiscovery(policy: $0, interfaces: interfaces) } }

    /// - Parameter shared: nil to share nothing.
    func discoveries(_ shared: Shared?) throws(SystemError) -> [any PeerDiscovery] {
        var discoveries: [any PeerDiscovery] = []
        if let shared = shared ?? sharedDiscovery() { discoveries.append(try shared.port()) }
        if !peers.isEmpty { discoveries.append(try StaticDiscovery(peers: peers)) }
        return discoveries
    }

    private var policy: SharedDiscovery.Policy? {
        switch discovery {
        case .auto: .automatic
        case .daemon: .daemon
        case .embedded: .embedded
        case .none: nil
        }
    }
}
