import Chat
import Noise
import Phrases
import Wire

/// Calls `Finder` for events of discovery, of dials and of links.
extension Node {
    func discovered(_ event: DiscoveryEvent) {
        guard case .running = phase else { return }
        withEffects { finder.discovered(event, environment, using: &randomness, &$0) }
    }

    func warn(_ code: NoticeCode, _ sentence: Sentence) {
        withEffects { finder.warn(code, sentence, &$0) }
    }

    func makeAnnouncement() -> Announcement {
        finder.makeAnnouncement(
            of: context.certificate.noise, port: links.port, in: configuration.room, now: scheduler.now,
            using: &randomness)
    }

    func dialDue() {
        guard case .running = phase, dialRoom > 0 else { return }
        let now = scheduler.now
        for dial in finder.dialsDue(now: now, room: dialRoom) {
            guard links.mayDial(dial.endpoint, now: now), !links.isAvoided(dial.endpoint, now: now) else {
                finder.postpone(dial, now: now, using: &randomness)
                withEffects { finder.recordDialFailure(of: dial.instance, now: now, &$0) }
                continue
            }
            let connection = links.dial(dial.endpoint)
            finder.dialled(dial, as: connection, now: now, using: &randomness)
        }
        // A due candidate may have turned out to be a peer with a link.
        if finder.isOverlay { reviewRoom() }
        arm(.dialler)
    }

    /// The links that may still be opened by a dial.
    var dialRoom: Int { finder.dialRoom(free: links.room, linkCount: connections.linkCount) }

    /// A dial ended without a link.
    func dialEnded(_ id: ConnectionID, _ reason: UnreachedPeers.Reason) {
        withEffects { finder.dialEnded(id, reason, environment, using: &randomness, &$0) }
    }

    /// Performs what a part put off.
    func perform(_ task: DelayedTask) {
        switch task {
        case .recordDialFailure(let instance):
            withEffects { finder.recordDialFailure(of: instance, now: scheduler.now, &$0) }
        case .renewBridgedPresence: renewBridgedPresence()
        case .sendContacts(let connection):
            guard case .running = phase, connections[connection] != nil else { return }
            withEffects { finder.sendFirstContacts(on: connection, &$0) }
        }
    }

    /// The count of nodes or the links may have changed: the end of the turn looks, once for all changes.
    func reviewRoom() {
        updateMode()
        if finder.choiceMayChange() { askForTurnEnd() }
    }

    /// Counts the known nodes, and changes the mode where that is due.
    func updateMode() {
        guard case .running = phase else { return }
        withEffects {
            finder.updateMode(
                environment, connections, spread.neighbours, online: router.roster.online, using: &randomness, &$0)
        }
    }

    /// The time has come for which `Finder.nextDeadline` asked.
    func tickFinder() {
        if case .running = phase {
            withEffects { finder.sendRound(on: crowdLinks, now: scheduler.now, &$0) }
        }
        updateMode()
        followChoice()
    }

    /// The end of a turn in which something has changed, and the time for which the choice has asked.
    func followChoice() {
        guard finder.beginReview(environment) else { return }
        withEffects { finder.reviewLinks(environment, spread.neighbours, online: router.roster.online, &$0) }
        withEffects { finder.followChoice(environment, connections, using: &randomness, &$0) }
    }

    /// Tells a peer what this side says about their link.
    func greet(_ link: LinkInfo) {
        guard let peer = link.peer else { return }
        links.enqueue(finder.greeting(for: peer, in: spread.mode), on: link)
        askForTurnEnd()
    }

    func receivedHello(_ hello: Hello, on link: LinkInfo) {
        guard let peer = link.peer else { return }
        withEffects { finder.receivedHello(hello, from: peer, on: link.id, environment, &$0) }
    }

    func receivedBusy(on link: LinkInfo) {
        guard let peer = link.peer else { return }
        withEffects { finder.receivedBusy(from: peer, environment, &$0) }
    }

    /// A frame shows that its sender takes part in the overlay.
    ///
    /// - Parameter isNew: whether it brought a public payload that was new.
    func recordSign(on link: LinkInfo, isNew: Bool = false) {
        // A mesh pays one comparison for each payload.
        guard finder.isOverlay, let peer = link.peer else { return }
        finder.recordSign(of: peer, isNew: isNew, now: scheduler.now)
    }

    /// A payload came over a relay: the author of a public message is in the room.
    ///
    /// - Parameter isHistory: whether it was asked for.
    func recordGap(_ payload: VerifiedPayload, isHistory: Bool) {
        guard spread.mode != .overlay, payload.type == .publicMessage, !payload.isBridged,
            !connections.hasLink(to: payload.author)
        else { return }
        let age = ownSession.age(now: scheduler.now)
        withEffects {
            finder.recordGap(payload, isHistory: isHistory, age: age, environment, connections, router.roster, &$0)
        }
    }

    /// A neighbour told its mode. Two that begin to pass payloads on compare their rosters, and a node between peers that lack
    /// links tells them of each other.
    ///
    /// - Parameter last: the hello before; nil for the first.
    func receivedMode(in hello: Hello, after last: Hello?, on link: LinkInfo) {
        let wasRelaying = spread.isRelaying
        // Its count of the room and its gaps are among what decides the mode.
        if hello != last { updateMode() }
        withEffects { finder.recordLack(hello, on: link, environment, spread.neighbours, &$0) }
        guard wasRelaying, hello.isOverlay, last?.isOverlay != true, !hello.isGuest else { return }
        askForRoster(on: link)
    }

    /// Tells a peer of nodes that it may dial.
    func sendContacts(on link: LinkInfo) {
        let local = links.port > 0 ? links.localEndpoint(of: link.id) : nil
        let own = local.map { Endpoint(address: $0.address, port: links.port, scope: $0.scope) }
        let frame = finder.contactsFrame(
            for: link, own: link.endpoint.isLoopback ? own?.onThisMachine : own,
            network: links.network(of: link.id), links: crowdLinks, environment,
            connections, spread.neighbours, using: &randomness)
        guard let frame else { return }
        links.enqueue(frame, on: link)
        askForTurnEnd()
    }

    func receivedContacts(_ body: Span<UInt8>, on link: LinkInfo) {
        var effects = Effects()
        let isTaken = finder.receivedContacts(
            body, on: link, network: links.network(of: link.id), environment, connections,
            spread.neighbours, router.roster, using: &randomness, &effects)
        perform(effects)
        if !isTaken { links.tally.unexpectedFrames += 1 }
    }
}
