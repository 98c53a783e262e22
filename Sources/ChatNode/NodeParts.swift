import Chat
import Noise
package import Phrases
import Wire

/// Calls `Finder` for discovery and for what may change its choices.
extension Node {
    func discovered(_ event: DiscoveryEvent) { act { finder.discovered(event, $0, &$1) } }

    func makeAnnouncement() -> Announcement {
        finder.makeAnnouncement(
            of: context.certificate.noise, port: links.port, in: configuration.room, now: scheduler.now)
    }

    /// Takes a step that a part put off.
    func perform(_ step: Step) {
        switch step {
        case .changeMode(let last):
            act { crowd.modeChanged(from: last, &mail, &bridgeGate, &router, connections, spread.neighbours, $0, &$1) }
        case .recordPresence(let peer, let isHere): apply(router.recordPresence(of: peer, isHere: isHere, at: moment))
        case .askForRoster(let id): forEach(.link(id)) { link in act { crowd.askForRoster(on: link, $0, &$1) } }
        case .answerRequests(let id): forEach(.link(id)) { answer(on: $0) }
        case .recordDialFailure(let instance):
            withEffects { finder.recordDialFailure(of: instance, now: scheduler.now, &$0) }
        case .renewBridgedPresence: renewBridgedPresence()
        case .stop: stop()
        case .warnUnanswered: warnUnanswered()
        case .finish(let id, let closing): withEffects { links.finish(id, closing, &$0) }
        case .tellContacts(let id):
            act { finder.tellContacts(on: id, links, among: crowdLinks, spread.neighbours, $0, &$1) }
        case .sendContacts(let id): act { finder.sendFirstContacts(on: id, connections, $0, &$1) }
        }
    }

    /// The count of nodes or the links may have changed: the end of the turn looks, once for all changes.
    func reviewRoom() {
        act { finder.reviewRoom(connections, spread.neighbours, online: router.roster.online, $0, &$1) }
        if finder.isChoiceChanged { askForTurnEnd() }
    }

    /// The end of a turn in which something has changed, and the time for which the choice has asked.
    func followChoice() {
        guard act({ finder.reviewLinks(spread.neighbours, online: router.roster.online, $0, &$1) }) else { return }
        act { finder.followChoice($0, connections, &$1) }
    }
}

/// Calls `CrowdPresence` and `SealedMail` for frames that lead to a payload (Protocol.md sections 8 and 13).
extension Node {
    /// The links that are part of the overlay: all but those of guests.
    var crowdLinks: [LinkInfo] { mail.overlayLinks(among: connections) }

    /// Handles a presence of a neighbour's answer to our digests.
    func receivedRoster(_ body: Span<UInt8>, from peer: PeerID, on link: LinkInfo, _ environment: Environment) {
        do throws(DropReason) {
            let frame = try PayloadFrame(body)
            let isKept = crowd.judge(
                frame, from: link.source, isLimited: configuration.messagesPerSecond > 0,
                size: { finder.plausibleSize(connections, spread.neighbours) }, environment)
            guard let isKept else { return }
            let origin = Origin.roster(from: peer, isKept: isKept, bridge: bridgeStanding(of: frame, from: peer))
            receive(frame, from: origin, on: link, environment)
        } catch {
            intake.refuse(malformed: error)
        }
    }

    func receivedSealed(_ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment) {
        guard let neighbour = link.peer, SealedMessage.bodySizes.contains(body.count) else {
            return links.tally.unexpectedFrames += 1
        }
        guard takeRelayed(on: link) else { return mail.countRefused() }
        receive(sealed: [UInt8](copying: body), from: neighbour, on: link, environment)
    }

    /// Handles a sealed message.
    ///
    /// - Parameters:
    ///   - frame: the body of a frame 9 of legal length.
    ///   - link: the link that it came on; nil if it came over the bridge.
    func receive(sealed frame: [UInt8], from neighbour: PeerID, on link: LinkInfo?, _ environment: Environment) {
        let opened = withEffects {
            mail.receive(
                frame, from: neighbour, isBridged: link == nil, paths: crowd.paths, &bridgeGate, router.roster,
                connections, environment, &$0)
        }
        guard let opened else { return }
        do throws(DropReason) {
            let content = try intake.readSealed(opened, environment)
            let origin = Origin.sealed(from: neighbour, by: content.certificate)
            let payload = receive(try PayloadFrame(content.frame.span), from: origin, on: link, environment)
            guard let payload, let link else { return }
            act {
                mail.recordEndpoint(
                    content.endpoint, of: payload.author, from: link, allowsLoopback: finder.hasNamedLoopback, links,
                    router, $0, &$1)
            }
        } catch {
            intake.drop(error)
        }
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

    private func receivedFromBroker(_ event: BridgeEvent) {
        guard lifecycle.isRunning else { return }
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
        receive(sealed: body, from: neighbour, on: nil, environment)
    }

    /// A payload from another network was routed.
    func acceptBridged(_ payload: VerifiedPayload, by neighbour: PeerID, _ environment: Environment) {
        withEffects { mail.recordPath(to: payload.author, via: neighbour, &router, &$0) }
        if payload.type == .presence {
            bridgeGate.keep(presence: payload)
            router.resendUnacknowledged(to: payload.author)
        }
        passOnBridged(payload, environment)
    }

    /// Passes a payload from another network on: over the trees of a large room, else to all links.
    private func passOnBridged(_ payload: VerifiedPayload, _ environment: Environment) {
        if spread.mode.isCrowd, payload.type == .presence {
            if bridgeGate.passesIntoCrowd(payload, environment) {
                withEffects { crowd.spread(bridged: payload, environment, &$0) }
            }
            return
        }
        if spread.takes(payload, isRelayed: true, router) { return broadcast(payload, hops: 1) }
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
        guard lifecycle.isRunning, withEffects({ bridgeGate.reviewBridges(router.roster, &$0) }) else { return }
        if !spread.mode.isCrowd { renewPresence() }
        withEffects { BridgeGate.scheduleRenewal(environment, &$0) }
    }

    private func renewPresence() {
        guard consentsToBridges else { return }
        if spread.mode.isCrowd { return publishOverBridge(crowd.presenceForLink(environment, router: &router)) }
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
}
