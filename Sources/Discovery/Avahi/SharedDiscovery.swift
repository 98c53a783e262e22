package import Reactor
import Synchronization

/// The mDNS of one process, which all of its nodes share: one connection to the Avahi daemon, one embedded responder, one
/// socket for each interface and family, one watch of the network, two threads (Protocol.md section 10).
///
/// It runs from the start of the first port to the stop of the last one, and a later port runs it anew. The program opens
/// the ports, so it bounds the tables of rooms.
package final class SharedDiscovery: Sendable {
    /// Which Avahi may be used.
    package enum Policy: Sendable {
        /// The daemon where it answers, otherwise the embedded one; a daemon that appears later is taken up.
        case automatic
        case daemon
        case embedded
    }

    private let policy: Policy
    private let interfaces: [String]
    private let current = Mutex<AvahiDiscovery?>(nil)

    /// - Parameter interfaces: names of the interfaces that take part; empty for all.
    package init(policy: Policy, interfaces: [String] = []) {
        self.policy = policy
        self.interfaces = interfaces
    }

    /// The discovery of one node.
    ///
    /// - Throws: the refusal of an event loop, by the system.
    package func port() throws(SystemError) -> AvahiRoom {
        let (policy, interfaces) = (policy, interfaces)
        return try current.withLock { current throws(SystemError) in
            if let discovery = current, let room = discovery.claim() { return AvahiRoom(room, of: discovery) }
            let discovery = try AvahiDiscovery(policy: policy, interfaces: interfaces)
            current = discovery
            return AvahiRoom(discovery.claim() ?? 0, of: discovery)
        }
    }
}
