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

    var parts: Parts

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
        (self.scheduler, self.configuration) = (scheduler, configuration)
        self.discoveries = Discoveries(all: discoveries)
        outlet = Outlet(deliver: deliver, epochChanged: epochChanged, directsChanged: directsChanged)
        parts = Parts(
            configuration, identity, marks: marks, accepted: accepted, minimumEpoch: minimumEpoch,
            randomness: randomness, transport: transport, wallClock: scheduler.wallClock, now: scheduler.now)
    }

    /// Listens, and enters the room. `.ready` follows once it is known how peers are looked for.
    ///
    /// - Parameter pause: how long nothing is announced and no peer looked for, unless the user acts in the room or looks at it.
    package func start(after pause: Duration = .zero) throws(TransportError) {
        guard parts.lifecycle.mayStart() else { return }
        try parts.links.listen(port: configuration.port, handler: self)
        parts.lifecycle.start()
        parts.ownSession.start(now: scheduler.now)
        watchClock()
        arm(.mail)
        if pause > .zero { schedule(.enter, at: scheduler.now + pause) } else { enter() }
        if !discoveries.reportsMode { act { $0.finder.setDiscoveryMode(.none, &$2) } }
    }

    /// Announces the node and looks for peers, unless it does or has left.
    func enter() {
        guard parts.lifecycle.enter() else { return }
        if !discoveries.all.isEmpty { parts.conversations.started(now: scheduler.now) }
        startBridge()
        let announcement = makeAnnouncement()
        let tell = scheduler.receiver { [weak self] event in self?.discovered(event) }
        discoveries.start(announcement, tell: tell)
    }

    func becomeReady(_ mode: DiscoveryMode) {
        emit(readyEvent(mode))
        if configuration.awaitsOthers { schedule(.warnUnanswered, at: scheduler.now + Finder.answerTime) }
    }

    private func readyEvent(_ mode: DiscoveryMode) -> NodeEvent {
        .started(in: configuration.room, as: chat.ownName, port: parts.links.port, mode)
    }

    /// Our names and port, as `.ready` gave them, with the names of now; nil before that.
    package func readyEvent() -> NodeEvent? { parts.finder.discoveryMode.map(readyEvent) }

    /// Why no peer may be found; nil if nothing is known to be in the way.
    package var obstacle: Obstacle? { parts.finder.obstacle }

    func emit(_ event: consuming NodeEvent) {
        outlet.events.append(event)
        askForTurnEnd()
    }

    /// Routes an admitted payload, before the parts that hear of it.
    func accept(_ admitted: AdmittedPayload, _ environment: Environment) {
        // Without a copy of the events: in a flood this is the way of every message.
        let (before, mode) = (outlet.events.count, environment.mode)
        parts.conversations.router.route(
            admitted.payload, at: environment.moment, askedAt: admitted.askedAt, into: &outlet.events)
        if mode.isFolded { outlet.remove(from: before) { !CrowdPresence.reports($0, in: mode, chat) } }
        routed()
        if admitted.isPlain, !parts.bridgeGate.isBridge, !parts.spread.isEngaged { return }
        if !admitted.isLive { offerArchived() }
        act(in: environment) { $0.follow(admitted, $1, &$2) }
    }

    func accept(_ admitted: AdmittedPayload?) { if let admitted { accept(admitted, environment) } }

    func askForTurnEnd() {
        guard !isTurnEndAsked else { return }
        isTurnEndAsked = true
        scheduler.atEndOfTurn(turnEnd)
    }

    var connections: Connections { _read { yield parts.links.connections } }

    var context: LinkContext { parts.links.context }

    /// One write for each link with waiting bytes, and one batch of events.
    private func endTurn() {
        isTurnEndAsked = false
        offerArchived()
        if parts.spread.mode.isFolded {
            act { $0.crowd.recordMovements(of: &$0.conversations.router, now: $1.now, &$2) }
        }
        sendReplies()
        if parts.finder.isChoiceChanged { followChoice() }
        let dirty = parts.links.takeDirty()
        for link in dirty { act { $0.flush(link, $1, &$2) } }
        parts.links.reuse(dirty)
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

    private func deliverEvents() { outlet.deliver(accepted: parts.conversations.router.takeAcceptedChange()) }

    /// Now, on all clocks.
    var moment: Moment { environment.moment }

    var environment: Environment { parts.environment(at: scheduler.now, scheduler.wallClock) }
}

/// Deadlines: each part has its own; the node wakes at the deadline of a timer and asks the part again.
extension Node {
    /// Sets a timer whose deadline may be an earlier one now.
    func arm(_ timer: NodeTimer) { if let deadline = deadline(of: timer) { wake(timer, at: deadline) } }

    func wake(_ timer: NodeTimer, at deadline: Instant) {
        guard timers[timer.rawValue].arm(deadline) else { return }
        scheduler.schedule(at: deadline) { [weak self] in
            guard let self, timers[timer.rawValue].isCurrent(deadline) else { return }
            tick(timer)
        }
    }

    private func deadline(of timer: NodeTimer) -> Instant? {
        switch timer {
        case .bridge: parts.bridgeGate.nextDeadline(now: scheduler.now)
        case .choice: parts.finder.nextDeadline
        case .cover: parts.cover.nextDeadline
        case .crowd: parts.crowd.nextDeadline
        case .dialler: parts.finder.nextDial(parts.links)
        case .history: parts.historyExchange.nextDeadline
        case .leaving: parts.lifecycle.nextDeadline
        case .mail: parts.mail.nextDeadline
        case .overlay: parts.spread.nextDeadline
        case .router: chat.nextDeadline
        case .senders: parts.conversations.sendersDeadline
        case .typing: parts.conversations.typingDeadline
        }
    }

    private func tick(_ timer: NodeTimer) {
        switch timer {
        case .bridge: act { $0.bridgeGate.tick($1, &$2) }
        case .choice:
            act { $0.finder.sendRound(on: $0.crowdLinks, $1, &$2) }
            act {
                $0.finder.updateMode(
                    $1, $0.links.connections, $0.spread.neighbours, online: $0.conversations.router.roster.online, &$2)
            }
            followChoice()
        case .crowd:
            act {
                $0.crowd.tick(
                    $1, links: $0.crowdLinks, neighbours: $0.spread.neighbours, router: &$0.conversations.router, &$2)
            }
            act { $0.crowd.answerRosters($0.links.connections, $1, &$2) }
            act { $0.crowd.reportMovements(online: $0.conversations.router.roster.online, $1, &$2) }
        case .cover: act { $0.cover.tick(&$0.conversations.router, &$0.links, $1, &$2) }
        case .dialler: act { $0.finder.dial(&$0.links, $1, &$2) }
        case .history: tickHistory()
        case .leaving: act { $0.lifecycle.tick(&$0.links, &$0.conversations.router, $1, &$2) }
        case .mail: act { $0.mail.tick(&$0.links, &$0.conversations.router, $1, &$2) }
        case .overlay: act { $0.spread.tick($0.links.connections, $1, &$2) }
        case .router: act { $0.conversations.tick($1, &$2) }
        case .senders: parts.conversations.tickSenders()
        case .typing: act { $0.conversations.tickTyping($1, &$2) }
        }
    }
}

/// Leaving.
extension Node {
    /// Returns when `.stopped` has been emitted, at once if it was before; without it once a node that never started is left.
    package func awaitEnd() async {
        await withCheckedContinuation { parts.lifecycle.wait($0) }
    }

    /// Begins to leave, for a reason that `.stopped` gives; `.stopped` is emitted at the end, within 10 s and the time that discovery
    /// needs.
    ///
    /// - Parameter isWiped: whether no receipt is waited for, and a peer that reads nothing for 1 s alone.
    package func beginLeaving(because reason: StopReason = .asked, isWiped: Bool = false) {
        if parts.lifecycle.skip() { parts.forgetKeys() }
        guard parts.lifecycle.isRunning else { return }
        act { $0.sendHeld($1, &$2) }
        send(parts.conversations.router.signDeparture(at: moment), to: .everyone)
        act { $0.lifecycle.leave(because: reason, isWiped, &$0.links, dials: $0.finder.dials.underWay, $1, &$2) }
        parts.conversations.resumeSenders()
        goOnLeaving()
    }

    func signOut(because better: Certificate) {
        act { $0.lifecycle.signOut(because: better, &$0.links, dials: $0.finder.dials.underWay, &$2) }
        parts.forgetKeys()
        parts.conversations.resumeSenders()
        goOnLeaving()
    }

    private func goOnLeaving() {
        if parts.lifecycle.isLeaving { act { $0.lifecycle.goOn(&$0.links, &$0.conversations.router, $1, &$2) } }
    }

    func stop() {
        let end = scheduler.receiver { [self] (_: Void) in
            configuration.bridge?.port.stop()
            parts.forgetKeys()
            emit(.stopped(parts.lifecycle.reason))
            parts.lifecycle.stop()
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
        enter()
        try act { (parts, environment, effects) throws(ChatError) in
            try parts.conversations.perform(action, environment, &effects)
        }
    }

    /// Whether private payloads go in records at random times.
    package var sendsCover: Bool { parts.cover.isOn }
    package func turnCover(on isOn: Bool) { act { $0.turnCover(on: isOn, $1, &$2) } }

    package func change(_ change: UserChange) {
        if change.isLook { enter() }
        act { $0.conversations.change(change, $1, &$2) }
        guard case .consent = change, let first = chat.roster.bridges.first else { return }
        act { $0.bridgeGate.reportBridge(of: first, $0.conversations.router.roster, $1, &$2) }
    }
}

extension Node {
    /// Returns when the next message may be sent: neither the own rate nor a peer's full queue is in the way, and near
    /// peers have had 2 s from the start to be met.
    ///
    /// - Returns: false if the node leaves instead.
    package func waitUntilMaySend(_ pace: Pace = .messages(1)) async -> Bool {
        enter()
        let isFast = parts.conversations.isFastSender(now: scheduler.now)
        func waits() -> Bool { act { $0.conversations.obstacle(pace, isFast: isFast, &$0.links, $1, &$2) } != nil }
        while parts.lifecycle.isRunning {
            guard waits() else {
                parts.conversations.released(now: scheduler.now)
                return true
            }
            await withCheckedContinuation {
                if parts.lifecycle.isRunning, waits() { parts.conversations.wait($0) } else { $0.resume() }
            }
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
    package var chat: MessageRouter { _read { yield parts.conversations.router } }

    /// The peers that are here, if they are so many that `peers` has not all of them; else nil.
    package var crowdSize: Int? {
        let online = chat.roster.online
        return parts.spread.mode.isFolded && online > Limits.heardPeersShown ? online : nil
    }

    /// The peers that are here, then the last 64 that left. Of a crowd, the 64 here that were heard last.
    package func peers() -> [PeerView] {
        (parts.spread.mode.isFolded ? chat.roster.latestRows : chat.roster.rows).map { PeerView($0, connections) }
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
        Counter.inOrder([Counter(.peersOnline, chat.roster.online)] + parts.counters)
            + discoveries.refusals + [Counter(.peopleElsewhere, chat.roster.elsewhereCount)]
            + parts.bridgeGate.counters + (configuration.bridge?.port.counters ?? [])
    }
}
