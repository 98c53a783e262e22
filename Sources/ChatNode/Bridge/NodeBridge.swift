import Chat
import Noise
import Phrases
import Wire

/// Connects `RoomBridge` with admission, the router, the links and the broker (Docs/Bridge.md).
extension Node {
    func startBridge() {
        guard let bridge else { return }
        let pace = AdmissionRates.published(configuration.messagesPerSecond)
        bridge.port.start(pace: pace) { [scheduler, weak self] event in
            scheduler.execute { self?.assumeIsolated { $0.receivedFromBroker(event) } }
        }
        scheduleRenewal()
    }

    /// Publishes a payload of this network, if its author consents; to be called when it is routed. Counts it otherwise.
    func publishOverBridge(_ payload: VerifiedPayload) {
        guard bridge != nil, payload.type.isPublished, !payload.isBridged,
            !router.roster.isElsewhere(payload.author), router.isForEveryone(payload.payload)
        else { return }
        guard consents(payload.author) else {
            bridge?.withoutConsent += 1
            bridge?.consentEnded(payload.author)
            return
        }
        let certificate = payload.author == context.me ? context.certificate : knownCertificate(of: payload.author)
        guard let certificate, certificate.epoch == payload.payload.epoch else {
            // In a crowd the certificate follows.
            if payload.type == .presence { bridge?.keep(uncertified: payload) }
            return
        }
        switch admission.verifySignature(of: payload) {
        case .admitted(let proven):
            let isFirst = bridge?.isFirst(context.me, for: payload.id, among: bridgesHere) ?? false
            apply(bridge?.publish(proven, certificate, isFirst: isFirst, now: scheduler.now) ?? [])
        case .ban: for connection in connections.links(of: payload.author) { ban(connection) }
        case .repeated, .dropped, .closeLink: return
        }
    }

    /// As `publishOverBridge`, for history, of which only payloads are published that could still wait for a broker.
    func publishOverBridge(history payload: VerifiedPayload) {
        guard bridge != nil else { return }
        let age = payload.payload.timestamp.distance(to: roomClock)
        if age < UInt64(Limits.bridgeWaitingTime.nanoseconds / 1_000_000) { publishOverBridge(payload) }
    }

    /// Publishes a sealed direct message whose target is in another network.
    ///
    /// - Parameter body: of a frame 9.
    /// - Returns: false if its target is not there.
    func publishOverBridge(sealed body: [UInt8], from neighbour: PeerID) -> Bool {
        guard bridge != nil, router.roster.isElsewhere(sealedAddress: body.prefix(SealedMessage.addressBytes)) else {
            return false
        }
        guard consents(neighbour) else {
            bridge?.withoutConsent += 1
            return true
        }
        apply(bridge?.publish(sealed: body, from: neighbour, now: scheduler.now) ?? [])
        return true
    }

    /// Publishes the presence that came before its author's certificate.
    func publishUncertified(_ author: PeerID) {
        if let presence = bridge?.takeUncertified(author) { publishOverBridge(presence) }
    }

    /// Whether the room is carried to other networks: by this node, or by another of its network.
    package var isBridged: Bool { bridge != nil || !bridgesHere.isEmpty }

    /// The other bridges of this network.
    var bridgesHere: [PeerID] { router.roster.bridges }

    private func consents(_ author: PeerID) -> Bool {
        author == context.me ? router.session.bridging.consents : router.roster.bridging(of: author).consents
    }

    private func receivedFromBroker(_ event: BridgeEvent) {
        guard case .running = phase, bridge != nil else { return }
        apply(bridge?.handle(event, now: scheduler.now) ?? [])
        if case .connected = event { renewPresence() }
        guard case .delivered(let delivery) = event else { return }
        switch delivery.content {
        case .payload(let certificate, let frame): receive(certificate, frame, isHistory: delivery.isHistory)
        case .sealed(let body): takeSealed(body)
        case .greeting: apply(bridge?.greeted(now: scheduler.now) ?? [])
        }
        if let tag = delivery.tag { bridge?.port.acknowledge(tag) }
        flushFullBatch()
    }

    private func receive(_ certificate: [UInt8], _ frame: [UInt8], isHistory: Bool) {
        guard let id = SignedPayload.id(inFrame: frame.span) else { return }
        bridge?.noteSeen(id)
        if SignedPayload.isPresence(inFrame: frame.span, ofCrowd: isCrowd ? nil : true) {
            bridge?.hold(certificate, frame, now: scheduler.now)
            return arm(.bridge)
        }
        take(certificate, frame, isHistory: isHistory)
    }

    /// Takes a presence that a crowd held, unless its author is here: another bridge of this network published it, and the links
    /// bring it.
    private func takeHeld(_ certificate: [UInt8], _ frame: [UInt8]) {
        guard let author = SignedPayload.author(inFrame: frame.span), !router.roster.isHere(author) else { return }
        take(certificate, frame, isHistory: false)
    }

    private func take(_ certificate: [UInt8], _ frame: [UInt8], isHistory: Bool) {
        guard let author = learnBridged(certificate), let neighbour = bridge?.neighbour else {
            bridge?.refused += 1
            return
        }
        guard author != context.me else { return }
        if isHistory { return takeHistory(frame, from: neighbour) }
        switch admission.admit(
            frame: frame.span, from: neighbour, linkEpoch: 0, bridge: .trusted, now: scheduler.now,
            wallClock: roomClock)
        {
        case .admitted(let payload) where payload.author == author:
            apply(router.route(payload, at: moment))
            routed()
            recordPath(to: author, via: neighbour)
            if payload.type == .presence {
                bridge?.keep(presence: payload)
                sendWaiting(to: author)
            }
            passOnBridged(payload)
        case .dropped(.stale), .dropped(.oldEpoch), .dropped(.sequenceTooOld):
            // Said while the broker was away, or before its author began anew: it is history by now.
            takeHistory(frame, from: neighbour)
        case .admitted, .repeated, .dropped, .closeLink, .ban: bridge?.refused += 1
        }
    }

    private func takeHistory(_ frame: [UInt8], from neighbour: PeerID) {
        switch admission.admitHistory(frame: frame.span, from: neighbour, wallClock: roomClock) {
        case .admitted(let payload):
            apply(router.route(payload, at: moment, askedAt: scheduler.wallClock))
            routed()
        case .repeated, .dropped, .closeLink, .ban: bridge?.refused += 1
        }
    }

    /// Tells a new link of the people in other networks.
    func introduceElsewhere(on connection: Connection) {
        // In a crowd rosters tell it.
        guard let bridge, !isCrowd else { return }
        for author in router.roster.elsewhere.sorted() {
            guard !connection.isBusy else { return }
            guard let presence = bridge.presence(of: author) else { continue }
            sendCertificate(for: author, on: connection)
            send(presence.frame(hops: 2), on: connection)
        }
    }

    /// Passes a payload that came over the bridge on: over the trees of a large room, else to all links.
    private func passOnBridged(_ payload: VerifiedPayload) {
        if isCrowd, payload.type == .presence {
            if bridge?.isToPass(payload, now: scheduler.now) == true { spreadElsewhere(payload) }
            return
        }
        if overlay.isEngaged, isSpread(payload, isRelayed: true) { return spread(payload, hops: 1) }
        let frame = payload.frame(hops: 2)
        for connection in connections.activeLinks where connection.peer != payload.author {
            guard !connection.isBusy else { continue }
            sendCertificate(for: payload.author, on: connection)
            send(frame, on: connection)
        }
    }

    private func takeSealed(_ body: [UInt8]) {
        guard let neighbour = bridge?.neighbour else { return }
        switch mail.course(of: body) {
        case .repeated: break
        case .forUs: unseal(body, from: neighbour) { _ = learnBridged($0) }
        case .forOthers: passOnSealed(body, from: nil)
        }
    }

    /// Takes in the certificate of an author in another network.
    ///
    /// - Returns: its identity; nil for one that is false, superseded, or one too many.
    private func learnBridged(_ bytes: [UInt8]) -> PeerID? {
        guard let identity = PeerID(Array(bytes.dropFirst(2).prefix(PeerID.byteCount))) else { return nil }
        if let known = knownCertificate(of: identity), known.bytes == bytes { return identity }
        guard let certificate = try? Certificate(verifying: bytes.span) else { return nil }
        return learnBridged(certificate) ? identity : nil
    }

    private func learnBridged(_ certificate: Certificate) -> Bool {
        let now = scheduler.now
        if certificate.identity == context.me {
            if !certificate.isOfSameRun(as: context.certificate) { handleOwnCertificate(certificate) }
            return true
        }
        switch certificates.news(of: certificate, now: now) {
        case .nothing: break
        case .worse: return false
        case .first:
            guard let neighbour = bridge?.neighbour else { return false }
            guard
                admission.learn(
                    epoch: certificate.epoch, of: certificate.identity, via: neighbour, isBridge: true, now: now)
            else { return false }
        case .renewal: resendCertificate(for: certificate)
        case .better:
            guard bridge?.takeBetterCertificate(now: now) == true else { return false }
            replace(by: certificate, from: nil)
        }
        certificates.keep(certificate, now: now)
        return true
    }

    private func knownCertificate(of peer: PeerID) -> Certificate? { certificates.best(of: peer, now: scheduler.now) }

    private func apply(_ effects: [RoomBridge.Effect]) {
        for effect in effects {
            switch effect {
            case .publish(let due): bridge?.port.publish(due.content, tag: due.tag, isHistory: due.isHistory)
            case .notice(let code, let sentence): warn(code, sentence)
            case .take(let certificate, let frame): takeHeld(certificate, frame)
            }
        }
        arm(.bridge)
    }

    func tickBridge() {
        guard case .running = phase else { return }
        apply(bridge?.due(scheduler.now) ?? [])
    }
}

extension PayloadType {
    /// True for payloads that bridges publish. Typing is not worth it.
    fileprivate var isPublished: Bool {
        self == .presence || self == .publicMessage || self == .edit || self == .delete
    }
}
