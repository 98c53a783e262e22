package import Chat
package import Noise
import Phrases
package import Wire

/// One participant in one room. Carries out the effects of its parts.
///
/// Lives in the isolation of its owner, on its scheduler's executor. Its functions do not wait, but for `waitUntilMaySend`
/// and `leave`.
package final class Node {
    let scheduler: any Scheduler
    package let configuration: NodeConfiguration
    let discoveries: Discoveries
    let outlet: Outlet

    var lifecycle = Lifecycle()
    var conversations: Conversations
    var intake: Intake
    var finder: Finder
    var links: Links
    var ownSession: OwnSession
    var mail: SealedMail
    var crowd: CrowdPresence
    var clock = RoomClock()
    var historyExchange: HistoryExchange
    var spread: Spread
    var bridgeGate: BridgeGate

    /// An empty buffer for the effects of the next call.
    var spareEffects = Effects()
    private var isTurnEndAsked = false
    /// Made once, for each turn.
    private lazy var turnEnd: () -> Void = { [weak self] in self?.endTurn() }
    /// The router may have a new deadline.
    var isRouterChanged = false
    var timers = [TimerToken](repeating: TimerToken(), count: NodeTimer.allCases.count)

    /// - Parameters:
    ///   - identity: the user's keys; wiped with the node.
    ///   - marks: the peers that the user marked in earlier runs.
    ///   - accepted: the peers of direct conversations that were accepted in earlier runs, the one used last at the end.
    ///   - randomness: each part gets a branch of its own.
    ///   - minimumEpoch: larger than that of every earlier run of this identity (Protocol.md section 9).
    ///   - deliver: receives the events, a batch or more a turn, on the scheduler; it must not block.
    ///   - epochChanged: takes the epoch that a re-issue goes on under (Protocol.md section 9), on the scheduler.
    ///   - directsChanged: takes the peers of accepted direct conversations when they are others, on the scheduler.
    package init(
        configuration: NodeConfiguration, identity: consuming Identity, marks: PeerMarks = PeerMarks(),
        accepted: [PeerID] = [], minimumEpoch: UInt64 = 0, randomness: Randomness,
        scheduler: any Scheduler, transport: any Transport, discoveries: [any PeerDiscovery],
        deliver: @escaping ([NodeEvent]) -> Void,
        epochChanged: @escaping (UInt64) -> Void = { _ in },
        directsChanged: @escaping ([PeerID]) -> Void = { _ in }
    ) {
        var randomness = randomness
        let (wallClock, now) = (scheduler.wallClock, scheduler.now)
        let staticKey = StaticKey(KeyPair.generate(using: &randomness))
        mail = SealedMail(configuration, me: identity.id, randomness: randomness.branch(4), now: now)
        let nickname = configuration.nickname ?? Nickname.random(using: &randomness)
        let epoch = OwnSession.epoch(startingAt: wallClock, above: minimumEpoch, using: &randomness)
        let session = UserSession(
            identity: identity, room: configuration.room.id, epoch: epoch, nickname: nickname,
            profile: configuration.profile,
            bridging: configuration.bridging, clock: SigningClock(randomness: randomness.branch(2)))
        let certificate = session.certify(
            noise: staticKey.publicKey, dm: mail.publicKey, serial: randomness.next() >> 32)
        (self.scheduler, self.configuration) = (scheduler, configuration)
        self.discoveries = Discoveries(all: discoveries)
        outlet = Outlet(deliver: deliver, epochChanged: epochChanged, directsChanged: directsChanged)
        let context = LinkContext(certificate: certificate, staticKey: staticKey, room: configuration.room)
        links = Links(
            context: context, transport: transport, handshakesPerSecond: configuration.handshakesPerSecond,
            randomness: randomness.branch(3), now: now)
        ownSession = OwnSession(context)
        conversations = Conversations(
            configuration, session, marks: marks, accepted: accepted, joinedAt: wallClock, now: now)
        historyExchange = HistoryExchange(me: certificate.identity, isShared: configuration.sharesHistory)
        intake = Intake(configuration, me: certificate.identity, now: now)
        finder = Finder(randomness: randomness.branch(1))
        crowd = CrowdPresence(randomness: randomness.branch(5))
        spread = Spread(randomness: randomness.branch(6))
        bridgeGate = BridgeGate(configuration)
    }

    /// Listens, announces and looks for peers. `.ready` follows once it is known how peers are looked for.
    package func start() throws(TransportError) {
        guard lifecycle.mayStart() else { return }
        try links.listen(port: configuration.port, handler: self)
        lifecycle.start()
        ownSession.start(now: scheduler.now)
        watchClock()
        if !discoveries.all.isEmpty { conversations.started(now: scheduler.now) }
        arm(.mail)
        startBridge()
        let announcement = makeAnnouncement()
        let tell = scheduler.receiver { [weak self] event in self?.discovered(event) }
        discoveries.start(announcement, tell: tell)
        if !discoveries.reportsMode { act { finder.setDiscoveryMode(.none, &$1) } }
    }

    func becomeReady(_ mode: DiscoveryMode) {
        emit(readyEvent(mode))
        if configuration.room.isPrivate { schedule(.warnUnanswered, at: scheduler.now + Finder.answerTime) }
    }

    private func readyEvent(_ mode: DiscoveryMode) -> NodeEvent {
        .ready(me: chat.ownName, port: links.port, room: configuration.room.name, discovery: mode)
    }

    /// Our names and port, as `.ready` gave them, with the names of now; nil before that.
    package func readyEvent() -> NodeEvent? { finder.discoveryMode.map(readyEvent) }

    func emit(_ event: consuming NodeEvent) {
        outlet.events.append(event)
        askForTurnEnd()
    }

    /// Routes an admitted payload, before the parts that hear of it.
    func accept(_ admitted: AdmittedPayload, _ environment: Environment) {
        if admitted.isRepeated {
            apply(conversations.router.routeAgain(admitted.payload, at: environment.moment))
        } else {
            // Without a copy of the events: in a flood this is the way of every message.
            let (before, mode) = (outlet.events.count, environment.mode)
            conversations.router.route(
                admitted.payload, at: environment.moment, askedAt: admitted.askedAt, into: &outlet.events)
            if mode.isFolded { outlet.remove(from: before) { !CrowdPresence.reports($0, in: mode, chat) } }
        }
        routed()
        if admitted.isPlain, !bridgeGate.isBridge, !spread.isEngaged { return }
        if !admitted.isLive { offerArchived() }
        act(in: environment) {
            mail.follow(admitted, links, chat, allowsLoopback: finder.hasNamedLoopback, $0, &$1)
            guard !admitted.isRepeated else { return }
            crowd.follow(admitted, connections, &conversations.router, &intake, &spread, &finder, $0, &$1)
            bridgeGate.follow(admitted, ownSession, spread, &crowd, &intake, &conversations.router, $0, &$1)
            spread.follow(admitted, chat, connections, $0, &$1)
        }
    }

    func accept(_ admitted: AdmittedPayload?) {
        if let admitted { accept(admitted, environment) }
    }

    func askForTurnEnd() {
        guard !isTurnEndAsked else { return }
        isTurnEndAsked = true
        scheduler.atEndOfTurn(turnEnd)
    }

    var connections: Connections { _read { yield links.connections } }

    /// The links that are part of the overlay: all but those of guests.
    var crowdLinks: [LinkInfo] { mail.overlayLinks(among: connections) }

    var context: LinkContext { links.context }

    /// One write for each link with waiting bytes, and one batch of events.
    private func endTurn() {
        isTurnEndAsked = false
        offerArchived()
        if spread.mode.isFolded {
            act { crowd.recordMovements(of: &conversations.router, now: $0.now, &$1) }
        }
        sendReplies()
        if finder.isChoiceChanged { followChoice() }
        let dirty = links.takeDirty()
        for link in dirty { act { links.flush(link, $0, &$1) } }
        links.reuse(dirty)
        goOnLeaving()
        if isRouterChanged {
            isRouterChanged = false
            arm(.router)
        }
        deliverEvents()
    }

    /// Delivers pending events now and returns them, so that a caller can queue its report behind them.
    @discardableResult
    package func flushEvents() -> [NodeEvent] {
        let events = outlet.events
        deliverEvents()
        return events
    }

    /// Delivers the events of a flood in portions, so that their buffer stays small and is used again.
    func flushFullBatch() {
        guard outlet.isFull else { return }
        offerArchived()
        deliverEvents()
    }

    private func deliverEvents() { outlet.deliver(accepted: conversations.router.takeAcceptedChange()) }
}

extension Node {
    /// Now, on all clocks.
    var moment: Moment {
        Moment(instant: scheduler.now, wallClock: scheduler.wallClock, correction: clock.correction)
    }

    var environment: Environment {
        Environment(
            moment: moment, me: context.me, mode: spread.mode, consentsToBridges: chat.session.bridging.consents,
            isRunning: lifecycle.isRunning)
    }
}

/// Deadlines: each part has its own; the node wakes at the deadline of a timer and asks the part again.
extension Node {
    /// Sets a timer whose deadline may be an earlier one now.
    func arm(_ timer: NodeTimer) {
        if let deadline = deadline(of: timer) { wake(timer, at: deadline) }
    }

    func wake(_ timer: NodeTimer, at deadline: Instant) {
        guard timers[timer.rawValue].arm(deadline) else { return }
        scheduler.schedule(at: deadline) { [weak self] in
            guard let self, timers[timer.rawValue].isCurrent(deadline) else { return }
            tick(timer)
        }
    }

    private func deadline(of timer: NodeTimer) -> Instant? {
        switch timer {
        case .bridge: bridgeGate.nextDeadline(now: scheduler.now)
        case .choice: finder.nextDeadline
        case .crowd: crowd.nextDeadline
        case .dialler: finder.nextDial(links)
        case .history: historyExchange.nextDeadline
        case .leaving: lifecycle.nextDeadline
        case .mail: mail.nextDeadline
        case .overlay: spread.nextDeadline
        case .router: chat.nextDeadline
        case .senders: conversations.sendersDeadline
        case .typing: conversations.typingDeadline
        }
    }

    private func tick(_ timer: NodeTimer) {
        switch timer {
        case .bridge: act { bridgeGate.tick($0, &$1) }
        case .choice:
            act { finder.sendRound(on: crowdLinks, $0, &$1) }
            act { finder.updateMode($0, connections, spread.neighbours, online: chat.roster.online, &$1) }
            followChoice()
        case .crowd:
            act { crowd.tick($0, links: crowdLinks, neighbours: spread.neighbours, router: &conversations.router, &$1) }
            act { crowd.answerRosters(connections, $0, &$1) }
            act { crowd.reportMovements(online: chat.roster.online, $0, &$1) }
        case .dialler: act { finder.dial(&links, $0, &$1) }
        case .history: tickHistory()
        case .leaving: act { lifecycle.tick(&links, &conversations.router, $0, &$1) }
        case .mail: act { mail.tick(&links, &conversations.router, $0, &$1) }
        case .overlay: act { spread.tick(connections, $0, &$1) }
        case .router: act { conversations.tick($0, &$1) }
        case .senders: conversations.tickSenders()
        case .typing: act { conversations.tickTyping($0, &$1) }
        }
    }
}

/// Leaving.
extension Node {
    /// Leaves; returns when `.stopped` has been emitted, at once if the node never started.
    package func leave() async {
        beginLeaving()
        if lifecycle.isStopped { return }
        await withCheckedContinuation { lifecycle.wait($0) }
    }

    /// Begins to leave, for a reason that `.stopped` gives; `.stopped` is emitted at the end, within 10 s and the time that discovery
    /// needs.
    package func beginLeaving(because reason: StopReason = .asked) {
        if lifecycle.skip() { forgetKeys() }
        guard lifecycle.isRunning else { return }
        send(conversations.router.signDeparture(at: moment), to: .everyone)
        act { lifecycle.leave(because: reason, &links, dials: finder.dials.underWay, $0, &$1) }
        conversations.resumeSenders()
        goOnLeaving()
    }

    func signOut(because better: Certificate) {
        act { lifecycle.signOut(because: better, &links, dials: finder.dials.underWay, &$1) }
        forgetKeys()
        conversations.resumeSenders()
        goOnLeaving()
    }

    private func goOnLeaving() {
        if lifecycle.isLeaving { act { lifecycle.goOn(&links, &conversations.router, $0, &$1) } }
    }

    func stop() {
        let end = scheduler.receiver { [self] (_: Void) in
            configuration.bridge?.port.stop()
            forgetKeys()
            emit(.stopped(lifecycle.reason))
            lifecycle.stop()
        }
        scheduler.begin { [discoveries] (_: isolated any Actor) in
            for discovery in discoveries.all { await discovery.stop() }
            end(())
        }
    }
}

/// The actions of the user. After an error the node goes on.
extension Node {
    package var wallClock: Timestamp { scheduler.wallClock }

    /// Performs an action of the user. After an error the node goes on.
    package func perform(_ action: UserAction) throws(ChatError) {
        try act { (environment, effects) throws(ChatError) in
            try conversations.perform(action, environment, &effects)
        }
    }

    package func change(_ change: UserChange) {
        act { conversations.change(change, $0, &$1) }
        guard case .consent = change, let first = chat.roster.bridges.first else { return }
        act { bridgeGate.reportBridge(of: first, chat.roster, $0, &$1) }
    }
}

extension Node {
    /// Returns when the next message may be sent: neither the own rate nor a peer's full queue is in the way, and near
    /// peers have had 2 s from the start to be met.
    ///
    /// - Returns: false if the node leaves instead.
    @discardableResult
    package func waitUntilMaySend() async -> Bool {
        let isFast = conversations.isFastSender(now: scheduler.now)
        while lifecycle.isRunning {
            guard act({ conversations.obstacle(isFast: isFast, &links, $0, &$1) }) != nil else {
                conversations.released(now: scheduler.now)
                return true
            }
            await withCheckedContinuation { conversations.wait($0) }
        }
        return false
    }
}

/// Views of the node's state for the program, with current names.
extension Node {
    /// The conversations and people of the room.
    ///
    /// Read a part that a method borrows from `conversations.router`: Swift 6.3 releases a copy that it borrows out of
    /// this accessor once too often.
    package var chat: MessageRouter { _read { yield conversations.router } }

    /// The peers that are here, if they are so many that `peers` has not all of them; else nil.
    package var crowdSize: Int? {
        let online = chat.roster.online
        return spread.mode.isFolded && online > Limits.heardPeersShown ? online : nil
    }

    /// The peers that are here, then the last 64 that left. Of a crowd, the 64 here that were heard last.
    package func peers() -> [PeerView] {
        (spread.mode.isFolded ? chat.roster.latestRows : chat.roster.rows).map { PeerView($0, connections) }
    }

    /// One peer; nil if it never was here.
    package func person(_ peer: PeerID) -> PeerView? { chat.roster.row(of: peer).map { PeerView($0, connections) } }

    /// Open requests for a direct conversation, the oldest first.
    package func requests() -> [(who: PeerName, text: String)] {
        chat.requests.map { (chat.name(of: $0.from), $0.text) }
    }
}

extension Node {
    /// The counters of all parts, also those at zero, in a fixed order.
    package func statistics() -> [Counter] {
        let parts = [
            links.counters, finder.gauges, finder.counters, intake.counters, chat.counters, crowd.counters,
            mail.counters, historyExchange.counters, spread.counters,
        ]
        return Counter.inOrder([Counter(.peersOnline, chat.roster.online)] + parts.joined())
            + discoveries.refusals + [Counter(.peopleElsewhere, chat.roster.elsewhereCount)]
            + bridgeGate.counters + (configuration.bridge?.port.counters ?? [])
    }
}
