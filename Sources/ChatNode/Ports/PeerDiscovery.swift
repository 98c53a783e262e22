/// What a node publishes about itself: nothing that outlives the run or names its user (Protocol.md section 10).
package struct Announcement: Hashable, Sendable {
    /// The text of an `InstanceName`: 26 characters.
    package let instance: String
    /// A random label under `.local`, without the suffix.
    package let host: String
    package let port: UInt16
    /// `_r` and 8 hexadecimal digits of the room, so that rooms do not see each other.
    package let subtype: String

    package init(instance: String, host: String, port: UInt16, subtype: String) {
        self.instance = instance
        self.host = host
        self.port = port
        self.subtype = subtype
    }
}

/// Which way peers are looked for.
package enum DiscoveryMode: String, Sendable {
    case daemon
    case embedded
    case none
}

/// What discovery has seen. All of it is a hint until a handshake proves who is there.
package enum DiscoveryEvent: Hashable, Sendable {
    /// An instance can be reached at an endpoint; each endpoint is told once while it holds.
    case found(instance: String, endpoint: Endpoint)
    /// An instance's last endpoint is gone.
    case lost(instance: String)
    /// Our own interfaces or addresses are not what they were.
    case networkChanged
    /// Our names are those of another network, or somebody else has them: others are to be announced.
    case namesOutdated
    /// The way of looking has changed, or is known for the first time.
    case mode(DiscoveryMode, detail: String)
}

/// A port: announces this node and tells of others. Lives on an executor of its own; all calls return at once.
package protocol PeerDiscovery: AnyObject, Sendable {
    /// Whether it tells a `.mode` soon after `start`; a list of fixed addresses does not.
    var reportsMode: Bool { get }

    /// Announces and looks, until `stop`. `tell` is called on any thread.
    func start(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void)

    /// Replaces the announcement: the old one is taken back.
    func announce(_ announcement: Announcement)

    /// There is a link to a run of somebody: where many are to be asked about, it is not.
    func linkOpened(to run: LinkedRun)

    /// The last link to a run has ended: it is asked about as others are.
    func linkClosed(to run: LinkedRun)

    /// Takes the announcement back and stops looking.
    func stop() async

    /// Counters of what was seen and found no room; on any thread.
    var refusals: [Counter] { get }
}

extension PeerDiscovery {
    package func linkOpened(to run: LinkedRun) {}
    package func linkClosed(to run: LinkedRun) {}
    package var refusals: [Counter] { [] }
    package var reportsMode: Bool { true }
}
