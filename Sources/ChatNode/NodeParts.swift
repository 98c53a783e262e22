import Chat
import Noise
package import Phrases
import Wire

/// Calls `Finder` for events of discovery, of dials and of links.
extension Node {
    func discovered(_ event: DiscoveryEvent) {
        guard case .running = phase else { return }
        withEffects { finder.discovered(event, environment, &$0) }
    }

    func warn(_ code: NoticeCode, _ sentence: Sentence) {
        withEffects { finder.warn(code, sentence, &$0) }
    }

    func makeAnnouncement() -> Announcement {
        finder.makeAnnouncement(
            of: context.certificate.noise, port: links.port, in: configuration.room, now: scheduler.now)
    }

    func dialDue() {
        guard case .running = phase, dialRoom > 0 else { return }
        let now = scheduler.now
        for dial in finder.dialsDue(now: now, room: dialRoom) {
            guard links.mayDial(dial.endpoint, now: now), !links.isAvoided(dial.endpoint, now: now) else {
                finder.postpone(dial, now: now)
                withEffects { finder.recordDialFailure(of: dial.instance, now: now, &$0) }
                continue
            }
            let connection = links.dial(dial.endpoint)
            finder.dialled(dial, as: connection, now: now)
        }
        // A due candidate may have turned out to be a peer with a link.
        if finder.isOverlay { reviewRoom() }
        arm(.dialler)
    }

    /// The links that may still be opened by a dial.
    var dialRoom: Int { finder.dialRoom(free: links.room, linkCount: connections.linkCount) }

    /// A dial ended without a link.
    func dialEnded(_ id: ConnectionID, _ reason: UnreachedPeers.Reason) {
        withEffects { finder.dialEnded(id, reason, environment, &$0) }
    }

    /// Takes a step that a part put off.
    func perform(_ step: Step) {
        switch step {
        case .answerRequests(let id): forEach(.link(id)) { answer(on: $0) }
        case .recordDialFailure(let instance):
            withEffects { finder.recordDialFailure(of: instance, now: scheduler.now, &$0) }
        case .renewBridgedPresence: renewBridgedPresence()
        case .finish(let id, let closing): withEffects { links.finish(id, closing, &$0) }
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
                environment, connections, spread.neighbours, online: router.roster.online, &$0)
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
        withEffects { finder.followChoice(environment, connections, &$0) }
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
            connections, spread.neighbours)
        guard let frame else { return }
        links.enqueue(frame, on: link)
        askForTurnEnd()
    }

    func receivedContacts(_ body: Span<UInt8>, on link: LinkInfo) {
        var effects = Effects()
        let isTaken = finder.receivedContacts(
            body, on: link, network: links.network(of: link.id), environment, connections,
            spread.neighbours, router.roster, &effects)
        perform(effects)
        if !isTaken { links.tally.unexpectedFrames += 1 }
    }
}

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
                    mode, environment, links: crowdLinks, neighbours: spread.neighbours, router: &router, &$0)
            }
        } else {
            let linked = connections.active.compactMap(\.peer)
            withEffects {
                crowd.leave(
                    links: crowdLinks, neighbours: spread.neighbours, linked: linked, &$0)
            }
            mail.leaveCrowd()
            if wasFolded { apply(router.roster.arrivals) }
        }
        arm(.crowd)
    }

    func presenceForLink() -> VerifiedPayload {
        crowd.presenceForLink(environment, router: &router)
    }

    /// Sends our own presence to all neighbours of the crowd.
    func sendPresence(_ presence: VerifiedPayload) {
        withEffects { crowd.announce(presence, environment, on: crowdLinks, &$0) }
    }

    /// Takes an admitted presence of another peer in.
    ///
    /// - Parameter isLive: false for one of an answer to our digests.
    func receivePresence(_ payload: VerifiedPayload, isLive: Bool, on link: LinkInfo) {
        let change = withEffects {
            crowd.receive(
                payload, isLive: isLive, on: link, environment, roster: router.roster,
                intake: &intake, &$0)
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
        withEffects { crowd.spread(bridged: presence, environment, &$0) }
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
                environment, links: crowdLinks, neighbours: spread.neighbours, router: &router, &$0)
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

/// Connects `SealedMail` with the other parts (Protocol.md sections 8 and 13).
extension Node {
    /// Handles a sealed message: opens it if it is addressed to this node, else forwards it.
    func receivedSealed(_ body: Span<UInt8>, on link: LinkInfo) {
        guard let neighbour = link.peer, SealedMessage.bodySizes.contains(body.count) else {
            links.tally.unexpectedFrames += 1
            return
        }
        guard takeRelayed(on: link) else { return mail.countRefused() }
        let frame = [UInt8](copying: body)
        switch mail.course(of: frame) {
        case .repeated: break
        case .forUs: unseal(frame, from: neighbour, on: link)
        case .forOthers: if !publishOverBridge(sealed: frame, from: neighbour) { passOnSealed(frame, from: neighbour) }
        }
    }

    /// Seals a payload for a peer without a link and sends it to the neighbours that know a path to the peer; in a crowd to the
    /// one by which the peer's presence came, and another.
    func seal(_ payload: VerifiedPayload, for peer: PeerID) {
        let isElsewhere = router.roster.isElsewhere(peer)
        guard configuration.sealsForRelays || isCrowd || isElsewhere, payload.type.maySeal else { return }
        let relays = router.paths[peer]
        let way: SealedMail.Way =
            isCrowd && !isElsewhere
            ? .path(crowdLinks, crowd.paths) : .relays(relays.compactMap { connections.sendingLink(of: $0) })
        withEffects {
            mail.seal(
                payload, for: peer, to: intake.certificate(of: peer, now: scheduler.now), with: ownSession.certificate,
                over: way, andBridge: leadsOverBridge(to: peer), environment,
                endpoint: { ownEndpoint(for: peer, on: $0) }, &$0)
        }
    }

    /// Our address and port for the peer of an accepted conversation, as seen on a link; empty if there is none to tell.
    private func ownEndpoint(for peer: PeerID, on link: LinkInfo) -> [UInt8] {
        guard isAccepted(peer), let local = links.localEndpoint(of: link.id) else { return [] }
        return local.address + [UInt8(links.port >> 8), UInt8(truncatingIfNeeded: links.port)]
    }

    /// Records a neighbour as a path to a peer; sealed messages for the peer are sent to the neighbour.
    func recordPath(to peer: PeerID, via link: LinkInfo) {
        if let neighbour = link.peer { recordPath(to: peer, via: neighbour) }
    }

    /// As above; the neighbour may be the bridge. A path to a peer in another network is of use to those who let bridges publish
    /// them.
    func recordPath(to peer: PeerID, via neighbour: PeerID) {
        let isElsewhere = router.session.bridging.consents && router.roster.isElsewhere(peer)
        guard configuration.sealsForRelays || isElsewhere, neighbour != peer else { return }
        router.pathNoted(to: peer, via: neighbour)
        routed()
    }

    /// Opens a sealed message for this node.
    ///
    /// - Parameter link: the link that it came on; nil if it came over the bridge.
    func unseal(_ body: [UInt8], from neighbour: PeerID, on link: LinkInfo? = nil) {
        guard let opened = mail.open(body, for: context.me) else { return }
        let environment = environment
        do throws(DropReason) {
            let content = try intake.readSealed(opened, environment)
            let origin = Origin.sealed(from: neighbour, by: content.certificate)
            let payload = receive(try PayloadFrame(content.frame.span), from: origin, on: link, environment)
            guard let payload, let link else { return }
            recordEndpoint(content.endpoint, of: payload.author, from: link)
        } catch {
            intake.drop(error)
        }
    }

    /// Forwards a sealed message for another.
    ///
    /// - Parameter neighbour: the peer that it came from; nil for one that came over the bridge.
    func passOnSealed(_ frame: [UInt8], from neighbour: PeerID?) {
        withEffects {
            mail.passOn(
                frame, from: neighbour, isRelay: configuration.relaysSealed, environment,
                links: isCrowd ? crowdLinks : connections.active, paths: crowd.paths, &$0)
        }
    }

    /// The peer of a conversation told its endpoint in a sealed message.
    func recordEndpoint(_ bytes: [UInt8], of peer: PeerID, from link: LinkInfo) {
        guard isAccepted(peer), !router.roster.isOnline(peer) else { return }
        withEffects {
            mail.recordEndpoint(
                bytes, of: peer, from: link, environment, allowsLoopback: finder.hasNamedLoopback,
                network: { links.network(of: $0) }, &$0)
        }
    }

    /// Renews the dm key, seals again what has no receipt, dials guests and ends idle guest links, each if it is due.
    func tickMail() {
        guard case .running = phase else { return }
        if mail.renewKey(now: scheduler.now) { renewCertificate() }
        let due = mail.takeDueRetries(now: scheduler.now) { peer in
            !router.roster.isOnline(peer) && router.isUnacknowledged(by: peer)
        }
        for peer in due { router.linkReady(peer) }
        if !due.isEmpty { routed() }
        withEffects {
            mail.tickGuests(
                environment, isLinked: { router.roster.isOnline($0) }, link: { connections[$0] }, &$0)
        }
        arm(.mail)
    }

    /// Dials a peer for direct messages alone, unless the limits of links forbid that.
    func dialGuest(_ peer: PeerID, at endpoint: Endpoint) {
        let now = scheduler.now
        guard links.room > 0, !links.isBanned(peer, now: now), links.mayDial(endpoint, now: now) else { return }
        let connection = links.dial(endpoint)
        mail.dialled(peer, at: endpoint, as: connection, now: now)
    }

    /// The dialler of a link said that it is for direct messages alone.
    func guestGreeted(on link: LinkInfo) {
        guard let peer = link.peer else { return }
        let isTaken = mail.greeted(on: link, now: scheduler.now) { isAccepted($0) }
        if !isTaken { withEffects { finder.refuse(peer, &$0) } }
        arm(.mail)
    }
}

/// Connects `BridgeGate` with admission, the router, the links and the broker (Docs/Bridge.md).
extension Node {
    private var broker: (any BridgePort)? { configuration.bridge?.port }

    func startBridge() {
        guard let broker else { return }
        let pace = AdmissionRates.published(configuration.messagesPerSecond)
        broker.start(pace: pace, scheduler.receiver { [weak self] event in self?.receivedFromBroker(event) })
        withEffects { BridgeGate.scheduleRenewal(environment, &$0) }
    }

    func stopBridge() { broker?.stop() }

    func publish(_ due: BridgeOutbox.Due) { broker?.publish(due.content, tag: due.tag, isHistory: due.isHistory) }

    /// Publishes a payload of this network; to be called when it is routed.
    func publishOverBridge(_ payload: VerifiedPayload) {
        guard bridgeGate.isBridge else { return }
        withEffects { bridgeGate.publish(payload, ownSession, router, &intake, environment, &$0) }
    }

    /// As `publishOverBridge`, for history.
    func publishOverBridge(history payload: VerifiedPayload) {
        if bridgeGate.mayPublish(history: payload, environment) { publishOverBridge(payload) }
    }

    /// Publishes a sealed direct message whose target is in another network.
    ///
    /// - Parameter body: of a frame 9.
    /// - Returns: false if its target is not there.
    func publishOverBridge(sealed body: [UInt8], from neighbour: PeerID) -> Bool {
        withEffects { bridgeGate.publish(sealed: body, from: neighbour, router.roster, environment, &$0) }
    }

    /// Publishes the presence that came before its author's certificate.
    func publishUncertified(_ author: PeerID) {
        if let presence = bridgeGate.takeUncertified(author) { publishOverBridge(presence) }
    }

    /// A sealed message for a peer may go over this node's bridge.
    func leadsOverBridge(to peer: PeerID) -> Bool {
        if let neighbour = bridgeGate.neighbour { router.paths[peer].contains(neighbour) } else { false }
    }

    /// The room became a crowd or ceased to be one: the authors of other networks are announced again.
    func forgetBridgedPresences() { bridgeGate.forgetPassed() }

    private func receivedFromBroker(_ event: BridgeEvent) {
        guard case .running = phase else { return }
        withEffects { bridgeGate.handle(event, environment, &$0) }
        switch event {
        case .connected: renewPresence()
        case .delivered(let delivery):
            receive(delivery)
            if let tag = delivery.tag { broker?.acknowledge(tag) }
            flushFullBatch()
        case .disconnected, .blocked, .unblocked, .confirmed, .refused: break
        }
    }

    private func receive(_ delivery: BridgeDelivery) {
        switch delivery.content {
        case .payload(let certificate, let bytes): receive(certificate, bytes, isHistory: delivery.isHistory)
        case .sealed(let body): receiveSealedFromBroker(body)
        case .greeting: withEffects { bridgeGate.greeted(environment, &$0) }
        }
    }

    private func receive(_ certificate: [UInt8], _ bytes: [UInt8], isHistory: Bool) {
        do throws(DropReason) {
            let frame = try PayloadFrame(bytes.span)
            var effects = Effects()
            let isDue = bridgeGate.receive(frame, certificate, environment, &effects)
            perform(effects)
            if isDue { receive(frame, certificate, isHistory: isHistory) }
        } catch {
            intake.refuse(malformed: error)
            bridgeGate.refuse()
        }
    }

    /// Takes a presence that was held, unless its author is here: another bridge of this network published it, and the links bring it.
    func receiveHeld(_ certificate: [UInt8], _ bytes: [UInt8]) {
        guard let frame = try? PayloadFrame(bytes.span), !router.roster.isHere(frame.author) else { return }
        receive(frame, certificate, isHistory: false)
    }

    private func receive(_ frame: borrowing PayloadFrame, _ certificate: [UInt8], isHistory: Bool) {
        guard let author = learnBridged(certificate), let neighbour = bridgeGate.neighbour,
            isHistory || author == frame.author
        else { return bridgeGate.refuse() }
        guard author != context.me else { return }
        receive(frame, from: .broker(bridge: neighbour, isHistory: isHistory), on: nil, environment)
    }

    private func receiveSealedFromBroker(_ body: [UInt8]) {
        guard let neighbour = bridgeGate.neighbour else { return }
        switch mail.course(of: body) {
        case .repeated: break
        case .forUs: unseal(body, from: neighbour)
        case .forOthers: passOnSealed(body, from: nil)
        }
    }

    /// A payload from another network was routed.
    func acceptBridged(_ payload: VerifiedPayload, by neighbour: PeerID, _ environment: Environment) {
        recordPath(to: payload.author, via: neighbour)
        if payload.type == .presence {
            bridgeGate.keep(presence: payload)
            sendWaiting(to: payload.author)
        }
        passOnBridged(payload, environment)
    }

    /// Passes a payload from another network on: over the trees of a large room, else to all links.
    private func passOnBridged(_ payload: VerifiedPayload, _ environment: Environment) {
        if isCrowd, payload.type == .presence {
            if bridgeGate.passesIntoCrowd(payload, environment) { spreadElsewhere(payload) }
            return
        }
        if takesTrees(payload, isRelayed: true) { return broadcast(payload, hops: 1) }
        withEffects { BridgeGate.passOn(payload, &$0) }
    }

    func refusedFromBroker(_ frame: borrowing PayloadFrame, _ reason: DropReason, isHistory: Bool) {
        let isLate = reason == .stale || reason == .oldEpoch || reason == .sequenceTooOld
        if let neighbour = bridgeGate.neighbour, !isHistory, isLate {
            // Said while the broker was away, or before its author began anew: it is history by now.
            receive(frame, from: .broker(bridge: neighbour, isHistory: true), on: nil, environment)
        } else {
            bridgeGate.refuse()
        }
    }

    /// Takes in the certificate of an author in another network.
    ///
    /// - Returns: its identity; nil for one that is false, superseded, or one too many.
    private func learnBridged(_ bytes: [UInt8]) -> PeerID? {
        let environment = environment
        if let known = intake.knownCertificate(bytes, environment) { return known.identity }
        guard let certificate = try? intake.readCertificate(bytes.span, environment) else { return nil }
        return learnBridged(certificate) ? certificate.identity : nil
    }

    func learnBridged(_ certificate: Certificate) -> Bool {
        if certificate.identity == context.me {
            if !certificate.isOfSameRun(as: ownSession.certificate) { receivedOwn(certificate) }
            return true
        }
        guard let neighbour = bridgeGate.neighbour else { return false }
        return withEffects {
            intake.learn(certificate, from: neighbour, isBridge: true, on: nil, connections, environment, &$0)
        }
    }

    /// Tells a new link of the people in other networks.
    func introduceElsewhere(on link: LinkInfo) {
        withEffects { bridgeGate.introduceElsewhere(on: link.id, router.roster, environment, &$0) }
    }
}

/// The part of the presence about bridges, and what the user knows of them.
extension Node {
    package var consentsToBridges: Bool { router.session.bridging.consents }

    /// Whether the room is carried to other networks: by this node, or by another of its network.
    package var isBridged: Bool { bridgeGate.isBridged(router.roster) }

    /// The state of this node's bridge; nil if it has none.
    package var bridgeState: Sentence? { bridgeGate.state }

    /// People elsewhere are counted by every node.
    var bridgeCounters: [Counter] {
        [Counter(.peopleElsewhere, router.roster.elsewhereCount)] + bridgeGate.counters + (broker?.counters ?? [])
    }

    /// The peer of a link says in its presence that it is a bridge.
    func isBridge(_ link: LinkInfo) -> Bool {
        link.peer.map { router.roster.bridging(of: $0).isBridge } ?? false
    }

    /// How far it is believed that a payload came over a bridge.
    func bridgeStanding(of frame: borrowing PayloadFrame, from peer: PeerID) -> BridgeStanding {
        frame.isBridged ? bridgeGate.standing(of: peer, router.roster, environment) : .unknown
    }

    /// Tells the user when the first bridge of the room comes.
    ///
    /// - Parameter author: of a presence that was routed.
    func reportBridge(of author: PeerID) {
        withEffects { bridgeGate.reportBridge(of: author, router.roster, environment, &$0) }
    }

    /// Sends the presence to the bridges, if there are any, and does so again in a minute.
    func renewBridgedPresence() {
        guard case .running = phase, withEffects({ bridgeGate.reviewBridges(router.roster, &$0) }) else { return }
        if !isCrowd { renewPresence() }
        withEffects { BridgeGate.scheduleRenewal(environment, &$0) }
    }

    private func renewPresence() {
        guard consentsToBridges else { return }
        if isCrowd { return publishOverBridge(presenceForLink()) }
        let presence = router.signPresence(at: moment)
        for peer in router.roster.bridges { send(presence, to: .peer(peer)) }
        publishOverBridge(presence)
    }
}

/// Calls `HistoryExchange` and `RoomClock`.
extension Node {
    /// Sends some of the payloads that the peer requested; the next ones follow when the outbox has drained.
    func answer(on link: LinkInfo) {
        guard historyExchange.hasAnswers(on: link) else { return }
        while act({ historyExchange.answer(on: link, $0, &router, &intake, &$1) }) {}
    }

    /// Offers the payloads that were archived since the last call.
    func offerArchived() {
        withEffects { historyExchange.offerArchived(of: &router, now: scheduler.now, &$0) }
    }

    func tickHistory() {
        act { historyExchange.tick(connections, archive: router.publicChat, &spread, $0, &$1) }
    }

    func watchClock() {
        act { clock.watch(connections, &router, &historyExchange, &spread, $0, &$1) }
    }
}

/// Renews our own certificate and handles other sessions of our identity (Protocol.md sections 1 and 9).
extension Node {
    /// The epoch of our certificate; a re-issue raises it.
    package var epoch: UInt64 { ownSession.certificate.epoch }

    /// Another session of our identity showed its certificate.
    func receivedOwn(_ certificate: Certificate) {
        act { ownSession.receive(certificate, dm: mail.publicKey, &router, connections, $0, &$1) }
    }

    /// Zeroes the secret halves of all keys that outlive a link.
    func forgetKeys() {
        router.forgetKey()
        ownSession.forgetKey()
        mail.forgetKeys()
    }

    /// Issues our certificate again, for another dm key.
    func renewCertificate() {
        act { ownSession.renewCertificate(dm: mail.publicKey, &router, connections, $0, &$1) }
    }

    /// Ends this session in favour of a later one. Sends its certificate on all links, and no presence that we left,
    /// since our identity stays in the room.
    func signOut(because better: Certificate) {
        stopReason = .signedOut
        phase = .leaving
        closeDoors()
        for link in connections.all { close(link, .signedOut(by: better)) }
        forgetKeys()
        wakeSenders()
        goOnLeaving()
    }
}
