import ChatNode
package import Discovery
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

    func discoveries() throws(SystemError) -> [any PeerDiscovery] {
        var discoveries: [any PeerDiscovery] = []
        if let policy { discoveries.append(try AvahiDiscovery(policy: policy, interfaces: interfaces)) }
        if !peers.isEmpty { discoveries.append(try StaticDiscovery(peers: peers)) }
        return discoveries
    }

    private var policy: AvahiDiscovery.Policy? {
        switch discovery {
        case .auto: .automatic
        case .daemon: .daemon
        case .embedded: .embedded
        case .none: nil
        }
    }
}
