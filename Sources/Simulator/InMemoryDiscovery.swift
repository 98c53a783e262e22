package import ChatNode
import Synchronization
import Wire

/// The announcements on the simulated network, delivered as by a shared multicast link.
package final class InMemoryDirectory: Sendable {
    struct Entry: Sendable {
        var announcement: Announcement
        /// The size of the room as its node knows it; nil in a small room.
        var crowd: Crowd?
        /// It answers each newcomer, also in a crowd.
        let isEager: Bool
        var missesPeers = false
        let tell: @Sendable (DiscoveryEvent) -> Void
    }

    private let network: InMemoryNetwork
    private let entries = Mutex<[HostID: Entry]>([:])
    /// The number of the last cut or mend of the network that hosts know of.
    private let changes = Mutex(0)

    package init(network: InMemoryNetwork) {
        self.network = network
    }

    /// How long after a goodbye a listing ends (RFC 6762 section 10.1).
    static let goodbyeGrace = Duration.seconds(1)

    func add(_ host: HostID, _ entry: Entry) {
        entries.withLock { $0[host] = entry }
        introduce(host)
    }

    func replace(_ announcement: Announcement, of host: HostID) {
        remove(host, keepsListening: true)
        entries.withLock { $0[host]?.announcement = announcement }
        introduce(host)
    }

    /// Takes an announcement back; `keepsListening` when it is only about to be replaced.
    package func remove(_ host: HostID, keepsListening: Bool = false) {
        let (gone, others) = entries.withLock { entries in
            let gone = entries[host]
            if !keepsListening { entries[host] = nil }
            return (gone, entries.filter { $0.key != host && network.canSee(host, $0.key) })
        }
        guard let gone else { return }
        for (_, entry) in others.sorted(by: { $0.key < $1.key }) {
            tell(entry, .lost(instance: gone.announcement.instance), after: InMemoryDirectory.goodbyeGrace)
        }
    }

    /// Drops a host that vanished: no goodbye is sent, and others keep its records until they expire.
    package func forget(_ host: HostID) {
        entries.withLock { $0[host] = nil }
    }

    func record(_ crowd: Crowd, of host: HostID) {
        entries.withLock { $0[host]?.crowd = crowd }
    }

    /// The current announcement of a host.
    package func announcement(of host: HostID) -> Announcement? {
        entries.withLock { $0[host]?.announcement }
    }

    /// Announces all hosts within reach to each other again, as after a partition.
    package func reintroduceAll() {
        _ = recordChange()
        for host in entries.withLock({ $0.keys.sorted() }) { introduce(host) }
    }

    /// The network was cut: records from beyond the cut expire, unless hosts are introduced before.
    package func cut() {
        let number = recordChange()
        network.timeline.schedule(at: network.timeline.now + Self.timeToLive) { [weak self] in self?.expire(number) }
    }

    /// As long as a PTR record of a node lives.
    private static let timeToLive = Duration.seconds(600)

    private func recordChange() -> Int {
        changes.withLock {
            $0 += 1
            return $0
        }
    }

    private func expire(_ number: Int) {
        guard changes.withLock({ $0 }) == number else { return }
        let all = entries.withLock { $0.sorted { $0.key < $1.key } }
        for (host, entry) in all {
            for (other, gone) in all where other != host && gone.announcement.subtype == entry.announcement.subtype {
                guard !network.canSee(host, other) else { continue }
                entry.tell(.lost(instance: gone.announcement.instance))
            }
        }
    }

    /// Peers of a host fell silent, or are back: it announces itself once and asks often, as a real node does (Protocol.md
    /// section 10).
    func peersMissed(_ areMissed: Bool, by host: HostID) {
        let isNew = entries.withLock { entries in
            defer { entries[host]?.missesPeers = areMissed }
            return areMissed && entries[host]?.missesPeers == false
        }
        guard isNew else { return }
        let timeline = network.timeline
        timeline.schedule(at: timeline.now + network.drawAnswerPause()) { [weak self] in
            self?.introduce(host)
            self?.ask(host, after: .seconds(1), until: timeline.now + .seconds(7_200))
        }
    }

    private func ask(_ host: HostID, after pause: Duration, until end: Instant) {
        network.timeline.schedule(at: network.timeline.now + pause) { [weak self] in
            guard let self, entries.withLock({ $0[host]?.missesPeers }) == true,
                network.timeline.now < end
            else { return }
            hearAnswers(host)
            ask(host, after: min(pause * 2, .seconds(16)), until: end)
        }
    }

    /// Tells a host that its own interfaces or addresses have changed, so that its names have to.
    package func networkChanged(of host: HostID) {
        let entry = entries.withLock { $0[host] }
        for event in [DiscoveryEvent.namesOutdated, .networkChanged] { entry?.tell(event) }
    }

    /// Announces a host and the hosts within its reach to each other, also if they have heard it before. Others hear its
    /// announcement; it hears their answers, each after a while, so that not all answer at once, and in a crowd not each does.
    package func introduce(_ host: HostID) {
        hearAnswers(host) { mine, entry in
            for endpoint in network.endpoints(of: host) {
                tell(entry, found(mine, at: endpoint, weight: 1), after: network.drawMulticastDelay())
            }
        }
    }

    /// A host hears the answers of others within its reach; `tellOther` comes before each.
    private func hearAnswers(_ host: HostID, before tellOther: (_ mine: Entry, _ other: Entry) -> Void = { _, _ in }) {
        let all = entries.withLock { $0 }
        guard let mine = all[host] else { return }
        let others = all.filter { other, entry in
            other != host && entry.announcement.subtype == mine.announcement.subtype && network.canSee(host, other)
        }
        for (other, entry) in others.sorted(by: { $0.key < $1.key }) {
            tellOther(mine, entry)
            let weight = max(network.drawAnswer(of: entry.crowd), entry.isEager ? 1 : 0)
            guard weight > 0 else { continue }
            for endpoint in network.endpoints(of: other) {
                let pause = network.drawMulticastDelay() + network.drawAnswerPause()
                tell(mine, found(entry, at: endpoint, weight: weight), after: pause)
            }
        }
    }

    private func found(_ entry: Entry, at endpoint: Endpoint, weight: Int) -> DiscoveryEvent {
        .found(instance: entry.announcement.instance, endpoint: endpoint, weight: weight)
    }

    private func tell(_ entry: Entry, _ event: DiscoveryEvent, after delay: Duration) {
        network.timeline.schedule(at: network.timeline.now + delay) { entry.tell(event) }
    }
}

/// One host's discovery on the simulated network.
package final class InMemoryDiscovery: PeerDiscovery {
    private let directory: InMemoryDirectory
    private let host: HostID
    private let isDeaf: Bool
    private let isEager: Bool

    /// - Parameters:
    ///   - isDeaf: true if it announces and hears no announcements.
    ///   - isEager: true if it answers each newcomer, also in a crowd.
    package init(directory: InMemoryDirectory, host: HostID, isDeaf: Bool = false, isEager: Bool = false) {
        self.isEager = isEager
        self.directory = directory
        self.host = host
        self.isDeaf = isDeaf
    }

    package func start(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        tell(.mode(.embedded, detail: "simulated"))
        directory.add(
            host,
            InMemoryDirectory.Entry(announcement: announcement, isEager: isEager) { [isDeaf] event in
                if !isDeaf { tell(event) }
            })
    }

    package func announce(_ announcement: Announcement) {
        directory.replace(announcement, of: host)
    }

    package func peersMissed(_ areMissed: Bool) {
        directory.peersMissed(areMissed, by: host)
    }

    package func crowdChanged(_ crowd: Crowd) {
        directory.record(crowd, of: host)
    }

    package func stop() async {
        directory.remove(host)
    }
}
