import Chat
import Noise
import Wire

/// Connects `CrowdPresence` with the other parts (Protocol.md section 13).
extension Node {
    /// True if peers are here by their presence, not by their links.
    var isCrowd: Bool { crowd.isCrowd }

    /// The links that are part of the overlay: all but those of guests.
    var crowdLinks: [LinkInfo] { connections.active.filter { !mail.isGuest($0.id) } }

    /// The mode of the room is another.
    func crowdChanged(_ mode: RoomMode) {
        let wasFolded = crowd.isFolded
        router.setCrowd(mode != .mesh)
        forgetBridgedPresences()
        _ = router.takeMovements()
        if mode != .mesh {
            withEffects {
                crowd.enter(
                    mode, environment, links: crowdLinks, neighbours: spread.neighbours, router: &router,
                    using: &randomness, &$0)
            }
        } else {
            let linked = connections.active.compactMap(\.peer)
            withEffects {
                crowd.leave(
                    links: crowdLinks, neighbours: spread.neighbours, linked: linked, using: &randomness, &$0)
            }
            mail.leaveCrowd()
            if wasFolded { apply(router.roster.arrivals) }
        }
        arm(.crowd)
    }

    func presenceForLink() -> VerifiedPayload {
        crowd.presenceForLink(environment, router: &router, using: &randomness)
    }

    /// Sends our own presence to all neighbours of the crowd.
    func sendPresence(_ presence: VerifiedPayload) {
        withEffects { crowd.announce(presence, environment, on: crowdLinks, using: &randomness, &$0) }
    }

    /// Our certificate has changed: others learn it behind our presence.
    func certificateChanged() {
        if isCrowd { sendPresence(router.signPresence(at: moment)) }
    }

    /// Takes an admitted presence of another peer in.
    ///
    /// - Parameter isLive: false for one of an answer to our digests.
    func receivePresence(_ payload: VerifiedPayload, isLive: Bool, on link: LinkInfo) {
        let change = withEffects {
            crowd.receive(
                payload, isLive: isLive, on: link, environment, roster: router.roster,
                intake: &intake, using: &randomness, &$0)
        }
        guard let change else { return }
        if let peer = link.peer { spread.recordGift(of: peer, now: scheduler.now) }
        withEffects {
            finder.recordPresence(
                of: change.author, isHere: change.isHere, isBridged: change.isBridged, environment, connections,
                router.roster, &$0)
        }
        recordPresence(of: change.author, isHere: change.isHere)
        // A new path leads to the peer.
        sendWaiting(to: change.author)
        routed()
        arm(.crowd)
    }

    private func recordPresence(of peer: PeerID, isHere: Bool) {
        apply(router.notePresence(of: peer, isHere: isHere, at: moment))
    }

    /// A peer without a link is here: what it has not acknowledged is sent to it again.
    func sendWaiting(to peer: PeerID) {
        if !router.roster.isOnline(peer), router.isUnacknowledged(by: peer) { router.linkReady(peer) }
    }

    /// Handles a payload that was dropped because it came before.
    func receiveRepeatedPresence(_ frame: borrowing PayloadFrame) {
        guard let author = crowd.receiveRepeated(frame) else { return }
        recordPresence(of: author, isHere: true)
        routed()
    }

    /// Brings a presence from another network to the crowd.
    func spreadElsewhere(_ presence: VerifiedPayload) {
        withEffects { crowd.spread(bridged: presence, environment, using: &randomness, &$0) }
    }

    /// False for the many arrivals, changes and departures of a crowd, which are counted.
    func shouldReport(_ event: NodeEvent) -> Bool {
        guard crowd.isFolded, case .peer(_, let who, reason: _, was: _, online: _) = event else { return true }
        return router.isNoted(who.key)
    }

    /// At the end of a turn: arrivals and departures are counted.
    func recordMovements() {
        guard crowd.isFolded, crowd.record(router.takeMovements(), now: scheduler.now) else { return }
        arm(.crowd)
    }

    func tickCrowd() {
        guard case .running = phase else { return }
        withEffects {
            crowd.tick(
                environment, links: crowdLinks, neighbours: spread.neighbours, router: &router,
                using: &randomness, &$0)
        }
        withEffects { crowd.answerRosters(environment, link: { connections[$0] }, &$0) }
        for peer in crowd.lapse(now: scheduler.now) { recordPresence(of: peer, isHere: false) }
        if let movements = crowd.takeMovements(now: scheduler.now) {
            emit(.crowd(came: movements.came, left: movements.left, online: online()))
        }
        arm(.crowd)
    }

    /// Sends our digests to a neighbour, which answers with what we lack.
    func askForRoster(on link: LinkInfo) {
        withEffects { crowd.askForRoster(on: link, environment, &$0) }
    }

    /// The nodes of the room by the word of several sources, or as many as discovery shows.
    private var plausibleSize: Int {
        max(finder.roomSize, connections.active.count, spread.neighbours.knownSize ?? 0)
    }

    /// Handles a frame 14: a neighbour's digests, or a presence of its answer to ours.
    func receivedRoster(_ body: Span<UInt8>, on link: LinkInfo) {
        guard isCrowd, let peer = link.peer else { return }
        let environment = environment
        if let digests = RosterDigests(body) {
            crowd.receive(digests, on: link, environment)
            spread.recordSize(digests.count, by: peer)
            return arm(.crowd)
        }
        guard crowd.takesAnswer(body.count, on: link.id, now: environment.now) else { return crowd.refuseAnswer() }
        do throws(DropReason) {
            let frame = try PayloadFrame(body)
            let isLimited = configuration.messagesPerSecond > 0
            let isKept = crowd.judge(
                frame, from: link.source, isLimited: isLimited, size: { plausibleSize }, environment)
            guard let isKept else { return }
            let origin = Origin.roster(from: peer, isKept: isKept, bridge: bridgeStanding(of: frame, from: peer))
            receive(frame, from: origin, on: link, environment)
        } catch {
            intake.refuse(malformed: error)
        }
    }
}
