import Chat
import Wire

/// Exchange of public history with linked peers: offers, requests, answers and their rate limits, and payloads that were refused for
/// their time (Protocol.md section 7).
struct HistoryExchange {
    private struct Counts {
        var havesSent = 0
        var wantsSent = 0
        var payloadsSent = 0
        var payloadsReceived = 0
        /// Offers above a peer's rate.
        var havesRefused = 0
        /// Requests that came too soon.
        var wantsRefused = 0
        /// Payloads that were asked for and are not here.
        var wantedInVain = 0
    }

    private static let haveRate = Rate(perSecond: Limits.havesPerSecond, burst: Limits.havesBurst)
    /// Share of an outbox that answers may fill, so that a peer is not disconnected as too slow because of its own request.
    private static let answerRoom = Outbox.capacity / 4

    /// The node offers and requests history.
    private let isShared: Bool
    private var offers: IHave
    private var wants = IWant()
    private var requestTime = RequestTime()
    private var answers = HistoryAnswers()
    private var untimely = UntimelyRefusals()
    /// Kept when a link closes, so that a new connection does not reset the limit.
    private var haveRates = RecentTable<PeerID, TokenBucket>(capacity: Limits.knownPeers)
    private var counts = Counts()
    /// Payloads that were sent as history, by kind.
    private(set) var sent = PayloadTally()
    /// Offers and requests whose count is not that of their ids, or too high.
    private(set) var malformedLists = 0

    init(me: PeerID, isShared: Bool) {
        offers = IHave(me: me)
        self.isShared = isShared
    }

    /// When `tick` has something to do; nil for never.
    var nextDeadline: Instant? {
        .earlier(.earlier(offers.nextDeadline, wants.nextDeadline), untimely.nextDeadline)
    }

    var counters: [Counter] {
        [
            Counter(.offersSent, counts.havesSent),
            Counter(.requestsSent, counts.wantsSent),
            Counter(.historySent, counts.payloadsSent),
            Counter(.historyReceived, counts.payloadsReceived),
            Counter(.offersRefused, counts.havesRefused),
            Counter(.requestsRefused, counts.wantsRefused),
            Counter(.requestedInVain, counts.wantedInVain),
            Counter(.idListsMalformed, malformedLists),
        ] + PayloadType.allCases.map { Counter(.sent($0), sent[$0]) }
    }

    private func takesPart(_ environment: Environment) -> Bool { isShared && environment.isRunning }
}

/// Links and archived payloads.
extension HistoryExchange {
    /// - Parameter giver: from where the peer's link comes.
    mutating func linkOpened(to peer: PeerID, from giver: Giver, _ environment: Environment) {
        guard takesPart(environment) else { return }
        offers.opened(to: peer, now: environment.now)
        wants.opened(to: peer, from: giver)
    }

    /// The last link to a peer closed.
    mutating func linkClosed(to peer: PeerID, _ end: LinkEnd, now: Instant) {
        offers.closed(to: peer, isLost: end != .goodbye, now: now)
        wants.closed(to: peer, now: now)
        answers.closed(to: peer)
        untimely.closed(to: peer)
    }

    /// Whether trees bring new payloads to a peer, so that offers to it become rare.
    mutating func setServedByTrees(_ isServed: Bool, _ peer: PeerID) { offers.setServedByTrees(isServed, peer) }

    /// Offers the payloads that were archived since the last call.
    mutating func offerArchived(
        of router: inout MessageRouter, now: @autoclosure () -> Instant, _ effects: inout Effects
    ) {
        router.drainArchived { items in
            if isShared { offers.recordArchived(items, now: now()) }
            effects.append(.arm(.history))
        }
    }
}

/// Offers and requests of peers.
extension HistoryExchange {
    /// Handles the body of a `have`, and requests what is due.
    mutating func receiveHave(
        _ body: Span<UInt8>, on link: LinkInfo, _ connections: Connections, archive: borrowing PublicChat,
        _ spread: inout Spread, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let peer = link.peer else { return }
        receiveHave(body, from: peer, environment, archive: archive)
        tick(connections, archive: archive, &spread, environment, &effects)
    }

    /// Handles the body of a `have`.
    mutating func receiveHave(
        _ body: Span<UInt8>, from peer: PeerID, _ environment: Environment, archive: borrowing PublicChat
    ) {
        guard takesPart(environment) else { return }
        let now = environment.now
        let isAllowed = haveRates.update(peer, orNew: { TokenBucket(HistoryExchange.haveRate, now: now) }) {
            $0.takeTokens(now: now)
        }
        guard isAllowed else {
            counts.havesRefused += 1
            return
        }
        guard let ids = IDList.read(body, limit: Limits.offeredPayloads) else {
            malformedLists += 1
            return
        }
        untimely.recordListing(of: ids, by: peer)
        let missing = archive.lacking(ids).filter { !untimely.contains($0) }
        offers.offered(ids, by: peer, isUseful: !missing.isEmpty)
        wants.offered(missing, by: peer, now: now)
    }

    /// Handles the body of a `want`, and begins to answer.
    mutating func receiveWant(
        _ body: Span<UInt8>, on link: LinkInfo, _ connections: Connections, archive: borrowing PublicChat,
        _ environment: Environment, _ effects: inout Effects
    ) {
        guard let peer = link.peer, receiveWant(body, from: peer, environment, archive: archive) else { return }
        effects.append(.arm(.history))
        effects.append(.then(.answerRequests(on: connections.sendingLink(of: peer)?.id ?? link.id)))
    }

    /// Handles the body of a `want`: queues the answers for `answer`.
    ///
    /// - Returns: false if this node takes no part in the exchange.
    mutating func receiveWant(
        _ body: Span<UInt8>, from peer: PeerID, _ environment: Environment, archive: borrowing PublicChat
    ) -> Bool {
        guard takesPart(environment) else { return false }
        guard let ids = IDList.read(body, limit: Limits.wantedPayloads) else {
            malformedLists += 1
            return true
        }
        var archived: [UInt64] = []
        for id in ids where archive.payload(id) != nil { archived.append(id) }
        counts.wantedInVain += ids.count - archived.count
        guard answers.wanted(archived, by: peer, now: environment.now) else {
            counts.wantsRefused += 1
            return true
        }
        if !archived.isEmpty { offers.wanted(by: peer) }
        return true
    }

    /// Whether the peer of a link requested something that was not sent yet.
    func hasAnswers(on link: LinkInfo) -> Bool { link.peer.map { answers.hasSomething(for: $0) } ?? false }

    /// Sends one of the payloads that a link's peer requested, with its signature checked; the author of a forged one is banned.
    ///
    /// - Returns: false once nothing is requested, or the outbox has no room for more.
    mutating func answer(
        on link: LinkInfo, _ environment: Environment, _ router: inout MessageRouter, _ intake: inout Intake,
        _ effects: inout Effects
    ) -> Bool {
        guard takesPart(environment), let peer = link.peer, !link.isRetiring, !link.isForgotten else { return false }
        // Nothing more for a peer that has not read the last answer: it would wait in the memory of this machine.
        guard !link.isHeldUp, link.queuedBytes < HistoryExchange.answerRoom,
            let id = answers.next(for: peer, now: environment.now)
        else { return false }
        switch intake.verifySignature(of: id, in: &router) {
        case .valid(let payload):
            let isOwn = payload.author == environment.me
            if !isOwn { effects.append(.sendCertificate(of: payload.author, to: .link(link.id))) }
            effects.append(.send(payload.frame(hops: isOwn ? 0 : 1), to: .link(link.id)))
            counts.payloadsSent += 1
            sent.add(payload.type)
        case .absent: break
        // The author may be the peer itself.
        case .forged(let author):
            effects.append(.ban(author))
            effects.append(.close(.all(of: author), .ban))
        }
        return true
    }
}

/// Payloads that were requested.
extension HistoryExchange {
    /// True if a payload was requested from a peer.
    ///
    /// Mutating, though it changes nothing: each payload asks, and would ask a copy of all tables.
    mutating func isAwaited(_ id: UInt64, from peer: PeerID) -> Bool {
        wants.isAwaitingAnything(from: peer) && wants.isAwaited(id, from: peer)
    }

    /// Records that a requested payload arrived from a peer. A rejected payload is not requested again.
    ///
    /// - Returns: the reading of the wall clock at the last request, if the clock was not set since; now if that request was given up.
    mutating func recordArrival(of id: UInt64, from peer: PeerID, _ environment: Environment) -> Timestamp {
        counts.payloadsReceived += 1
        return requestTime.wallClock(at: wants.arrived(id, from: peer) ?? environment.now, environment.moment)
    }

    /// Handles a payload that was asked for, came, and was refused: it is not asked for again, unless its time alone is wrong.
    mutating func refuse(
        _ frame: borrowing PayloadFrame, _ reason: DropReason, from peer: PeerID, _ router: inout MessageRouter,
        _ environment: Environment, _ effects: inout Effects
    ) {
        guard reason == .stale || reason == .fromTheFuture else { return router.recordFinal(frame.id.prefix) }
        refuseForTime(frame.id.prefix, signedAt: frame.timestamp, from: peer, environment)
        effects.append(.arm(.history))
    }

    /// Handles a frame that is no payload: it is not asked for again.
    mutating func refuse(
        malformed id: UInt64, from peer: PeerID, _ router: inout MessageRouter, _ environment: Environment
    ) {
        guard isAwaited(id, from: peer) else { return }
        _ = recordArrival(of: id, from: peer, environment)
        router.recordFinal(id)
    }

    /// Records a payload that was refused for its time alone: our clock may be wrong.
    ///
    /// - Parameter time: that its author signed.
    mutating func refuseForTime(_ id: UInt64, signedAt time: Timestamp, from peer: PeerID, _ environment: Environment) {
        guard takesPart(environment) else { return }
        let now = environment.roomClock
        let latest = now.moved(by: Int64(Limits.freshnessMilliseconds))
        let wait: Duration? = time > now ? .milliseconds(time > latest ? time.distance(to: latest) : 0) : nil
        untimely.refuse(id, from: peer, wait: wait, now: environment.now)
    }

    /// Asks again for payloads that were refused for their time: for those whose time has come, or for all once the clock has moved.
    ///
    /// - Parameter spread: takes them again, too.
    mutating func reopenRefused(
        isAll: Bool, _ environment: Environment, _ spread: inout Spread, _ effects: inout Effects
    ) {
        guard takesPart(environment) else { return }
        reopen(isAll ? untimely.takeAll() : untimely.takeDue(now: environment.now), environment, &spread)
        effects.append(.arm(.history))
    }

    private mutating func reopen(
        _ open: [(id: UInt64, peers: [PeerID])], _ environment: Environment, _ spread: inout Spread
    ) {
        for (id, peers) in open {
            for peer in peers { wants.offered([id], by: peer, now: environment.now) }
            spread.reopen(id)
        }
    }

    /// Sends the offers and requests that are due; before that, takes back refusals whose time has come.
    mutating func tick(
        _ connections: Connections, archive: borrowing PublicChat, _ spread: inout Spread, _ environment: Environment,
        _ effects: inout Effects
    ) {
        guard takesPart(environment) else { return }
        reopen(untimely.takeDue(now: environment.now), environment, &spread)
        if let nextDeadline { effects.append(.wake(.history, at: nextDeadline)) }
        let haves = offers.due(now: environment.now, all: { archive.offer })
        let missing = wants.due(now: environment.now, lacking: { archive.lacking($0) })
        for (peer, ids) in haves where connections.sendingLink(of: peer) != nil {
            effects.append(.send(IDList.frame(.have, ids), to: .peer(peer)))
            counts.havesSent += 1
        }
        for (peer, ids) in missing where connections.sendingLink(of: peer) != nil {
            effects.append(.send(IDList.frame(.want, ids), to: .peer(peer)))
            counts.wantsSent += 1
        }
        effects.append(.arm(.history))
    }
}

extension Limits {
    /// `have` frames that are accepted of a peer, per second in the long run: four times what an honest peer sends.
    /// More let a peer cost comparisons of 500 ids each; with fewer, honest offers are lost after delays.
    static let havesPerSecond = 6.0
    /// As many at once. More let a peer begin with a larger flood; with fewer, the offers that a slow network bunched
    /// are lost.
    static let havesBurst = 40.0
}
