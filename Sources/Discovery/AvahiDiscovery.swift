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

    /// How long the daemon may take for its first answer before the embedded one starts.
    private static let patience = Duration.milliseconds(30)
    /// The kernel tells of one change in several messages.
    private static let networkSettling = Duration.milliseconds(100)
    /// A daemon that hangs is not waited for when the program ends.
    private static let closingTime = Duration.milliseconds(300)

    private nonisolated let loop: EventLoop
    private nonisolated let daemonLoop: EventLoop
    private nonisolated let stage = Mutex(Stage.idle)
    private nonisolated let policy: Policy
    private nonisolated let interfaces: [String]

    private var daemon: AvahiSource?
    private var embedded: AvahiSource?
    private var pulse = DaemonPulse()
    private var choice: ModeChoice
    private var table = InstanceTable()
    private var view = NetworkView()
    private var watch: NetworkWatch?
    private var announcement: Announcement?
    private var collisions = Backoff(from: .milliseconds(100), to: .seconds(60))
    private var isRenaming = false
    private var isReading = false
    private var nextCheck: Instant?
    private var tell: (@Sendable (DiscoveryEvent) -> Void)?
    private var ending: CheckedContinuation<Bool, Never>?

    /// - Parameter interfaces: names of the interfaces that take part; empty for all.
    package init(policy: Policy, interfaces: [String] = []) throws(SystemError) {
        self.policy = policy
        self.interfaces = interfaces
        choice = ModeChoice(policy: policy)
        loop = try EventLoop(name: "discovery")
        daemonLoop = try EventLoop(name: "avahi")
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

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

    /// Returns within 0.3 s, even if the daemon hangs.
    package nonisolated func stop() async {
        let wasRunning = stage.withLock { stage in
            defer { stage = .stopped }
            return stage == .running
        }
        guard wasRunning else { return }
        let isClosed = await withCheckedContinuation { continuation in run { $0.end(continuation) } }
        loop.stop()
        if isClosed { daemonLoop.stop() }
    }

    private nonisolated func run(_ body: @escaping @Sendable (isolated AvahiDiscovery) -> Void) {
        loop.execute { self.assumeIsolated(body) }
    }

    private func after(_ pause: Duration, _ body: @escaping @Sendable (isolated AvahiDiscovery) -> Void) {
        loop.schedule(at: loop.now + pause) { self.assumeIsolated(body) }
    }
}

// What the node asks for.
extension AvahiDiscovery {
    private func begin(_ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void) {
        self.tell = tell
        adopt(announcement)
        view = NetworkView(interfaces: NetworkReader.read(), names: interfaces)
        watch = NetworkWatch(loop: loop) { self.assumeIsolated { $0.networkChanged() } }
        let report: ResponderReport = { event, source, epoch in
            self.run { $0.handle(event, from: source, epoch: epoch) }
        }
        let interfaces = interfaces
        embedded = AvahiSource(
            AvahiResponder(.embedded, on: loop, report: report) { loop, context throws(ResponderFailure) in
                try EmbeddedConnection(loop: loop, context: context, interfaces: interfaces)
            })
        if policy != .embedded {
            daemon = AvahiSource(
                AvahiResponder(.daemon, on: daemonLoop, report: report) { loop, context throws(ResponderFailure) in
                    try DaemonConnection(loop: loop, context: context)
                })
            daemon?.open()
            after(Self.patience) { $0.obey($0.choice.patienceEnded()) }
            after(DaemonPulse.interval) { $0.feelPulse() }
        }
        obey(choice.began())
    }

    private func replace(_ announcement: Announcement) {
        let oldType = browsingType
        adopt(announcement)
        publish()
        guard browsingType != oldType else { return }
        for source in [daemon, embedded] { source?.responder.browse(type: browsingType) }
    }

    private func end(_ continuation: CheckedContinuation<Bool, Never>) {
        tell = nil
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

    private func adopt(_ announcement: Announcement) {
        self.announcement = announcement
        table.disown(announcement.instance)
    }
}

// What the two Avahis, the kernel and the clock say.
extension AvahiDiscovery {
    private func handle(_ event: ResponderEvent, from source: Source, epoch: Int) {
        guard self[source]?.epoch == epoch else { return }
        switch event {
        case .ready: becameReady(source)
        case .waiting(let reason): lost(source, reason)
        case .failed(let reason): failed(source, reason)
        case .published: stands(source, .serving)
        case .collision: collided()
        case .answered(let number): pulseAnswered(number)
        case .listed(let listing): act(table.listed(listing, now: loop.now))
        case .unlisted(let listing): act(table.unlisted(listing, now: loop.now))
        case .unresolved(let listing): act(table.failed(listing, now: loop.now) + [.cancel(listing)])
        case .resolved(let listing, let answer): resolved(listing, answer)
        }
    }

    private func becameReady(_ source: Source) {
        guard self[source]?.isReady == false else { return }
        self[source]?.becameReady()
        self[source]?.responder.publish(publication)
        self[source]?.responder.browse(type: browsingType)
    }

    private func lost(_ source: Source, _ reason: String) {
        self[source]?.isReady = false
        act(table.sourceEnded(source, now: loop.now))
        stands(source, .unusable(reason))
    }

    private func failed(_ source: Source, _ reason: String) {
        guard let pause = self[source]?.close() else { return }
        lost(source, reason)
        after(pause) { $0.reopen(source) }
    }

    private func reopen(_ source: Source) {
        guard source == .daemon || choice.isEmbeddedOpen, self[source]?.isOpen == false else { return }
        self[source]?.open()
        if source == .daemon { pulse = DaemonPulse() }
    }

    private func stands(_ source: Source, _ standing: ModeChoice.Standing) {
        switch source {
        case .daemon: obey(choice.daemonIs(standing))
        case .embedded: obey(choice.embeddedIs(standing))
        }
    }

    private func obey(_ orders: [ModeChoice.Order]) {
        for order in orders {
            switch order {
            case .openEmbedded: embedded?.open()
            case .closeEmbedded:
                _ = embedded?.close()
                act(table.sourceEnded(.embedded, now: loop.now))
            case .tell(let mode, let detail): tell?(.mode(mode, detail: detail))
            }
        }
    }

    private func act(_ actions: [ListingAction]) {
        for action in actions {
            switch action {
            case .resolve(let listing, let family): self[listing.source]?.responder.resolve(listing, family)
            case .cancel(let listing): self[listing.source]?.responder.cancel(listing)
            case .tell(let event): tell?(event)
            }
        }
        guard let due = table.nextDue, nextCheck.map({ due < $0 }) ?? true else { return }
        nextCheck = due
        loop.schedule(at: due) { self.assumeIsolated { $0.check(due) } }
    }

    private func check(_ instant: Instant) {
        if nextCheck == instant { nextCheck = nil }
        act(table.due(now: loop.now))
    }

    private func resolved(_ listing: Listing, _ answer: Resolution) {
        let endpoint =
            answer.isOurVersion
            ? view.endpoint(address: answer.address, port: answer.port, interface: listing.interface) : nil
        act([.cancel(listing)] + table.resolved(listing, endpoint, now: loop.now))
    }

    /// Whoever has our names is a copy of this machine's state, or wants us gone: other names, at a pace.
    private func collided() {
        guard !isRenaming else { return }
        isRenaming = true
        after(collisions.next()) {
            $0.isRenaming = false
            guard let announcement = $0.announcement else { return }
            var generator = SystemRandomNumberGenerator()
            $0.adopt(RandomNames.renamed(announcement, using: &generator))
            $0.publish()
        }
    }

    private func networkChanged() {
        guard !isReading else { return }
        isReading = true
        after(Self.networkSettling) {
            $0.isReading = false
            let old = $0.view
            $0.view.interfaces = NetworkReader.read()
            if $0.view.publications != old.publications { $0.publish() }
            if $0.view != old { $0.act($0.table.networkChanged(now: $0.loop.now)) }
        }
    }

    private func feelPulse() {
        guard let source = daemon else { return }
        if source.isReady, let number = pulse.next() {
            source.responder.probe(number)
            after(DaemonPulse.patience) {
                guard $0.pulse.hasStopped(at: number), $0.daemon?.isReady == true else { return }
                $0.act($0.table.sourceEnded(.daemon, now: $0.loop.now))
                $0.stands(.daemon, .unusable("the Avahi daemon hangs"))
            }
        }
        after(DaemonPulse.interval) { $0.feelPulse() }
    }

    private func pulseAnswered(_ number: Int) {
        guard pulse.answered(number) else { return }
        // What it has told before it hung is told again, to whoever is listed still.
        daemon?.responder.browse(type: browsingType)
        stands(.daemon, .serving)
    }

    private func publish() {
        for source in [daemon, embedded] {
            if let source, source.isReady { source.responder.publish(publication) }
        }
    }

    private var publication: Publication {
        guard let announcement else { return [:] }
        return view.publications.mapValues { MDNSRecords.records(for: announcement, addresses: $0) }
    }

    private var browsingType: String { MDNSName.browsingType(subtype: announcement?.subtype ?? "") }

    private subscript(source: Source) -> AvahiSource? {
        get {
            switch source {
            case .daemon: daemon
            case .embedded: embedded
            }
        }
        set {
            switch source {
            case .daemon: daemon = newValue
            case .embedded: embedded = newValue
            }
        }
    }
}
