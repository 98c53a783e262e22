import Chat
import Noise
import Wire

/// The way of a payload in, the same for every origin: judged, routed, and handed on (Architecture.md).
extension Node {
    /// Handles a payload frame that came on a link, asked for or not.
    func receivedPayload(_ body: Span<UInt8>, on link: LinkInfo) {
        guard let peer = link.peer, let epoch = link.certificate?.epoch else { return }
        let environment = environment
        do throws(DropReason) {
            let frame = try PayloadFrame(body)
            spread.recordArrival(of: frame.id.prefix, from: peer)
            if historyExchange.isAwaited(frame.id.prefix, from: peer) {
                let askedAt = historyExchange.recordArrival(of: frame.id.prefix, from: peer, environment)
                receive(frame, from: .history(from: peer), askedAt: askedAt, on: link, environment)
                return
            }
            let live = LiveLink(
                to: peer, epoch: epoch, source: link.source, kind: spread.linkKind(of: peer),
                bridge: bridgeStanding(of: frame, from: peer), judgesAge: environment.mode == .overlay)
            receive(frame, from: .live(live), on: link, environment)
        } catch {
            receivedMalformed(body, error, from: peer, environment)
        }
    }

    /// A frame that is no payload keeps its neighbour's promise nevertheless, and is not asked for again.
    private func receivedMalformed(
        _ body: Span<UInt8>, _ reason: DropReason, from peer: PeerID, _ environment: Environment
    ) {
        intake.refuse(malformed: reason)
        guard let id = PayloadFrame.id(of: body)?.prefix else { return }
        spread.recordArrival(of: id, from: peer)
        guard historyExchange.isAwaited(id, from: peer) else { return }
        _ = historyExchange.recordArrival(of: id, from: peer, environment)
        router.noteFinal(id)
    }

    /// Judges a payload frame, and routes its payload if it is admitted.
    ///
    /// - Parameters:
    ///   - askedAt: the wall clock when the payload was asked for; nil if it came unasked.
    ///   - link: the link that it came on; nil if it came over the bridge.
    /// - Returns: the payload; nil unless it was admitted, now or before.
    @discardableResult
    func receive(
        _ frame: borrowing PayloadFrame, from origin: Origin, askedAt: Timestamp? = nil, on link: LinkInfo?,
        _ environment: Environment
    ) -> VerifiedPayload? {
        let verdict = intake.judge(frame, from: origin, environment)
        switch verdict {
        case .admitted(let payload):
            accept(payload, hops: frame.hops, from: origin, askedAt: askedAt, on: link, environment)
            return payload
        case .repeated(let payload):
            if case .live = origin, let link { recordSender(on: link) }
            apply(router.routeAgain(payload, at: environment.moment))
            routed()
            return payload
        case .dropped(let reason): refused(frame, reason, from: origin, on: link, environment)
        case .closeLink(let reason):
            if let link { close(link, .violation) } else { refused(frame, reason, from: origin, on: nil, environment) }
        case .ban(let reason):
            if let link { ban(link) } else { refused(frame, reason, from: origin, on: nil, environment) }
        }
        return nil
    }

    private func recordSender(on link: LinkInfo, isNew: Bool = false) {
        if let peer = link.peer { recordHeard(peer, on: link) }
        recordSign(on: link, isNew: isNew)
    }

    private func recordHeard(_ peer: PeerID, on link: LinkInfo) {
        if links.recordHeard(link) { finder.heard(peer) }
    }

    /// Routes an admitted payload, between what its origin demands before and behind that.
    private func accept(
        _ payload: VerifiedPayload, hops: UInt8, from origin: Origin, askedAt: Timestamp?, on link: LinkInfo?,
        _ environment: Environment
    ) {
        switch origin {
        case .live:
            guard let link else { return }
            acceptLive(payload, hops: hops, on: link, environment)
        case .history(let peer):
            route(payload, askedAt: askedAt, environment)
            offerArchived()
            recordGap(payload, isHistory: true)
            if spread.isEngaged, spread.admitHistory(payload, environment), takesTrees(payload, isRelayed: true) {
                broadcast(payload, from: peer, hops: max(1, hops))
            }
            publishOverBridge(history: payload)
        case .roster:
            route(payload, environment)
            offerArchived()
            if let link { receivePresence(payload, isLive: false, on: link) }
            reportBridge(of: payload.author)
            publishOverBridge(payload)
        case .sealed(_, let certificate):
            if let link { learn(certificate, from: link) } else { _ = learnBridged(certificate) }
            if let link { crowd.recordPath(to: payload.author, by: link.id) }
            route(payload, environment)
            offerArchived()
        case .broker(_, isHistory: true):
            route(payload, askedAt: environment.wallClock, environment)
            offerArchived()
        case .broker(let bridge, isHistory: false):
            route(payload, environment)
            offerArchived()
            acceptBridged(payload, by: bridge, environment)
        }
    }

    private func acceptLive(
        _ admitted: VerifiedPayload, hops: UInt8, on link: LinkInfo, _ environment: Environment
    ) {
        var payload = admitted
        let isInTrees = spread.isEngaged
        if takesTrees(admitted, isRelayed: hops > 0) {
            let checked = withEffects { spread.check(admitted, hops: hops, on: link, environment, &intake, &$0) }
            guard let checked else { return }
            payload = checked
        }
        let (isPublic, isPresence) = (payload.type == .publicMessage, payload.type == .presence)
        if hops > 0 { recordGap(payload, isHistory: false) }
        if isPublic { intake.recordHops(hops) }
        recordSender(on: link, isNew: isPublic)
        route(payload, environment)
        if isPresence, isCrowd { receivePresence(payload, isLive: true, on: link) }
        publishOverBridge(payload)
        if payload.isBridged { recordPath(to: payload.author, via: link) }
        if isPresence, payload.isBridged { sendWaiting(to: payload.author) }
        if isPresence { reportBridge(of: payload.author) }
        guard isInTrees, let peer = link.peer, takesTrees(payload, isRelayed: hops > 0) else { return }
        broadcast(payload, from: peer, hops: hops)
    }

    private func route(_ payload: VerifiedPayload, askedAt: Timestamp? = nil, _ environment: Environment) {
        route(payload, askedAt: askedAt, at: environment.moment)
        routed()
    }

    /// Handles a frame whose payload was refused without a penalty for the link.
    private func refused(
        _ frame: borrowing PayloadFrame, _ reason: DropReason, from origin: Origin, on link: LinkInfo?,
        _ environment: Environment
    ) {
        switch origin {
        case .live:
            guard let link, let peer = link.peer else { return }
            if reason == .duplicate {
                recordSign(on: link)
                receiveRepeatedPresence(frame)
            }
            var effects = Effects()
            spread.recordDrop(of: frame, reason, from: peer, connections, now: environment.now, &effects)
            perform(effects)
            // In a crowd its presence may have come over others before: it is heard on this link all the same.
            if isCrowd, reason == .duplicate, frame.hops == 0 { recordHeard(peer, on: link) }
        case .history(let peer):
            guard reason == .stale || reason == .fromTheFuture else { return router.noteFinal(frame.id.prefix) }
            historyExchange.refuseForTime(frame.id.prefix, signedAt: frame.timestamp, from: peer, environment)
            arm(.history)
        case .roster: if reason == .duplicate { receiveRepeatedPresence(frame) }
        case .sealed: break
        case .broker(_, let isHistory): refusedFromBroker(frame, reason, isHistory: isHistory)
        }
    }
}
