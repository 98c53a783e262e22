package import ChatNode
package import Reactor
import Synchronization

/// Peers that were named when the program was started. Their names are looked up until they are known; announces
/// nothing and tells no mode.
package final class StaticDiscovery: PeerDiscovery {
    private enum Stage { case idle, running, stopped }

    private let search: StaticSearch
    private let stage = Mutex(Stage.idle)

    package var reportsMode: Bool { false }

    package init(peers: [PeerAddress]) throws(SystemError) {
        search = try StaticSearch(peers: peers)
    }

    /// Each peer is told as an instance of the name that it was given by.
    package func start(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        let isFirst = stage.withLock { stage in
            defer { if stage == .idle { stage = .running } }
            return stage == .idle
        }
        guard isFirst else { return }
        search.start(tell)
    }

    package func announce(_ announcement: Announcement) {}

    package func stop() async {
        stage.withLock { $0 = .stopped }
        search.stop()
    }
}
