import Chat
import Noise
import Wire

/// The presences of a room that has no links between all its nodes: its peers are here by their signed presences, which nodes pass
/// on and compare (Protocol.md section 13). Idle in a mesh.
struct CrowdPresence {
    /// The content of a presence that is newer than the last one of its author.
    struct Change: Equatable {
        let author: PeerID
        let isHere: Bool
        /// It came over a bridge alone: its author is in another network.
        let isBridged: Bool
    }

    private var randomness: Randomness
    /// The link by which each peer's newest presence came first.
    private(set) var paths = PresencePaths()
    private var presences = Presences()
    private var exchange = RosterExchange()
    private var intake = RosterIntake()
    private var relay = PresenceRelay()
    private var folding = CrowdFolding()
    private var rostersRefused = 0

    /// - Parameter randomness: its own alone.
    init(randomness: Randomness) { self.randomness = randomness }

    /// The next time at which `tick` has something to do; nil for never.
    var nextDeadline: Instant? {
        [exchange.nextDeadline, relay.nextDeadline, folding.nextDeadline].reduce(presences.nextDeadline) {
            Instant.earlier($0, $1)
        }
    }

    var counters: [Counter] { [Counter(.rostersRefused, rostersRefused)] }

    /// True if a peer's newest presence says that it is here or away.
    func isHere(_ peer: PeerID) -> Bool { presences.isHere(peer) }
}

/// The mode of the room.
extension CrowdPresence {
    /// The mode of the room is another.
    mutating func modeChanged(
        from last: RoomMode, _ mail: inout SealedMail, _ bridge: inout BridgeGate, _ router: inout MessageRouter,
        _ connections: Connections, _ neighbours: Neighbours, _ environment: Environment, _ effects: inout Effects
    ) {
        let links = mail.overlayLinks(among: connections)
        router.setCrowd(environment.isCrowd)
        bridge.forgetPassed()
        _ = router.takeMovements()
        if environment.isCrowd {
            enter(environment, links: links, neighbours: neighbours, router: &router, &effects)
        } else {
            let linked = connections.active.compactMap(\.peer)
            leave(last, links: links, neighbours: neighbours, linked: linked, &effects)
            mail.leaveCrowd()
            if last.isFolded { effects.append(.apply(Outcome(events: router.roster.arrivals))) }
        }
        effects.append(.arm(.crowd))
    }

    /// The room is a crowd from now on, or a small room in which links are lacking: announces this node and asks for rosters.
    ///
    /// - Parameter links: those of the overlay.
    mutating func enter(
        _ environment: Environment, links: [LinkInfo], neighbours: Neighbours, router: inout MessageRouter,
        _ effects: inout Effects
    ) {
        setMode(environment.mode)
        exchange.begin(now: environment.now)
        announce(router.signPresence(at: environment.moment), environment, on: links, &effects)
        guard environment.mode == .relaying else { return }
        for link in links {
            // Those that pass payloads on, which are few.
            if let peer = link.peer, neighbours[peer]?.isInTrees ?? false {
                askForRoster(on: link, environment, &effects)
            }
        }
    }

    /// The room is a mesh again. The presences of peers without a link hold until they lapse; the other peers are here as long as
    /// their links.
    ///
    /// - Parameter links: those of the overlay.
    private mutating func leave(
        _ last: RoomMode, links: [LinkInfo], neighbours: Neighbours, linked: some Sequence<PeerID>,
        _ effects: inout Effects
    ) {
        // The departure that ended a gap is still to be passed on.
        if last == .relaying { pass(relay.takeAll(), on: links, neighbours, &effects) }
        end()
        for peer in linked { presences.remove(peer) }
    }

    /// Stops all activity; keeps the presences.
    mutating func end() {
        setMode(.mesh)
        endExchange()
        relay.end()
        folding.end()
    }

    /// Asks for no roster and answers no question any more.
    mutating func endExchange() { exchange.end() }

    private mutating func setMode(_ mode: RoomMode) {
        presences.isSmall = mode == .relaying
        relay.isSmall = mode == .relaying
    }
}

/// Our own presence.
extension CrowdPresence {
    /// Our presence for a new link: in a crowd the one that was signed last, which is news to few.
    mutating func presenceForLink(
        _ environment: Environment, router: inout MessageRouter
    ) -> VerifiedPayload {
        guard environment.isCrowd else { return router.signPresence(at: environment.moment) }
        if let own = relay.own, own.payload.epoch == router.session.epoch { return own }
        let presence = router.signPresence(at: environment.moment)
        recordOwn(presence, now: environment.now)
        return presence
    }

    /// Sends our own presence to all neighbours, each of which passes it on along its author's tree.
    ///
    /// - Parameter links: those of the overlay.
    mutating func announce(
        _ presence: VerifiedPayload, _ environment: Environment, on links: [LinkInfo], _ effects: inout Effects
    ) {
        recordOwn(presence, now: environment.now)
        let delivery = PayloadDelivery(frame: presence.signed.frame(hops: 0), type: .presence)
        effects.append(.deliver(delivery, to: .links(links.map(\.id))))
        effects.append(.arm(.crowd))
        effects.append(.bridge(.publish(presence)))
    }

    private mutating func recordOwn(_ presence: VerifiedPayload, now: Instant) {
        relay.recordSigned(presence, now: now, using: &randomness)
        _ = keep(presence, age: .zero, now: now)
    }
}

/// The presences of others.
extension CrowdPresence {
    /// Takes in an admitted presence of another peer, passes it on, and reports it to the parts that follow presences.
    ///
    /// - Parameter isLive: false for one of an answer to our digests.
    mutating func receive(
        _ payload: VerifiedPayload, isLive: Bool, on link: LinkInfo, _ connections: Connections,
        _ router: inout MessageRouter, _ intake: inout Intake, _ spread: inout Spread, _ finder: inout Finder,
        _ environment: Environment, _ effects: inout Effects
    ) {
        let change = receive(
            payload, isLive: isLive, on: link, environment, roster: router.roster, intake: &intake, &effects)
        guard let change else { return }
        if let peer = link.peer { spread.recordGift(of: peer, now: environment.now) }
        finder.recordPresence(
            of: change.author, isHere: change.isHere, isBridged: change.isBridged, environment, connections,
            router.roster, &effects)
        effects.append(.then(.recordPresence(of: change.author, isHere: change.isHere)))
        // A new path leads to the peer.
        router.resendUnacknowledged(to: change.author)
        effects.append(.routed)
        effects.append(.arm(.crowd))
    }

    /// Takes in an admitted presence of another peer and passes it on.
    ///
    /// - Parameter isLive: false for one of an answer to our digests: it may be old, and others have it.
    /// - Returns: what it changes; nil if it is no news. A false signature bans the neighbour.
    mutating func receive(
        _ payload: VerifiedPayload, isLive: Bool, on link: LinkInfo, _ environment: Environment,
        roster: borrowing Roster, intake: inout Intake, _ effects: inout Effects
    ) -> Change? {
        let (author, now) = (payload.author, environment.now)
        if !isLive, presences[author] == nil { exchange.recordUseful(on: link.id, now: now) }
        guard case .presence(let presence) = payload.payload.body, author != environment.me else { return nil }
        // A peer in another network is not here.
        if payload.isBridged, roster.isHere(author) { return nil }
        guard presences.isNews(payload.payload.authorClock, of: author) else { return nil }
        guard case .admitted(let checked) = intake.verifySignature(of: payload) else {
            effects.append(.close(.link(link.id), .ban))
            return nil
        }
        guard keep(checked, age: isLive ? .zero : CrowdPresence.age(of: payload, environment), now: now) else {
            return nil
        }
        paths.record(author, by: link.id)
        // In a small room what an answer brings is passed on too: few others have it.
        if isLive || environment.mode == .relaying { relay.pass(author, from: link.id, now: now, using: &randomness) }
        return Change(
            author: author, isHere: presence.state != .left && !payload.isBridged, isBridged: payload.isBridged)
    }

    /// Keeps a presence whose signature was checked, unless a newer one is here, it has lapsed, or there is no room.
    mutating func keep(_ presence: VerifiedPayload, age: Duration, now: Instant) -> Bool {
        presences.keep(presence, age: age, now: now)
    }

    /// Handles a payload that was dropped because it came before: a presence that came over a bridge alone until now shows that its
    /// author is in this network nevertheless, and that a bridge was faster than the links.
    mutating func receiveRepeated(
        _ frame: borrowing PayloadFrame, _ environment: Environment, _ effects: inout Effects
    ) {
        guard environment.isCrowd, frame.type == .presence, presences.recordHere(frame) else { return }
        effects.append(.then(.recordPresence(of: frame.author, isHere: true)))
        effects.append(.routed)
    }

    /// Hears of an admitted payload that was routed: in a crowd a presence says who is here.
    mutating func follow(
        _ admitted: AdmittedPayload, _ connections: Connections, _ router: inout MessageRouter,
        _ intake: inout Intake, _ spread: inout Spread, _ finder: inout Finder, _ environment: Environment,
        _ effects: inout Effects
    ) {
        let isLive: Bool
        switch admitted.origin {
        case .live: isLive = true
        case .roster: isLive = false
        case .direct, .history, .sealed, .broker: return
        }
        guard environment.isCrowd, admitted.payload.type == .presence, let link = admitted.link else { return }
        receive(
            admitted.payload, isLive: isLive, on: link, connections, &router, &intake, &spread, &finder, environment,
            &effects)
    }

    /// Brings a presence from another network to the crowd.
    mutating func spread(
        bridged presence: VerifiedPayload, _ environment: Environment, _ effects: inout Effects
    ) {
        guard keep(presence, age: CrowdPresence.age(of: presence, environment), now: environment.now) else { return }
        relay.pass(presence.author, from: nil, now: environment.now, using: &randomness)
        effects.append(.arm(.crowd))
    }

    private static func age(of payload: VerifiedPayload, _ environment: Environment) -> Duration {
        let (signed, now) = (payload.payload.timestamp, environment.roomClock)
        return signed >= now ? .zero : .milliseconds(signed.distance(to: now))
    }

    /// Something that was sealed by a peer came by a link, which leads back to it.
    mutating func recordPath(to peer: PeerID, by link: ConnectionID, _ environment: Environment) {
        if environment.isCrowd { paths.record(peer, by: link) }
    }

    /// A connection ended.
    mutating func linkClosed(_ link: ConnectionID) { exchange.linkClosed(link) }

    /// The last link of a peer ended. In a crowd the peer stays here; in a small room a presence from the time of a crowd
    /// ends too.
    ///
    /// - Parameter link: the one that ended last.
    mutating func lastLinkClosed(
        of peer: PeerID, _ link: ConnectionID, _ end: LinkEnd, _ environment: Environment
    ) {
        if !environment.isCrowd { presences.remove(peer) }
        // A peer of a small room that ended its link is gone, unless its presence came by others first.
        if environment.mode == .relaying, end != .lost, paths[PresencePaths.key(of: peer)] == link {
            presences.end(peer)
        }
    }
}

/// Arrivals and departures of a crowd, as a count.
extension CrowdPresence {
    /// False for the many arrivals, changes and departures of a crowd, which are counted.
    static func reports(_ event: NodeEvent, in mode: RoomMode, _ router: borrowing MessageRouter) -> Bool {
        guard mode.isFolded, case .peer(_, let who, reason: _, was: _, online: _) = event else { return true }
        return router.isNoted(who.key)
    }

    /// Counts the arrivals and departures since the last call, which are reported later.
    mutating func recordMovements(of router: inout MessageRouter, now: Instant, _ effects: inout Effects) {
        let movements = router.takeMovements()
        guard !movements.isEmpty else { return }
        folding.record(movements, now: now)
        effects.append(.arm(.crowd))
    }

    /// Reports the count that is due.
    mutating func reportMovements(online: Int, _ environment: Environment, _ effects: inout Effects) {
        guard environment.isRunning else { return }
        if let movements = folding.takeDue(now: environment.now) {
            effects.append(.report(.crowd(came: movements.came, left: movements.left, online: online)))
        }
        effects.append(.arm(.crowd))
    }
}

/// Deadlines.
extension CrowdPresence {
    /// Signs our presence again, passes gathered presences on, and asks a neighbour for its roster, each if it is due.
    ///
    /// - Parameter links: those of the overlay.
    mutating func tick(
        _ environment: Environment, links: [LinkInfo], neighbours: Neighbours, router: inout MessageRouter,
        _ effects: inout Effects
    ) {
        guard environment.isRunning else { return }
        let now = environment.now
        if relay.isSigningDue(now: now) {
            announce(router.signPresence(at: environment.moment), environment, on: links, &effects)
        }
        pass(relay.takeDue(now: now), on: links, neighbours, &effects)
        guard exchange.isQuestionDue(now: now, using: &randomness) else { return }
        let last = exchange.continuation
        guard let link = links.first(where: { $0.id == last }) ?? links.randomElement(using: &randomness) else {
            return exchange.postpone(now: now)
        }
        askForRoster(on: link, environment, &effects)
    }

    /// Passes presences on, each with its author's certificate behind it.
    private mutating func pass(
        _ waiting: [(author: PeerID, from: ConnectionID?)], on links: [LinkInfo], _ neighbours: Neighbours,
        _ effects: inout Effects
    ) {
        for (author, from) in waiting {
            guard let entry = presences[author] else { continue }
            let targets = self.links(for: author, among: links, neighbours)
                .filter { $0.id != from && $0.peer != author }
            let delivery = PayloadDelivery(
                frame: entry.frame, type: .presence, certificate: .behind(author), isOptional: true)
            effects.append(.deliver(delivery, to: .links(targets.map(\.id))))
        }
    }

    /// The links on which an author's presence is passed on: those of the author's tree, and two others at random, because a
    /// tree that has carried no message may be in parts.
    private mutating func links(
        for author: PeerID, among links: [LinkInfo], _ neighbours: Neighbours
    ) -> [LinkInfo] {
        let tree = Trees.bit(Trees.index(of: author))
        var (pushed, others) = ([LinkInfo](), [LinkInfo]())
        for link in links.shuffled(using: &randomness) {
            let pushes = link.peer.flatMap { neighbours[$0] }?.pushes ?? 0
            if pushes & tree != 0 { pushed.append(link) } else { others.append(link) }
        }
        return pushed + others.prefix(Limits.presenceLinks)
    }
}

/// Rosters: what one neighbour lacks, another has.
extension CrowdPresence {
    /// Sends our digests to a neighbour, which answers with what we lack.
    mutating func askForRoster(on link: LinkInfo, _ environment: Environment, _ effects: inout Effects) {
        effects.append(.send(presences.digests.frame, to: .link(link.id)))
        expectAnswer(on: link.id, now: environment.now)
    }

    /// Presences of an answer are taken on a link from now on, for a while.
    mutating func expectAnswer(on link: ConnectionID, now: Instant) { exchange.recordQuestion(link, now: now) }

    /// Sends the next parts of the answers that are under way, and removes the presences that no longer hold.
    mutating func answerRosters(_ connections: Connections, _ environment: Environment, _ effects: inout Effects) {
        guard environment.isRunning else { return }
        for part in exchange.parts(now: environment.now) {
            guard let link = connections[part.link], link.peer != nil, !link.isRetiring else {
                exchange.linkClosed(part.link)
                continue
            }
            // A slow reader gets the next part later.
            guard link.queuedBytes < Outbox.capacity / 4 else { continue }
            answer(part.buckets, from: part.start, on: link, environment.me, &effects)
        }
        for peer in presences.lapse(now: environment.now) {
            paths.forget(peer)
            effects.append(.then(.recordPresence(of: peer, isHere: false)))
        }
    }

    private mutating func answer(
        _ buckets: UInt16, from start: Int, on link: LinkInfo, _ me: PeerID, _ effects: inout Effects
    ) {
        let most = min(Limits.rosterPortion, exchange.space(for: link.id) / RosterExchange.largest)
        let (peers, next) = presences.part(of: buckets, from: start, most: most)
        var bytes = 0
        for peer in peers where peer != link.peer {
            guard let entry = presences[peer] else { continue }
            let delivery = PayloadDelivery(
                frame: [FrameType.roster.rawValue] + entry.frame.dropFirst(), type: .presence,
                certificate: peer == me ? nil : .behind(peer))
            effects.append(.deliver(delivery, to: .link(link.id)))
            bytes += entry.frame.count + Certificate.byteCount
        }
        exchange.recordAnswer(link.id, next: next, bytes: bytes)
    }

    /// Handles the body of a frame 14, if it has a neighbour's digests.
    ///
    /// - Returns: true if it is a presence of an answer to ours, for `judge`.
    mutating func receive(
        _ body: Span<UInt8>, on link: LinkInfo, _ spread: inout Spread, _ environment: Environment,
        _ effects: inout Effects
    ) -> Bool {
        guard environment.isCrowd, let peer = link.peer else { return false }
        if let digests = RosterDigests(body) {
            receive(digests, on: link, environment)
            spread.recordSize(digests.count, by: peer)
            effects.append(.arm(.crowd))
            return false
        }
        let isTaken = takesAnswer(body.count, on: link.id, now: environment.now)
        if !isTaken { rostersRefused += 1 }
        return isTaken
    }

    /// Handles a neighbour's digests.
    mutating func receive(_ digests: RosterDigests, on link: LinkInfo, _ environment: Environment) {
        let differences = presences.digests.differences(from: digests)
        if !exchange.answer(differences, on: link.id, now: environment.now) { rostersRefused += 1 }
    }

    /// Judges a presence of an answer by its author.
    ///
    /// - Parameters:
    ///   - isLimited: whether strangers in answers are limited.
    ///   - size: the nodes that the room plausibly has.
    /// - Returns: whether this presence, or a newer one, is kept here; nil if the answer may not bring it.
    mutating func judge(
        _ frame: borrowing PayloadFrame, from source: LinkSource, isLimited: Bool, size: () -> Int,
        _ environment: Environment
    ) -> Bool? {
        let isKept = !presences.isNews(frame.authorClock, of: frame.author)
        // A stranger counts against the size of the room.
        if !isKept, isLimited, presences[frame.author] == nil,
            !intake.admit(from: source, size: size(), now: environment.now)
        {
            rostersRefused += 1
            return nil
        }
        return isKept
    }

    /// True if so many bytes of a presence, or of a certificate, on a link may be of an answer, of which they are counted as a part.
    mutating func takesAnswer(_ bytes: Int, on link: ConnectionID, now: Instant) -> Bool {
        exchange.takeBytes(bytes, on: link, now: now)
    }
}

extension Limits {
    /// Links at random, beside those of its author's tree, on which a presence is passed on. More cost traffic in
    /// proportion to the crowd; with fewer, a lost branch hides a peer until the rosters are compared.
    static let presenceLinks = 2
}
