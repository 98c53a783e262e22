package import ChatNode
package import Reactor
import Synchronization
import Wire

/// Looks for peers by mDNS, through the Avahi daemon or an embedded one (Protocol.md section 10).
///
/// Decides on a loop of its own that never waits; the daemon is talked to on a second one, which may.
package actor AvahiDiscovery: PeerDiscovery {
    /// Which Avahi may be used.
    package enum Policy: Sendable {
        /// The daemon where it answers, otherwise the embedded one; a daemon that appears later is taken up.
        case automatic
        case daemon
        case embedded
    }

    private enum Stage { case idle, running, stopped }

    /// How long the daemon may take for its first answer before it counts as one that hangs: 4 ms as a rule, but several
    /// hundred where dozens of nodes start at once, which would all speak mDNS besides it then, and take that back. Where
    /// there is none, the bus says so at once.
    private static let patience = Duration.milliseconds(500)
    /// The timeout where the embedded responder can not help.
    private static let lonePatience = Duration.seconds(1)
    /// One that computes all the while is waited for, but not for ever: that of 200 nodes which start at once is 40 s behind,
    /// and more if they answer mDNS themselves besides.
    private static let longestPatience = Duration.seconds(120)
    /// A daemon that hangs is not waited for when the program ends.
    private static let closingTime = Duration.milliseconds(300)
    /// Both loops give way to the node's. Avahi compares each of its questions with each other one, for 0.1 s where there are a
    /// few hundred; who talks is not to wait for who looks for others.
    private static let niceness: CInt = 10

    nonisolated let loop: EventLoop
    private nonisolated let daemonLoop: EventLoop
    private nonisolated let stage = Mutex(Stage.idle)
    /// Listings that found no room; read on other threads.
    nonisolated let crowdedOut = Mutex(0)
    private nonisolated let gate = MulticastGate()
    private nonisolated let policy: Policy
    private nonisolated let interfaces: [String]

    var daemon: AvahiSource?
    var embedded: AvahiSource?
    var pulse = DaemonPulse()
    var choice: ModeChoice
    var table = InstanceTable()
    var view = NetworkView()
    var interfaceWarning = InterfaceWarning()
    private var watch: NetworkWatch?
    var announcement: Announcement?
    var firstAnnouncement = FirstAnnouncement()
    /// Beside the daemon while that can be used.
    var listener: AnnouncementListener?
    var collisions = Backoff(from: .milliseconds(100), to: .seconds(60))
    var isRenaming = false
    var isReading = false
    var nextCheck: Instant?
    var tell: (@Sendable (DiscoveryEvent) -> Void)?
    private var ending: CheckedContinuation<Bool, Never>?

    /// - Parameter interfaces: names of the interfaces that take part; empty for all.
    package init(policy: Policy, interfaces: [String] = []) throws(SystemError) {
        self.policy = policy
        self.interfaces = interfaces
        choice = ModeChoice(policy: policy)
        loop = try EventLoop(name: "discovery", niceness: AvahiDiscovery.niceness)
        daemonLoop = try EventLoop(name: "avahi", niceness: AvahiDiscovery.niceness)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    package nonisolated var refusals: [Counter] {
        [
            Counter(.refusedInstances, crowdedOut.withLock { $0 }),
            Counter(.refusedMulticast, gate.refused),
        ]
    }

    package nonisolated func start(
        _ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void
    ) {
        let isFirst = stage.withLock { stage in
            defer { if stage == .idle { stage = .running } }
            return stage == .idle
        }
        guard isFirst else { return }
        loop.start()
        daemonLoop.start()
        run { $0.begin(announcement, tell: tell) }
    }

    package nonisolated func announce(_ announcement: Announcement) {
        run { $0.replace(announcement) }
    }

    package nonisolated func linkOpened(to linked: LinkedRun) {
        run { $0.table.linkOpened(to: linked, now: $0.loop.now) }
    }

    package nonisolated func linkClosed(to linked: LinkedRun) {
        run { $0.act($0.table.linkClosed(to: linked, now: $0.loop.now)) }
    }

    /// Returns within 0.3 s, even if the daemon hangs.
    package nonisolated func stop() async {
        let wasRunning = stage.withLock { stage in
            defer { stage = .stopped }
            return stage == .running
        }
        guard wasRunning else { return }
        let isClosed = await withCheckedContinuation { continuation in run { $0.end(continuation) } }
        await loop.end()
        if isClosed { await daemonLoop.end() }
    }

    nonisolated func run(_ body: @escaping @Sendable (isolated AvahiDiscovery) -> Void) {
        loop.execute { self.assumeIsolated(body) }
    }

    func after(_ pause: Duration, _ body: @escaping @Sendable (isolated AvahiDiscovery) -> Void) {
        loop.schedule(at: loop.now + pause) { self.assumeIsolated(body) }
    }

    /// Goes on when the daemon's time for an answer is over: `patience`, and again as long as the question `isOpen` and the
    /// daemon's process computes, up to two minutes in all.
    func awaitDaemon(
        _ patience: Duration, since seen: DaemonWork? = .read(), until limit: Instant? = nil,
        while isOpen: @escaping @Sendable (isolated AvahiDiscovery) -> Bool,
        then goOn: @escaping @Sendable (isolated AvahiDiscovery) -> Void
    ) {
        let end = limit ?? loop.now + Self.longestPatience
        after(patience) {
            guard isOpen($0), $0.loop.now < end, let work = DaemonWork.read(), work.goesOn(since: seen) else {
                return goOn($0)
            }
            $0.awaitDaemon(patience, since: work, until: end, while: isOpen, then: goOn)
        }
    }
}

/// Requests of the node.
extension AvahiDiscovery {
    private func begin(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        self.tell = tell
        adopt(announcement)
        view = NetworkView(interfaces: NetworkReader.read(), names: interfaces)
        warnOfInterfaces()
        watch = NetworkWatch(loop: loop) { self.assumeIsolated { $0.networkChanged() } }
        let report: ResponderReport = { event, source, epoch in
            self.run { $0.handle(event, from: source, epoch: epoch) }
        }
        let (interfaces, gate) = (interfaces, gate)
        embedded = AvahiSource(
            AvahiResponder(.embedded, on: loop, report: report) { loop, context throws(ResponderFailure) in
                try EmbeddedConnection(loop: loop, context: context, interfaces: interfaces, gate: gate)
            })
        if policy != .embedded {
            daemon = AvahiSource(
                AvahiResponder(.daemon, on: daemonLoop, report: report) { loop, context throws(ResponderFailure) in
                    try DaemonConnection(loop: loop, context: context)
                })
            daemon?.open()
            awaitDaemon(
                policy == .daemon ? Self.lonePatience : Self.patience, while: { $0.choice.daemon == .unknown },
                then: { $0.obey($0.choice.patienceEnded()) })
            after(DaemonPulse.interval) { $0.probeDaemon() }
        }
        obey(choice.began())
    }

    private func replace(_ announcement: Announcement) {
        let oldType = browsingType
        adopt(announcement)
        publish()
        guard browsingType != oldType else { return }
        for source in [daemon, embedded] { source?.responder.browse(type: browsingType, in: view) }
        if listener != nil { listen() }
    }

    private func end(_ continuation: CheckedContinuation<Bool, Never>) {
        tell = nil
        endListening()
        watch?.close()
        watch = nil
        ending = continuation
        let daemon = daemon, embedded = embedded
        (self.daemon, self.embedded) = (nil, nil)
        // One after the other, so that both are through when the last one says so; the daemon may keep us waiting.
        embedded?.responder.close {
            guard let daemon else { return self.run { $0.ended(isClosed: true) } }
            daemon.responder.close { self.run { $0.ended(isClosed: true) } }
        }
        after(Self.closingTime) { $0.ended(isClosed: false) }
    }

    private func ended(isClosed: Bool) {
        ending?.resume(returning: isClosed)
        ending = nil
    }

    func adopt(_ announcement: Announcement) {
        self.announcement = announcement
        table.addOwn(announcement.instance)
    }
}
