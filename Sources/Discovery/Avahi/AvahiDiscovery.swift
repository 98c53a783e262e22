import ChatNode
import Reactor
import Synchronization
import Wire

/// Looks for the peers of all rooms of a process by mDNS, through the Avahi daemon or an embedded one (Protocol.md
/// section 10).
///
/// Decides on a loop of its own that never waits; the daemon is talked to on a second one, which may.
actor AvahiDiscovery {
    /// How long the daemon may take for its first answer before it counts as one that hangs: 4 ms as a rule, but several
    /// hundred where dozens of nodes start at once, which would all speak mDNS besides it then, and take that back. Where
    /// there is none, the bus says so at once.
    private static let patience = Duration.milliseconds(500)
    /// The timeout where the embedded responder can not help.
    private static let lonePatience = Duration.seconds(1)
    /// One that computes all the while is waited for, but not for ever: that of 200 nodes which start at once is 40 s behind,
    /// and more if they answer mDNS themselves besides.
    private static let longestPatience = Duration.seconds(120)
    /// A daemon that hangs is not waited for when a node ends.
    private static let closingTime = Duration.milliseconds(300)
    /// Both loops give way to the node's. Avahi compares each of its questions with each other one, for 0.1 s where there are a
    /// few hundred; who talks is not to wait for who looks for others.
    private static let niceness: CInt = 10

    nonisolated let loop: EventLoop
    private nonisolated let daemonLoop: EventLoop
    nonisolated let claims = Mutex(RoomClaims())
    private nonisolated let gate = MulticastGate()
    private nonisolated let policy: SharedDiscovery.Policy
    private nonisolated let interfaces: [String]

    var daemon: AvahiSource?
    var embedded: AvahiSource?
    var pulse = DaemonPulse()
    var choice: ModeChoice
    /// The last mode or failure: each room receives it.
    var outlook: DiscoveryEvent?
    var rooms: [RoomNumber: RoomState] = [:]
    let pool = ResolverPool()
    var view = NetworkView()
    var interfaceWarning = InterfaceWarning()
    private var watch: NetworkWatch?
    /// Beside the daemon while that can be used, and while a room is a crowd.
    var listener: AnnouncementListener?
    /// From the first question for buckets on.
    var asker: BucketAsker?
    var isReading = false
    var nextCheck: Instant?
    private var endings: [RoomNumber: CheckedContinuation<Bool, Never>] = [:]

    /// - Parameter interfaces: names of the interfaces that take part; empty for all.
    init(policy: SharedDiscovery.Policy, interfaces: [String] = []) throws(SystemError) {
        self.policy = policy
        self.interfaces = interfaces
        choice = ModeChoice(policy: policy)
        loop = try EventLoop(name: "discovery", niceness: AvahiDiscovery.niceness)
        daemonLoop = try EventLoop(name: "avahi", niceness: AvahiDiscovery.niceness)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// A room for one more node; nil after the last one has left.
    nonisolated func claim() -> RoomNumber? { claims.withLock { $0.claim() } }

    /// The packets are refused for the whole process: one room counts them.
    nonisolated func refusals(of room: RoomNumber) -> [Counter] {
        let (crowdedOut, isFirst) = claims.withLock { ($0.crowdedOut(of: room), $0.isFirst(room)) }
        return [
            Counter(.refusedInstances, crowdedOut),
            Counter(.refusedMulticast, isFirst ? gate.refused : 0),
        ]
    }

    /// Announces a room and looks for its peers. Once for each.
    nonisolated func enter(
        _ room: RoomNumber, _ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void
    ) {
        do throws(SystemError) {
            try claims.withLock { claims throws(SystemError) in
                guard claims.start() else { return }
                do throws(SystemError) { try startThreads() } catch {
                    claims.startFailed()
                    throw error
                }
            }
        } catch {
            return tell(.failed(AvahiDiscovery.failure("\(error)")))
        }
        run { $0.begin(room, announcement, tell: tell) }
    }

    private nonisolated func startThreads() throws(SystemError) {
        try loop.start()
        do throws(SystemError) { try daemonLoop.start() } catch {
            loop.stop()
            throw error
        }
    }

    /// Withdraws the records of a room and looks for its peers no more; the last one that leaves ends the threads. Returns
    /// within 0.3 s, even if the daemon hangs.
    nonisolated func leave(_ room: RoomNumber) async {
        guard let (isLast, isStarted) = claims.withLock({ $0.release(room) }), isStarted else { return }
        let isClosed = await withCheckedContinuation { continuation in
            run { $0.end(room, isLast: isLast, continuation) }
        }
        guard isLast else { return }
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

/// Requests of the nodes.
extension AvahiDiscovery {
    private func begin(
        _ room: RoomNumber, _ announcement: Announcement, tell: @escaping @Sendable (DiscoveryEvent) -> Void
    ) {
        rooms[room] = RoomState(announcement, in: pool, now: loop.now, tell: tell)
        guard watch != nil else { return open() }
        for source in [daemon, embedded] {
            guard let source, source.isReady else { continue }
            publish(room, with: source.responder)
            browse(room, with: source.responder)
        }
        listener?.listen(for: announcement.subtype, hearsCensus: false, of: room)
        if let outlook { tell(outlook) }
    }

    /// Opens what the rooms share, for the first one.
    private func open() {
        let interfaces = NetworkReader.read()
        view = NetworkView(interfaces: interfaces ?? [], names: self.interfaces)
        if interfaces == nil { networkChanged() } else { warnOfInterfaces() }
        watch = NetworkWatch(loop: loop) { self.assumeIsolated { $0.networkChanged() } }
        let report: ResponderReport = { event, source, epoch in
            self.run { $0.handle(event, from: source, epoch: epoch) }
        }
        let (names, gate) = (self.interfaces, gate)
        embedded = AvahiSource(
            AvahiResponder(.embedded, on: loop, report: report) { loop, context throws(ResponderFailure) in
                try EmbeddedConnection(loop: loop, context: context, interfaces: names, gate: gate)
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

    func replace(_ announcement: Announcement, of room: RoomNumber) {
        guard let former = rooms[room]?.type else { return }
        var generator = SystemRandomNumberGenerator()
        rooms[room]?.adopt(announcement, now: loop.now, using: &generator)
        arm()
        publish(room)
        guard let state = rooms[room], state.type != former else { return }
        for source in [daemon, embedded] { if let source { browse(room, with: source.responder) } }
        listener?.listen(for: announcement.subtype, hearsCensus: state.crowd.hearsCensus, of: room)
    }

    func linkOpened(to run: LinkedRun, in room: RoomNumber) {
        rooms[room]?.table.linkOpened(to: run, now: loop.now)
    }

    func linkClosed(to run: LinkedRun, in room: RoomNumber) {
        change(room) { $0.linkClosed(to: run, now: $1) }
    }

    private func end(_ room: RoomNumber, isLast: Bool, _ continuation: CheckedContinuation<Bool, Never>) {
        endings[room] = continuation
        rooms[room]?.table.close()
        rooms[room] = nil
        listener?.listen(for: nil, hearsCensus: false, of: room)
        asker?.leave(room)
        let (daemon, embedded) = (daemon, embedded)
        let finish = { @Sendable in self.run { $0.ended(room, isClosed: true) } }
        // One after the other, so that both are through when the last one says so; the daemon may keep us waiting.
        if isLast {
            close()
            closeInTurn([embedded, daemon].compactMap { $0?.responder }, then: finish)
        } else {
            leaveInTurn(room, [embedded, daemon].compactMap { $0?.responder }, then: finish)
            serveRooms(after: room)
            Source.allCases.forEach(noteServing)
        }
        after(Self.closingTime) { $0.ended(room, isClosed: false) }
    }

    private func close() {
        listener?.close()
        listener = nil
        asker?.close()
        asker = nil
        watch?.close()
        watch = nil
        (daemon, embedded) = (nil, nil)
    }

    private nonisolated func closeInTurn(
        _ responders: [AvahiResponder], then finish: @escaping @Sendable () -> Void
    ) {
        guard let first = responders.first else { return finish() }
        first.close { self.closeInTurn(Array(responders.dropFirst()), then: finish) }
    }

    private nonisolated func leaveInTurn(
        _ room: RoomNumber, _ responders: [AvahiResponder], then finish: @escaping @Sendable () -> Void
    ) {
        guard let first = responders.first else { return finish() }
        first.leave(room) { self.leaveInTurn(room, Array(responders.dropFirst()), then: finish) }
    }

    private func ended(_ room: RoomNumber, isClosed: Bool) {
        endings.removeValue(forKey: room)?.resume(returning: isClosed)
    }
}
