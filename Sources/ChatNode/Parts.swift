import Chat
import Noise
import Wire

/// The parts of a node, each the owner of its state.
///
/// One value, so that the compiler proves that a call which takes several of them takes each once. As properties of `Node`
/// they would be checked at run time instead, at a tenth of the cost of a received message.
struct Parts: ~Copyable {
    var lifecycle = Lifecycle()
    var conversations: Conversations
    var intake: Intake
    var finder: Finder
    var links: Links
    var ownSession: OwnSession
    var mail: SealedMail
    var cover: CoverTraffic
    var crowd: CrowdPresence
    var clock = RoomClock()
    var historyExchange: HistoryExchange
    var spread: Spread
    var bridgeGate: BridgeGate

    /// The parameters are those of `Node.init`.
    init(
        _ configuration: NodeConfiguration, _ identity: consuming Identity, marks: PeerMarks, accepted: [PeerID],
        minimumEpoch: UInt64, randomness: consuming Randomness, transport: any Transport, wallClock: Timestamp,
        now: Instant
    ) {
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
        mail.record(certificate)
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
        cover = CoverTraffic(isOn: configuration.sendsCover, randomness: randomness.branch(7))
        spread = Spread(randomness: randomness.branch(6))
        bridgeGate = BridgeGate(configuration, randomness: randomness.branch(8))
    }

    /// The facts of now for a call; `instant` and `wallClock` are the present ones.
    func environment(at instant: Instant, _ wallClock: Timestamp) -> Environment {
        Environment(
            moment: Moment(instant: instant, wallClock: wallClock, correction: clock.correction),
            me: links.context.me, mode: spread.mode,
            consentsToBridges: conversations.router.session.bridging.consents, isRunning: lifecycle.isRunning)
    }

    /// The links that are part of the overlay: all but those of guests.
    var crowdLinks: [LinkInfo] { mail.overlayLinks(among: links.connections) }

    /// The counters that `Counter.inOrder` orders.
    var counters: [Counter] {
        Array(
            [
                links.counters, finder.gauges, finder.counters, intake.counters, conversations.router.counters,
                crowd.counters, mail.counters, cover.counters, historyExchange.counters, spread.counters,
            ].joined())
    }

    /// Takes in a frame of a link; a frame of the overlay's trees is `Node.receivedTree`'s, and the link answers
    /// pings, pongs and handshakes.
    ///
    /// - Returns: the payload if one was admitted.
    mutating func receive(
        _ type: FrameType, _ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment,
        _ effects: inout Effects
    ) -> AdmittedPayload? {
        switch type {
        case .payload: return receivePayload(body, on: link, environment, &effects)
        case .roster: return receiveRoster(body, on: link, environment, &effects)
        case .sealed:
            return intake.receiveSealed(
                body, on: link, &mail, &crowd, &bridgeGate, ownSession, conversations.router.roster,
                links.connections, environment, &effects)
        case .direct: return intake.receiveDirect(body, on: link, &mail, &finder, links, environment, &effects)
        case .goodbye: links.receivedGoodbye(body, on: link, environment, &effects)
        case .have:
            historyExchange.receiveHave(
                body, on: link, links.connections, archive: conversations.router.publicChat, &spread, environment,
                &effects)
        case .want:
            historyExchange.receiveWant(
                body, on: link, links.connections, archive: conversations.router.publicChat, environment, &effects)
        case .certificate:
            intake.receiveCertificate(
                body, on: link, &crowd, &bridgeGate, conversations.router.roster, links, environment, &effects)
        case .superseded:
            intake.receiveSuperseded(body, on: link, &crowd, conversations.router.roster, environment, &effects)
        case .latest, .news:
            spread.receiveIDs(
                body, areNews: type == .news, on: link, links.connections, &finder, environment, &effects)
        case .contacts:
            finder.receivedContacts(
                body, on: link, links, spread.neighbours, conversations.router.roster, environment, &effects)
        case .clock:
            clock.receive(
                body, on: link, links, &conversations.router, &historyExchange, &spread, environment, &effects)
        case .chaff: cover.receive(body, on: link, environment, &effects)
        case .ping, .pong, .handshake, .tree: effects.append(.countUnexpectedFrame)
        }
        return nil
    }

    private mutating func receivePayload(
        _ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        intake.receive(
            body, on: link, &historyExchange, &spread, &finder, &crowd, bridgeGate, &conversations.router, links,
            ownSession, environment, &effects)
    }

    private mutating func receiveRoster(
        _ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        intake.receiveRoster(
            body, on: link, &crowd, &spread, &finder, bridgeGate, conversations.router.roster, links.connections,
            environment, &effects)
    }

    /// Handles the certificate of another session of our identity.
    mutating func receiveOwn(
        _ certificate: Certificate, _ environment: Environment, _ effects: inout Effects
    ) {
        ownSession.receive(certificate, &mail, &conversations.router, links.connections, environment, &effects)
    }

    /// The parts that hear of a payload once it is routed.
    mutating func follow(_ admitted: AdmittedPayload, _ environment: Environment, _ effects: inout Effects) {
        mail.follow(
            admitted, links, conversations.router, allowsLoopback: finder.hasNamedLoopback, environment, &effects)
        guard !admitted.isRepeated else { return }
        crowd.follow(
            admitted, links.connections, &conversations.router, &intake, &spread, &finder, environment, &effects)
        bridgeGate.follow(
            admitted, ownSession, spread, &crowd, &intake, &conversations.router, environment, &effects)
        spread.follow(admitted, conversations.router, links.connections, environment, &effects)
    }

    /// Writes a payload for one receiver, and what hides the receiver.
    mutating func sendPrivate(
        _ payload: VerifiedPayload, to peer: PeerID, _ hiding: CoverTraffic.Hiding, _ environment: Environment,
        _ effects: inout Effects
    ) {
        // The links are written in the order of a public message.
        if hiding != .none { links.markAllDirty() }
        let written = mail.send(
            payload, to: peer, with: links.context.certificate, paths: crowd.paths, bridge: bridgeGate.neighbour,
            &links, conversations.router, &intake, environment, &effects)
        guard let written, case .records(let wantsAnswer) = hiding else { return }
        cover.hide(written, wantsAnswer: wantsAnswer, &links)
    }

    /// Sends messages that wait, and sets the time of answers and receipts.
    mutating func sendReplies(_ environment: Environment, _ effects: inout Effects) {
        conversations.sendBacklogs(environment, &effects)
        cover.scheduleReceipts(conversations.router, links.connections, environment, &effects)
    }

    mutating func recordPath(to peer: PeerID, via neighbour: PeerID, _ effects: inout Effects) {
        mail.recordPath(to: peer, via: neighbour, &conversations.router, &effects)
    }

    mutating func turnCover(on isOn: Bool, _ environment: Environment, _ effects: inout Effects) {
        cover.turn(on: isOn, &conversations.router, &links, environment, &effects)
    }

    /// Sends the payloads that wait for a slot, answers and receipts: the node leaves. Those that fit are in the last record of their link,
    /// which has one size at each leave.
    mutating func sendHeld(_ environment: Environment, _ effects: inout Effects) {
        cover.endSlots(&conversations.router, &links, environment, &effects)
        for peer in links.connections.active.compactMap(\.peer) { _ = sendAnswers(to: peer, environment, &effects) }
        conversations.sendAnswers(environment, &effects) { .sendPrivate($0, to: $1, .records(wantsAnswer: false)) }
    }

    /// Sends the last record of a link that ends in order: the answers and receipts that its peer waits for, or nothing in one of the
    /// same size.
    mutating func sendLast(on link: LinkInfo, _ environment: Environment, _ effects: inout Effects) {
        guard let peer = link.peer else { return }
        if !sendAnswers(to: peer, environment, &effects) {
            links.enqueue(ChaffFrame(wantsAnswer: false).bytes, on: link)
        }
    }

    /// Sends a peer the answers and receipts that fit into the last record of its link; false if there are none.
    private mutating func sendAnswers(to peer: PeerID, _ environment: Environment, _ effects: inout Effects) -> Bool {
        let replies = conversations.router.takeAnswers(
            to: [peer], atMost: Limits.receiptsPerAnswer, at: environment.moment)
        for reply in replies { effects.append(.sendPrivate(reply.payload, to: peer, .none)) }
        return !replies.isEmpty
    }

    /// Writes the frames that wait on a link.
    mutating func flush(_ link: LinkInfo, _ environment: Environment, _ effects: inout Effects) {
        spread.fill(link, &links, now: environment.now)
        links.flush(link, environment, &effects)
    }

    mutating func coverLinks(with size: Int) { cover.cover(&links, with: size) }

    mutating func deliver(_ delivery: PayloadDelivery, to selector: LinkSelector, now: Instant) {
        intake.deliver(delivery, to: selector, &links, now: now)
    }

    mutating func sendCertificate(of author: PeerID, on link: LinkInfo, now: Instant) {
        intake.sendCertificate(of: author, on: link, &links, now)
    }

    /// Zeroes the secret halves of all keys that outlive a link.
    mutating func forgetKeys() {
        conversations.router.forgetKey()
        ownSession.forgetKey()
        mail.forgetKeys()
    }
}
