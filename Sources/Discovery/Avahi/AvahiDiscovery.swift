import ChatNode
import Phrases
import Reactor
import Synchronization
import Wire

/// Looks for the peers of all rooms of a process by mDNS, through the Avahi daemon or an embedded one (Protocol.md
/// section 10).
///
/// Decides on a loop of its own that never waits; the daemon is talked to on a second one, which may.
actor AvahiDiscovery: EventLoopActor {
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
    /// Avahi compares each of its questions with each other one, and can compute for 0.1 s; low priority keeps that from
    /// delaying messages.
    private static let niceness: CInt = 10

    nonisolated let loop: EventLoop
    private nonisolated let daemonLoop: EventLoop
    nonisolated let claims = Mutex(RoomClaims())
    private nonisolated let gate = MulticastGate()
    private nonisolated let policy: SharedDiscovery.Policy
    private nonisolated let interfaces: [String]

    private var daemon: AvahiSource?
    private var embedded: AvahiSource?
    private var pulse = DaemonPulse()
    private var choice: ModeChoice
    /// The last mode or failure: each room receives it.
    private var outlook: DiscoveryEvent?
    private var rooms: [RoomNumber: RoomDiscovery] = [:]
    private let pool = ResolverPool()
    private var view = NetworkView()
    private var interfaceWarning = InterfaceWarning()
    private var watch: NetworkWatch?
    /// Beside the daemon while that can be used, and while a room is a crowd.
    private var listener: AnnouncementListener?
    /// From the first question for buckets on.
    private var asker: BucketAsker?
    private var isReading = false
    private var nextCheck: Instant?
    private var endings: [RoomNumber: CheckedContinuation<Bool, Never>] = [:]

    /// - Parameter interfaces: names of the interfaces that take part; empty for all.
    init(policy: SharedDiscovery.Policy, interfaces: [String] = []) throws(SystemError) {
        self.policy = policy
        self.interfaces = interfaces
        choice = ModeChoice(policy: policy)
        loop = try EventLoop(name: "discovery", niceness: AvahiDiscovery.niceness)
        daemonLoop = try EventLoop(name: "avahi", niceness: AvahiDiscovery.niceness)
    }

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
        executeRetained { $0.begin(room, announcement, tell: tell) }
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
            executeRetained { $0.end(room, isLast: isLast, continuation) }
        }
        guard isLast else { return }
        await loop.end()
        if isClosed { await daemonLoop.end() }
    }

    /// Goes on when the daemon's time for an answer is over: `patience`, and again as long as the question `isOpen` and the
    /// daemon's process computes, up to two minutes in all.
    private func awaitDaemon(
        _ patience: Duration, since seen: DaemonWork? = .read(), until limit: Instant? = nil,
        while isOpen: @escaping @Sendable (isolated AvahiDiscovery) -> Bool,
        then goOn: @escaping @Sendable (isolated AvahiDiscovery) -> Void
    ) {
        let end = limit ?? loop.now + Self.longestPatience
        schedule(after: patience) {
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
        rooms[room] = RoomDiscovery(announcement, in: pool, now: loop.now, tell: tell)
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
        watch = NetworkWatch(loop: loop, changed: callback { $0.networkChanged() })
        let report: ResponderReport = { event, source, epoch in
            self.executeRetained { $0.handle(event, from: source, epoch: epoch) }
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
            schedule(after: DaemonPulse.interval) { $0.probeDaemon() }
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
        let finish = { @Sendable in self.executeRetained { $0.ended(room, isClosed: true) } }
        // One after the other, so that both are through when the last one says so; the daemon may keep us waiting.
        if isLast {
            close()
            closeInTurn([embedded, daemon].compactMap { $0?.responder }, then: finish)
        } else {
            leaveInTurn(room, [embedded, daemon].compactMap { $0?.responder }, then: finish)
            serveRooms(after: room)
            RecordSource.allCases.forEach(recordServing)
        }
        schedule(after: Self.closingTime) { $0.ended(room, isClosed: false) }
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

/// The tables of the rooms, and the resolvers that they ask for.
extension AvahiDiscovery {
    private static let checkInterval = Duration.milliseconds(20)

    /// Changes the table of a room, if it still runs, and does what the table requests.
    func change(_ room: RoomNumber, _ change: (inout InstanceTable, Instant) -> [ListingAction]) {
        perform(room, change)
        recordInstances(of: room)
        serveRooms(after: room)
        arm()
    }

    /// Gives the resolvers that are free to listings of the rooms, those after `room` first; it has served itself.
    private func serveRooms(after room: RoomNumber = -1) {
        let waiting = rooms.keys.filter { rooms[$0]?.table.isWaiting == true }.sorted()
        for other in waiting.filter({ $0 > room }) + waiting.filter({ $0 < room }) {
            perform(other) { $0.serveWaiting(now: $1) }
        }
    }

    func resolved(_ listing: Listing, _ answer: Resolution, in room: RoomNumber) {
        let endpoint =
            answer.isOurVersion
            ? view.endpoint(address: answer.address, port: answer.port, interface: listing.interface) : nil
        change(room) { [.cancel(listing)] + $0.resolved(listing, endpoint, now: $1) }
    }

    /// - Parameter weight: the number of nodes that the sender stands for if the instance is at its address.
    func heard(_ heard: HeardInstance, _ listing: Listing, weight: Int = 1, in room: RoomNumber) {
        // While the network changes, the network that the packet came from is unknown.
        guard heard.isOurVersion, !isReading,
            let endpoint = heard.endpoint(in: view, at: listing.interface, first: listing.family)
        else { return }
        let weight = heard.isProof && endpoint.address == heard.sender ? weight : 0
        change(room) { $0.heard(listing, endpoint, weight: weight, now: $1) }
    }

    private func perform(_ room: RoomNumber, _ change: (inout InstanceTable, Instant) -> [ListingAction]) {
        guard let index = rooms.index(forKey: room) else { return }
        let actions = change(&rooms.values[index].table, loop.now)
        let (tell, dropped) = (rooms.values[index].tell, rooms.values[index].table.dropped)
        claims.withLock { $0.record(dropped, in: room) }
        for action in actions {
            switch action {
            case .resolve(let listing, let family):
                self[listing.source]?.responder.resolve(listing, family, for: room)
            case .cancel(let listing): self[listing.source]?.responder.cancel(listing, for: room)
            case .tell(let event): tell(event)
            }
        }
    }

    func arm() {
        guard let next = rooms.values.lazy.compactMap(\.nextDue).min() else { return }
        // Many things fall due within milliseconds of each other, and each check looks through the whole table.
        let due = max(next, loop.now + Self.checkInterval)
        guard nextCheck.map({ due < $0 }) ?? true else { return }
        nextCheck = due
        schedule(at: due) { $0.check(due) }
    }

    private func check(_ instant: Instant) {
        if nextCheck == instant { nextCheck = nil }
        for room in Array(rooms.keys) {
            if let next = rooms[room]?.table.nextDue, next <= loop.now { perform(room) { $0.due(now: $1) } }
            checkCrowd(of: room)
        }
        serveRooms()
        arm()
    }
}

/// Events of the daemon, the embedded responder, the kernel and the clock.
extension AvahiDiscovery {
    /// The kernel tells of one change in several messages.
    private static let networkSettling = Duration.milliseconds(100)
    private static let waitingTime = Duration.seconds(5)
    private static let rereadPause = Duration.seconds(1)
    /// From the withdrawal of a room's names on another network to its new ones.
    private static let renamePause = Duration.zero...Duration.seconds(3)

    func handle(_ event: ResponderEvent, from source: RecordSource, epoch: Int) {
        guard self[source]?.epoch == epoch else { return }
        switch event {
        case .ready: becameReady(source)
        case .waiting(let reason): waits(source, reason)
        case .failed(let reason): failed(source, reason)
        case .answered(let number): pulseAnswered(number)
        case .room(let room, let event): handle(event, of: room, from: source)
        }
    }

    private func handle(_ event: RoomEvent, of room: RoomNumber, from source: RecordSource) {
        switch event {
        case .published: published(room, source)
        case .collision: collided(room)
        case .listed(let listing): change(room) { $0.listed(listing, now: $1) }
        case .heard(let heard, let listing): self.heard(heard, listing, in: room)
        case .unlisted(let listing): change(room) { $0.unlisted(listing, now: $1) }
        case .unresolved(let listing): change(room) { $0.resolved(listing, nil, now: $1) + [.cancel(listing)] }
        case .resolved(let listing, let answer): resolved(listing, answer, in: room)
        }
    }

    private func becameReady(_ source: RecordSource) {
        guard self[source]?.isReady == false else { return }
        self[source]?.becameReady()
        recordAvailability(source, .answering)
        guard let responder = self[source]?.responder else { return }
        for room in rooms.keys.sorted() {
            publish(room, with: responder)
            browse(room, with: responder)
        }
        if source == .daemon { renewListener() } else { pursueAll() }
    }

    private func published(_ room: RoomNumber, _ source: RecordSource) {
        rooms[room]?.publishers.insert(source)
        recordServing(source)
        announceSoon(room, with: source)
    }

    /// A responder serves once it has the records of all rooms; a room that begins later does not change that.
    private func recordServing(_ source: RecordSource) {
        guard self[source]?.isReady == true, !rooms.isEmpty,
            rooms.values.allSatisfy({ $0.publishers.contains(source) })
        else { return }
        recordAvailability(source, .serving)
    }

    private func sourceEnded(_ source: RecordSource) {
        for room in Array(rooms.keys) {
            rooms[room]?.publishers.remove(source)
            change(room) { $0.sourceEnded(source, now: $1) }
        }
    }

    private func lost(_ source: RecordSource, _ reason: String) {
        self[source]?.isReady = false
        if source == .daemon { renewListener() }
        sourceEnded(source)
        let isOutOfReach = reason == DaemonConnection.noBus || reason == DaemonConnection.noLibrary
        guard source == .daemon, isOutOfReach else { return recordAvailability(source, .unusable(reason)) }
        obey(choice.daemonIsOutOfReach(reason))
    }

    /// It waits for a daemon to appear, also where one is there but hung when it was asked: so it is asked again.
    private func waits(_ source: RecordSource, _ reason: String) {
        lost(source, reason)
        let epoch = self[source]?.epoch
        schedule(after: Self.waitingTime) {
            guard $0[source]?.epoch == epoch, $0[source]?.isReady == false else { return }
            $0.failed(source, reason)
        }
    }

    private func failed(_ source: RecordSource, _ reason: String) {
        guard let pause = self[source]?.close() else { return }
        lost(source, reason)
        schedule(after: pause) { $0.reopen(source) }
    }

    private func reopen(_ source: RecordSource) {
        guard source == .daemon || choice.isEmbeddedOpen, self[source]?.isOpen == false else { return }
        self[source]?.open()
        if source == .daemon { pulse = DaemonPulse() }
    }

    private func recordAvailability(_ source: RecordSource, _ availability: ModeChoice.Availability) {
        switch source {
        case .daemon: obey(choice.daemonIs(availability))
        case .embedded: obey(choice.embeddedIs(availability))
        }
    }

    func obey(_ orders: [ModeChoice.Order]) {
        for order in orders {
            switch order {
            case .openEmbedded: embedded?.open()
            case .closeEmbedded:
                _ = embedded?.close { self.executeRetained { $0.announceAnew() } }
                sourceEnded(.embedded)
            case .tell(let mode, let detail): settle(.mode(mode, detail: detail))
            case .fail(let reason): settle(.failed(AvahiDiscovery.failure(reason)))
            }
        }
    }

    /// Tells each room, and each that begins later.
    private func settle(_ event: DiscoveryEvent) {
        outlook = event
        tellAll(event)
    }

    private func tellAll(_ event: DiscoveryEvent) {
        for (_, state) in rooms.sorted(by: { $0.key < $1.key }) { state.tell(event) }
    }

    static func failure(_ reason: String) -> String {
        let what = reason == DaemonConnection.noBus ? "there is no system bus (D-Bus)" : reason
        return "no Avahi daemon can be used: \(what); start one, or choose another way with --discovery"
    }

    /// The embedded one has said goodbye for the records that the daemon has too: others forget them within a second,
    /// unless they are announced again.
    private func announceAnew() {
        guard let daemon, daemon.isReady else { return }
        for room in rooms.keys.sorted() { publish(room, with: daemon.responder) }
    }

    /// Another host has our names: a copy of this machine's state, or an attacker. Draws other names, at a bounded rate.
    private func collided(_ room: RoomNumber) {
        guard let isRenaming = rooms[room]?.isRenaming, !isRenaming,
            let pause = rooms[room]?.collisions.next(now: loop.now)
        else { return }
        rooms[room]?.isRenaming = true
        schedule(after: pause) {
            $0.rooms[room]?.isRenaming = false
            $0.rooms[room]?.tell(.namesOutdated)
        }
    }

    func networkChanged() {
        guard !isReading else { return }
        isReading = true
        embedded?.responder.networkIsChanging()
        readNetwork(after: Self.networkSettling)
    }

    /// Reads the interfaces, and again each second until the kernel tells them: that it does not is no network without any.
    private func readNetwork(after pause: Duration) {
        schedule(after: pause) {
            guard let interfaces = NetworkReader.read() else { return $0.readNetwork(after: Self.rereadPause) }
            $0.isReading = false
            $0.adopt($0.view.with(interfaces))
        }
    }

    private func adopt(_ later: NetworkView) {
        let old = view
        view = later
        warnOfInterfaces()
        if old.isOutdated(by: view) {
            move()
        } else if view.publications != old.publications {
            for room in rooms.keys.sorted() { publish(room) }
        }
        embedded?.responder.networkChanged(view)
        listener?.move(to: heardView)
        guard !view.hasSameNetworks(as: old) else { return }
        for room in rooms.keys.sorted() { change(room) { $0.networkChanged(now: $1) } }
        tellAll(.networkChanged)
    }

    /// The names belong to another network: withdraws them at once, and asks for others after a pause of each room's own, so that
    /// no observer can tell by the time which of the new ones are of one machine.
    private func move() {
        for room in rooms.keys.sorted() {
            change(room) { $0.networkLeft(now: $1) }
            guard rooms[room]?.isMoving == false else { continue }
            rooms[room]?.isMoving = true
            publish(room)
            var generator = SystemRandomNumberGenerator()
            schedule(after: .random(in: Self.renamePause, using: &generator)) {
                guard $0.rooms[room]?.isMoving == true else { return }
                $0.rooms[room]?.tell(.namesOutdated)
            }
        }
    }

    private func warnOfInterfaces() {
        guard interfaceWarning.isDue(in: view) else { return }
        // It concerns the machine: one room tells it.
        let phrase: Phrase = view.publications.isEmpty ? .noMulticast : .noInterface
        rooms.min { $0.key < $1.key }?.value.tell(.warning(.noInterface, Sentence(phrase)))
    }

    private func probeDaemon() {
        guard let source = daemon else { return }
        if source.isReady, let number = pulse.next() {
            source.responder.probe(number)
            awaitDaemon(DaemonPulse.patience, while: { $0.pulse.isOpen(number) }) {
                guard $0.pulse.hasStopped(at: number), $0.daemon?.isReady == true else { return }
                $0.sourceEnded(.daemon)
                $0.recordAvailability(.daemon, .unusable("the Avahi daemon hangs"))
            }
        }
        schedule(after: DaemonPulse.interval) { $0.probeDaemon() }
    }

    private func pulseAnswered(_ number: Int) {
        guard pulse.answered(number) else { return }
        // Listings from before the daemon hung are reported again.
        if let daemon { for room in rooms.keys.sorted() { browse(room, with: daemon.responder) } }
        recordAvailability(.daemon, .serving)
    }

    private func announceSoon(_ room: RoomNumber, with source: RecordSource) {
        var generator = SystemRandomNumberGenerator()
        schedule(after: .random(in: FirstAnnouncement.wait, using: &generator)) {
            // Not on a network that may be another one already, nor once nothing is published any more.
            guard !$0.isReading, let publication = $0.rooms[room]?.publication(in: $0.view) else { return }
            $0.announce(publication, of: room, in: source == .daemon ? $0.served : $0.view)
        }
    }

    func publish(_ room: RoomNumber) {
        for source in [daemon, embedded] {
            if let source, source.isReady { publish(room, with: source.responder) }
        }
    }

    func publish(_ room: RoomNumber, with responder: AvahiResponder) {
        guard let state = rooms[room] else { return }
        responder.publish(state.publication(in: view), of: room)
    }

    func browse(_ room: RoomNumber, with responder: AvahiResponder) {
        guard let state = rooms[room] else { return }
        responder.browse(type: state.type, of: room, in: view)
    }

    subscript(source: RecordSource) -> AvahiSource? {
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

/// The needs of a crowd besides Avahi: other records, one-shot questions, and the census (Protocol.md section 10).
extension AvahiDiscovery {
    /// Where the daemon works.
    var served: NetworkView { view.served(by: .read()) }

    /// The network on which this process listens and asks besides Avahi.
    private var heardView: NetworkView { isDaemonUsed ? served : view }

    private var isDaemonUsed: Bool { daemon?.isReady == true }

    /// Listens beside the daemon while that can be used, and for crowds.
    private func renewListener() {
        listener?.close()
        listener = nil
        guard isDaemonUsed || rooms.values.contains(where: \.crowd.hearsCensus) else { return }
        let source = isDaemonUsed ? RecordSource.daemon : .embedded
        let listener = AnnouncementListener(
            loop: loop, source: source, tell: callback { $0.heard($1.event, in: $1.room) })
        for (room, state) in rooms {
            listener.listen(for: state.announcement.subtype, hearsCensus: state.crowd.hearsCensus, of: room)
        }
        listener.move(to: heardView)
        self.listener = listener
        pursueAll()
    }

    private func heard(_ event: AnnouncementListener.Event, in room: RoomNumber) {
        switch event {
        case .heard(let heard, let listing): self.heard(heard, listing, in: room)
        case .counted(let heard, let listing):
            var generator = SystemRandomNumberGenerator()
            rooms[room]?.crowd.heardCensus(now: loop.now, using: &generator)
            self.heard(heard, listing, in: room)
        case .withdrawn(let instance, let sender):
            change(room) { table, now in
                table.withdrawn(instance, by: sender, now: now)
                return []
            }
        }
    }

    func crowdChanged(_ crowd: Crowd, in room: RoomNumber) {
        guard let index = rooms.index(forKey: room) else { return }
        var generator = SystemRandomNumberGenerator()
        let heardCensus = rooms.values[index].crowd.hearsCensus
        let actions = rooms.values[index].crowd.crowdChanged(crowd, now: loop.now, using: &generator)
        if heardCensus != rooms.values[index].crowd.hearsCensus { renewListener() }
        obey(actions, in: room)
        change(room) { $0.crowdChanged(isCrowd: crowd.isOverlay, now: $1) }
    }

    /// The room may have more instances than before.
    private func recordInstances(of room: RoomNumber) {
        guard let index = rooms.index(forKey: room) else { return }
        var generator = SystemRandomNumberGenerator()
        let count = rooms.values[index].table.instanceCount
        let isChanged = rooms.values[index].crowd.heard(instances: count, now: loop.now, using: &generator)
        // Later, since the listener may be the one that has heard of the instance.
        if isChanged { executeRetained { $0.renewListener() } }
    }

    private func checkCrowd(of room: RoomNumber) {
        guard let index = rooms.index(forKey: room) else { return }
        var generator = SystemRandomNumberGenerator()
        let subtype = rooms.values[index].announcement.subtype
        obey(rooms.values[index].crowd.due(of: subtype, now: loop.now, using: &generator), in: room)
    }

    private func obey(_ actions: [RoomCrowd.Action], in room: RoomNumber) {
        guard let publication = rooms[room]?.publication(in: view) else { return }
        for action in actions {
            switch action {
            case .publish:
                for source in [daemon, embedded] {
                    if let source, source.isReady { source.responder.adjust(publication, of: room) }
                }
            // Not on a network that may be another one already.
            case .ask where isReading, .announce where isReading: break
            case .ask(let subtypes): ask(for: subtypes, of: room)
            case .announce: announce(publication, of: room, in: heardView)
            }
        }
    }

    /// Announces a node on each interface, unless that was done just now.
    func announce(_ publication: Publication, of room: RoomNumber, in view: NetworkView) {
        let packets = rooms[room]?.firstAnnouncement.packets(of: publication, in: view, now: loop.now)
        packets?.forEach { $0.send() }
    }

    private func ask(for subtypes: [String], of room: RoomNumber) {
        let asker = self.asker ?? BucketAsker(loop: loop, hear: callback { $0.heard($1) })
        self.asker = asker
        asker.ask(for: subtypes, of: room, in: heardView)
    }

    private func heard(_ answer: BucketAsker.BucketAnswer) {
        let room = answer.room
        guard let index = rooms.index(forKey: room) else { return }
        let subtype = rooms.values[index].announcement.subtype
        let all = HeardInstance.ofBucket(in: answer.bytes, from: answer.sender, of: subtype)
        guard !all.isEmpty, let weight = rooms.values[index].crowd.takes(answer.sender, of: subtype) else { return }
        let source: RecordSource = isDaemonUsed ? .daemon : .embedded
        for heard in all {
            let listing = Listing(source: source, instance: heard.instance, at: answer.place)
            self.heard(heard, listing, weight: weight, in: room)
        }
    }
}

/// Peers that fell silent (Protocol.md section 10).
extension AvahiDiscovery {
    func peersMissed(_ areMissed: Bool, in room: RoomNumber) {
        guard areMissed else {
            rooms[room]?.absence.ended()
            return pursue(room)
        }
        guard rooms[room]?.absence.began() == true else { return }
        var generator = SystemRandomNumberGenerator()
        schedule(after: .random(in: Absence.wait, using: &generator)) { $0.lookForMissed(room) }
    }

    /// Says once that this node is there, and asks for others often.
    private func lookForMissed(_ room: RoomNumber) {
        guard rooms[room]?.absence.waited(now: loop.now) == true else { return }
        if !isReading, let publication = rooms[room]?.publication(in: view) {
            announce(publication, of: room, in: heardView)
        }
        pursue(room)
    }

    /// Asks as often as missing peers require: by the browser of our own, or beside the daemon.
    func pursue(_ room: RoomNumber) {
        guard let state = rooms[room] else { return }
        let end = state.absence.pursuesUntil
        if let embedded, embedded.isReady { embedded.responder.pursue(until: end, of: room) }
        let known = Set(state.table.listings.map(\.instance)).filter { !state.table.own.contains($0) }
        listener?.pursue(room, known: known.sorted(), until: isDaemonUsed ? end : nil)
    }

    /// Goes on after a change of who asks.
    private func pursueAll() {
        for (room, state) in rooms where state.absence.pursuesUntil != nil { pursue(room) }
    }
}
