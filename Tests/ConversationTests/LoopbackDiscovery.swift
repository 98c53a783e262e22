import ChatNode
import Synchronization
import Wire

/// The nodes that listen on loopback, announced to all of them at once: a shared link without mDNS.
final class LoopbackDirectory: Sendable {
    private struct Entry {
        let announcement: Announcement
        let tell: @Sendable (DiscoveryEvent) -> Void

        var found: DiscoveryEvent {
            .found(
                instance: announcement.instance,
                endpoint: Endpoint(address: [127, 0, 0, 1], port: announcement.port))
        }
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ announcement: Announcement, _ tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        let new = Entry(announcement: announcement, tell: tell)
        let others = entries.withLock { entries in
            defer { entries.append(new) }
            return entries.filter { $0.announcement.subtype == announcement.subtype }
        }
        for other in others {
            other.tell(new.found)
            new.tell(other.found)
        }
    }

    func remove(_ instance: String) {
        let others = entries.withLock { entries in
            entries.removeAll { $0.announcement.instance == instance }
            return entries
        }
        for other in others { other.tell(.lost(instance: instance)) }
    }
}

final class LoopbackDiscovery: PeerDiscovery {
    private let directory: LoopbackDirectory
    private let instance = Mutex<String?>(nil)
    private let runs = Mutex<Set<LinkedRun>>([])

    init(directory: LoopbackDirectory) {
        self.directory = directory
    }

    func start(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        tell(.mode(.embedded, detail: "a list in memory"))
        announce(announcement)
        directory.add(announcement, tell)
    }

    func announce(_ announcement: Announcement) {
        instance.withLock { $0 = announcement.instance }
    }

    /// Its current instance name.
    var name: InstanceName? { instance.withLock { $0.flatMap(InstanceName.init) } }

    /// The runs that its node has links to.
    var linked: Set<LinkedRun> { runs.withLock { $0 } }

    func linkOpened(to run: LinkedRun) { runs.withLock { _ = $0.insert(run) } }
    func linkClosed(to run: LinkedRun) { runs.withLock { _ = $0.remove(run) } }

    func stop() async {
        if let instance = instance.withLock({ $0 }) { directory.remove(instance) }
    }
}
