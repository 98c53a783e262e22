import Chat
import Noise
package import Phrases
import Wire

/// Connects `BridgeGate` with admission, the router, the links and the broker (Docs/Bridge.md).
extension Node {
    private var broker: (any BridgePort)? { configuration.bridge?.port }

    func startBridge() {
        guard let broker else { return }
        let pace = AdmissionRates.published(configuration.messagesPerSecond)
        broker.start(pace: pace) { [scheduler, weak self] event in
            scheduler.execute { self?.assumeIsolated { $0.receivedFromBroker(event) } }
        }
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
        bridgeGate.neighbour.map { router.paths[peer].contains($0) } ?? false
    }

    /// The room became a crowd, or one no more: the authors of other networks are announced again.
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
            if !certificate.isOfSameRun(as: ownSession.certificate) { handleOwnCertificate(certificate) }
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
