import Noise
package import Phrases
package import Wire

/// A node's records in mDNS: nothing that outlives the run or names its user (Protocol.md section 10).
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

/// An observation of discovery: a hint until a handshake proves the peer.
package enum DiscoveryEvent: Hashable, Sendable {
    /// An instance can be reached at an endpoint; each endpoint is reported once while it holds, and once more when it has
    /// another weight.
    ///
    /// `weight` is 0 unless a packet that lists the instance there came from that very address, as far as this process can
    /// see, or the user named it: a source that the overlay may count (Protocol.md section 10). An answer of the Avahi
    /// daemon proves nothing, because the daemon hides where it came from. Else it is the number of nodes that the source
    /// stands for: 1, or more for one that answered a question which only one in so many may answer.
    case found(instance: String, endpoint: Endpoint, weight: Int = 0)
    /// All endpoints of an instance; those reported before are stale. Not empty.
    case moved(instance: String, endpoints: [Endpoint])
    /// An instance's last endpoint is gone.
    case lost(instance: String)
    /// Our own interfaces or addresses are not what they were.
    case networkChanged
    /// Our names belong to another network, or collide with another host's: new ones are to be announced.
    case namesOutdated
    /// The way of looking has changed, or is known for the first time.
    case mode(DiscoveryMode, detail: String)
    /// A warning to the user, as one line; discovery goes on.
    case warning(NoticeCode, Sentence)
    /// Peers cannot be looked for in the way that was asked for, and never will be; the text says why.
    case failed(String)
}

/// The size of a room as its node knows it, on which the way of looking for peers depends (Protocol.md section 10).
package struct Crowd: Hashable, Sendable {
    /// Whether the node's links are those of the overlay, which are few, and not one to each peer.
    package let isOverlay: Bool
    /// Nodes of the room that were heard by mDNS, are linked or are in the roster.
    package let known: Int

    package init(isOverlay: Bool, known: Int) {
        (self.isOverlay, self.known) = (isOverlay, known)
    }
}

/// A port: announces this node and reports others. It lives on an executor of its own; all calls return at once.
package protocol PeerDiscovery: AnyObject, Sendable {
    /// Whether it reports a `.mode` soon after `start`; a list of fixed addresses does not.
    var reportsMode: Bool { get }

    /// Announces and looks, until `stop`. `tell` is called on any thread.
    func start(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void)

    /// Replaces the announcement: the old one is taken back.
    func announce(_ announcement: Announcement)

    /// A link to a run is up: where many instances wait for a query, this run's do not.
    func linkOpened(to run: LinkedRun)

    /// The last link to a run has ended: its instances are queried again.
    func linkClosed(to run: LinkedRun)

    /// A dial of an instance has failed: its endpoints may be stale.
    func dialFailed(_ instance: String)

    /// Peers fell silent and are missed, or are no more: the network may be cut in two, and where it is whole again nothing on
    /// this machine tells so. While peers are missed, others are asked for often. A node reports each peer that falls silent.
    func peersMissed(_ areMissed: Bool)

    /// The room has grown or shrunk. A node reports each change of `isOverlay`, and changes of `known` at times of its choice.
    func crowdChanged(_ crowd: Crowd)

    /// Takes the announcement back and stops looking.
    func stop() async

    /// Counters of observations that found no room; on any thread.
    var refusals: [Counter] { get }
}

extension PeerDiscovery {
    package func linkOpened(to run: LinkedRun) {}
    package func linkClosed(to run: LinkedRun) {}
    package func dialFailed(_ instance: String) {}
    package func peersMissed(_ areMissed: Bool) {}
    package func crowdChanged(_ crowd: Crowd) {}
    package var refusals: [Counter] { [] }
    package var reportsMode: Bool { true }
}

/// A run of a linked peer, as discovery knows it: by its names alone.
package struct LinkedRun: Hashable, Sendable {
    private let key: PublicKey

    /// - Parameter key: the Noise key that its handshake has proven.
    init(_ key: PublicKey) { self.key = key }

    /// Whether an instance's name is one of this run (Protocol.md section 10).
    package func owns(_ name: InstanceName) -> Bool { name.belongs(to: key) }
}

extension Limits {
    /// Nodes of a crowd, on average, that are listed under the room: as many as a room has that is no crowd. More cost
    /// each daemon and cache; with fewer, nodes that cannot ask for buckets find few peers.
    package static let beacons = 32
    /// How long a heard instance of a crowd is kept, and for how long an answer's weight holds. A longer one keeps
    /// candidates that are gone; with a shorter one, instances are forgotten before the census names them again.
    package static let crowdMemory = Duration.seconds(1_200)
}
