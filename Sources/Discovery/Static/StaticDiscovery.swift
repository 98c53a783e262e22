package import ChatNode
package import Reactor
import Synchronization

/// The peers of `--peer`. Their names are looked up until they are known, after failed dials and every 5 min; it announces
/// nothing and reports no mode.
package final class StaticDiscovery: PeerDiscovery {
    private enum Stage { case idle, running, stopped }

    private let search: StaticSearch
    private let stage = Mutex(Stage.idle)

    package var reportsMode: Bool { false }

    package convenience init(peers: [PeerAddress]) throws(SystemError) {
        try self.init(peers: peers, lookUp: Resolver.endpoints)
    }

    /// - Parameter lookUp: the endpoints of a peer; called on a thread that may block.
    init(peers: [PeerAddress], lookUp: @escaping StaticSearch.LookUp) throws(SystemError) {
        search = try StaticSearch(peers: peers, lookUp: lookUp)
    }

    /// Each peer is reported as an instance under the text that the user gave.
    package func start(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        let isFirst = stage.withLock { stage in
            defer { if stage == .idle { stage = .running } }
            return stage == .idle
        }
        guard isFirst else { return }
        search.start(tell)
    }

    package func announce(_ announcement: Announcement) {}

    package func dialFailed(_ instance: String) { search.dialFailed(instance) }

    package func stop() async {
        stage.withLock { $0 = .stopped }
        search.stop()
    }
}
