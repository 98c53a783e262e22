import Phrases
package import Chat
package import Noise
package import Wire

/// One participant in one room. Carries out the effects of its parts.
///
/// Everything it knows is isolated to its scheduler; transports and discoveries call in through it. Its functions do not
/// wait, but for `waitUntilMaySend` and `leave`.
package actor Node {
    enum Phase {
        case idle
        case running
        case leaving
        case stopping
        case stopped
    }

    nonisolated let scheduler: any Scheduler
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe scheduler.asUnownedSerialExecutor() }

    let configuration: NodeConfiguration
    let discoveries: [any PeerDiscovery]
    private let deliver: @Sendable ([NodeEvent]) -> Void

    var phase = Phase.idle
    var randomness: Randomness
    var conversations: Conversations
    var intake: Intake
    var finder: Finder
    var links: Links
    var ownSession: OwnSession
    var mail: SealedMail
    var crowd = CrowdPresence()
    var clock = RoomClock()
    let epochChanged: @Sendable (UInt64) -> Void
    private let directsChanged: @Sendable ([PeerID]) -> Void
    /// Why we leave, or would.
    var stopReason = StopReason.asked

    var historyExchange: HistoryExchange
    var spread = Spread()
    var bridgeGate: BridgeGate

    private var batch = EventBatch()
    /// An empty buffer for the effects of the next call.
    var spareEffects = Effects()
    private var isTurnEndAsked = false
    /// Made once, for each turn.
    private lazy var turnEnd: @Sendable () -> Void = { [weak self] in self?.assumeIsolated(Node.endTurn(of:)) }
    /// The router may have a new deadline.
    var isRouterChanged = false
    var timers = [TimerToken](repeating: TimerToken(), count: NodeTimer.allCases.count)
    /// While leaving.
    var receiptsAwaitedUntil = Instant(nanoseconds: 0)
    var waitingToSend: [CheckedContinuation<Void, Never>] = []
    /// The next time at which they are resumed in any case; nil if only an event resumes them.
    var sendersWakeAt: Instant?
    var waitingToLeave: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - identity: who we are; wiped with the node.
    ///   - marks: what the person decided about peers in earlier runs.
    ///   - accepted: the peers of direct conversations that were accepted in earlier runs, the one used last at the end.
    ///   - minimumEpoch: larger than that of every earlier run of this identity (Protocol.md section 9).
    ///   - deliver: takes what the node tells, a batch or more a turn, on the scheduler; it must not block.
    ///   - epochChanged: takes the epoch that a re-issue goes on under (Protocol.md section 9), on the scheduler.
    ///   - directsChanged: takes the peers of accepted direct conversations when they are others, on the scheduler.
    package init(
        configuration: NodeConfiguration, identity: consuming Identity, marks: PeerMarks = PeerMarks(),
        accepted: [PeerID] = [], minimumEpoch: UInt64 = 0, randomness: Randomness,
        scheduler: any Scheduler, transport: sending any Transport, discoveries: [any PeerDiscovery],
        deliver: @escaping @Sendable ([NodeEvent]) -> Void,
        epochChanged: @escaping @Sendable (UInt64) -> Void = { _ in },
        directsChanged: @escaping @Sendable ([PeerID]) -> Void = { _ in }
    ) {
        var randomness = randomness
        let (wallClock, now) = (scheduler.wallClock, scheduler.now)
        let room = configuration.room
        let staticKey = StaticKey(KeyPair.generate(using: &randomness))
        mail = SealedMail(me: identity.id, now: now, using: &randomness)
        let nickname = configuration.nickname ?? Nickname.random(using: &randomness)
        let epoch = OwnSession.epoch(startingAt: wallClock, above: minimumEpoch, using: &randomness)
        let session = UserSession(
            identity: identity, room: room.id, epoch: epoch, nickname: nickname, profile: configuration.profile,
            bridging: configuration.bridging, clock: SigningClock(randomness: randomness.branch(2)))
        let certificate = session.certify(
            noise: staticKey.publicKey, dm: mail.publicKey, serial: randomness.next() >> 32)
        (self.scheduler, self.configuration) = (scheduler, configuration)
        (self.discoveries, self.deliver) = (discoveries, deliver)
        (self.epochChanged, self.directsChanged) = (epochChanged, directsChanged)
        let context = LinkContext(certificate: certificate, staticKey: staticKey, room: room)
        links = Links(
            context: context, transport: transport, handshakesPerSecond: configuration.handshakesPerSecond, now: now)
        ownSession = OwnSession(context)
        let router = MessageRouter(
            session: session, joinedAt: wallClock, marks: marks, accepted: accepted,
            contacts: configuration.contacts,
            sendsReadReceipts: configuration.readReceipts, pace: Conversations.rate(configuration.ownPace))
        conversations = Conversations(router, pace: configuration.ownPace, now: now)
        historyExchange = HistoryExchange(me: certificate.identity, isShared: configuration.sharesHistory)
        intake = Intake(configuration, me: certificate.identity, now: now)
        finder = Finder(randomness: randomness.branch(1))
        bridgeGate = BridgeGate(configuration)
        self.randomness = randomness
    }

    /// Listens, announces and looks for peers. `.ready` follows once it is known how peers are looked for.
    package func start() throws(TransportError) {
        guard case .idle = phase else { return }
        try links.listen(port: configuration.port, handler: self)
        phase = .running
        ownSession.start(now: scheduler.now)
        watchClock()
        if !discoveries.isEmpty { conversations.started(now: scheduler.now) }
        arm(.mail)
        startBridge()
        let announcement = makeAnnouncement()
        for discovery in discoveries {
            discovery.start(announcement) { [scheduler, weak self] event in
                scheduler.execute { self?.assumeIsolated { $0.discovered(event) } }
            }
        }
        if !discoveries.contains(where: \.reportsMode) { withEffects { finder.setDiscoveryMode(.none, &$0) } }
    }

    /// The router, for the parts and for `Node` itself.
    var router: MessageRouter {
        _read { yield conversations.router }
        _modify { yield &conversations.router }
    }

    func becomeReady(_ mode: DiscoveryMode) {
        emit(readyEvent(mode))
        if configuration.room.isPrivate { awaitAnswer() }
    }

    /// Nodes of one network have met long before.
    private static let answerTime = Duration.seconds(5)

    /// Warns the user of a room with a key when no other node of it has answered for some time: a wrong key and an empty room
    /// look the same.
    private func awaitAnswer() {
        scheduler.schedule(at: scheduler.now + Node.answerTime) { [weak self] in
            self?.assumeIsolated { node in
                guard case .running = node.phase, node.router.roster.isUnmet else { return }
                node.warn(.roomUnanswered, Sentence(.roomUnanswered, node.configuration.room.name))
            }
        }
    }

    private func readyEvent(_ mode: DiscoveryMode) -> NodeEvent {
        .ready(me: me(), port: links.port, room: configuration.room.name, discovery: mode)
    }

    /// Our names and port, as `.ready` gave them, with the names of now; nil before that.
    package func readyEvent() -> NodeEvent? { finder.discoveryMode.map(readyEvent) }

    func emit(_ event: consuming NodeEvent) {
        batch.append(event)
        askForTurnEnd()
    }

    /// Routes a payload and reports what it changes, without a copy of the events: in a flood this is the way of every message.
    func route(_ payload: VerifiedPayload, askedAt: Timestamp?, at moment: Moment) {
        let before = batch.events.count
        router.route(payload, at: moment, askedAt: askedAt, into: &batch.events)
        guard batch.events.count > before else { return }
        if crowd.isFolded { batch.remove(from: before) { !shouldReport($0) } }
        askForTurnEnd()
    }

    func askForTurnEnd() {
        guard !isTurnEndAsked else { return }
        isTurnEndAsked = true
        scheduler.atEndOfTurn(turnEnd)
    }

    /// The end of the turn writes the frames that wait on links.
    func askForTurnEndIfDirty() {
        if links.hasDirty { askForTurnEnd() }
    }

    var connections: Connections { _read { yield links.connections } }

    var context: LinkContext { links.context }

    private static func endTurn(of node: isolated Node) { node.endTurn() }

    /// One write for each link with waiting bytes, and one batch of events.
    private func endTurn() {
        isTurnEndAsked = false
        offerArchived()
        recordMovements()
        sendReplies()
        if finder.isChoiceChanged { followChoice() }
        if links.hasDirty { flushDirty() }
        goOnLeaving()
        if isRouterChanged {
            isRouterChanged = false
            arm(.router)
        }
        deliverBatch()
    }

    private func flushDirty() {
        let flushed = links.takeDirty()
        for connection in flushed {
            links.unmark(connection)
            flush(connection)
        }
        links.reuse(flushed)
    }

    /// Delivers pending events now and returns them, so that a caller can queue its report behind them.
    @discardableResult
    package func flushEvents() -> [NodeEvent] {
        let events = batch.events
        deliverBatch()
        return events
    }

    /// Delivers the events of a flood in portions, so that their buffer stays small and is used again.
    func flushFullBatch() {
        guard batch.isFull else { return }
        offerArchived()
        deliverBatch()
    }

    private func deliverBatch() {
        // Before the events: when the user sees them, the change is on its way to the disk.
        if let accepted = router.takeAcceptedChange() { directsChanged(accepted) }
        guard !batch.events.isEmpty else { return }
        // Taken out, because the receiver may emit events.
        let events = batch.take()
        deliver(events)
        batch.reuse(consume events)
    }
}
