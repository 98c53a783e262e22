import Chat
import Noise
import Wire

/// Judges the payloads and certificates of others: the only maker of a `VerifiedPayload` from outside
/// (Protocol.md sections 7 and 9).
struct Intake {
    private var admission: Admission
    /// Whether the rates of payloads have a limit.
    private let isLimited: Bool
    /// The best session certificate of each identity.
    private var certificates = KnownCertificates()
    /// Better certificates from the broker of this node's bridge, as `LinkRate.betterCertificates` of a link.
    private var betterFromBroker: TokenBucket
    /// Certificates over a link's rate.
    private var certificatesRefused = 0
    /// Public messages that came live, by the links that they passed, less one.
    private(set) var hops = [Int](repeating: 0, count: Int(Limits.relayHops) + 1)

    init(_ configuration: NodeConfiguration, me: PeerID, now: Instant) {
        isLimited = configuration.messagesPerSecond > 0
        admission = Admission(
            room: configuration.room.id, me: me,
            rates: AdmissionRates(messagesPerSecond: configuration.messagesPerSecond))
        betterFromBroker = TokenBucket(
            Rate(perSecond: Limits.betterCertificatesPerMinute / 60, burst: Limits.betterCertificatesBurst), now: now)
    }

    var counters: [Counter] {
        [Counter(.payloadsAdmitted, admission.admitted), Counter(.payloadsReceived, admission.received)]
            + PayloadType.allCases.map { Counter(.admitted($0), admission.tally[$0]) }
            + DropReason.allCases.map { Counter(.dropped($0), admission.drops[$0] ?? 0) }
            + [Counter(.certificatesRefused, certificatesRefused)]
    }

    /// The tables, for the census of their entries.
    var tables: [(name: String, value: Any)] { [("admission", admission), ("certificates", certificates)] }
}

/// The way of a payload in, the same for every origin: judged here, routed by `Node.accept`, and handed on by the parts that hear of
/// it.
extension Intake {
    /// Handles the body of a payload frame on a link, asked for or not.
    ///
    /// - Returns: the payload if it was admitted.
    mutating func receive(
        _ body: Span<UInt8>, on link: LinkInfo, _ history: inout HistoryExchange, _ spread: inout Spread,
        _ finder: inout Finder, _ crowd: inout CrowdPresence, _ bridge: borrowing BridgeGate,
        _ router: inout MessageRouter, _ links: borrowing Links, _ own: borrowing OwnSession,
        _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        guard let peer = link.peer, let epoch = link.certificate?.epoch else { return nil }
        do throws(DropReason) {
            let frame = try PayloadFrame(body)
            spread.recordArrival(of: frame.id.prefix, from: peer)
            if history.isAwaited(frame.id.prefix, from: peer) {
                return receiveHistory(
                    frame, from: peer, on: link, &history, &finder, &router, links, own, environment, &effects)
            }
            let live = LiveLink(
                to: peer, epoch: epoch, source: link.source, kind: spread.linkKind(of: peer),
                bridge: bridge.standing(of: frame, from: peer, router.roster, environment),
                judgesAge: environment.mode == .overlay)
            return receiveLive(
                frame, live, on: link, &spread, &finder, &crowd, &router, links, own, environment, &effects)
        } catch {
            refuse(malformed: error)
            // It keeps its neighbour's promise nevertheless, and is not asked for again.
            guard let id = PayloadFrame.id(of: body)?.prefix else { return nil }
            spread.recordArrival(of: id, from: peer)
            history.refuse(malformed: id, from: peer, &router, environment)
            return nil
        }
    }

    private mutating func receiveHistory(
        _ frame: borrowing PayloadFrame, from peer: PeerID, on link: LinkInfo, _ history: inout HistoryExchange,
        _ finder: inout Finder, _ router: inout MessageRouter, _ links: borrowing Links,
        _ own: borrowing OwnSession, _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        let askedAt = history.recordArrival(of: frame.id.prefix, from: peer, environment)
        switch judge(frame, from: .history(from: peer), on: link, environment, &effects) {
        case .admitted(var admitted):
            admitted.askedAt = askedAt
            finder.recordGap(
                admitted.payload, isHistory: true, own, links.connections, router.roster, environment, &effects)
            return admitted
        case .refused(let reason): history.refuse(frame, reason, from: peer, &router, environment, &effects)
        case .linkEnds: break
        }
        return nil
    }

    private mutating func receiveLive(
        _ frame: borrowing PayloadFrame, _ live: LiveLink, on link: LinkInfo, _ spread: inout Spread,
        _ finder: inout Finder, _ crowd: inout CrowdPresence, _ router: inout MessageRouter,
        _ links: borrowing Links, _ own: borrowing OwnSession, _ environment: Environment,
        _ effects: inout Effects
    ) -> AdmittedPayload? {
        switch judge(frame, from: .live(live), on: link, environment, &effects) {
        case .admitted(var admitted):
            guard !admitted.isRepeated else {
                finder.recordSender(on: link, isNew: false, links, now: environment.now)
                return admitted
            }
            if spread.takes(admitted.payload, isRelayed: admitted.hops > 0, router) {
                let checked = spread.check(
                    admitted.payload, hops: admitted.hops, on: link, environment, &self, &effects)
                guard let checked else { return nil }
                admitted.payload = checked
            }
            if admitted.hops > 0 {
                finder.recordGap(
                    admitted.payload, isHistory: false, own, links.connections, router.roster, environment, &effects)
            }
            let isPublic = admitted.payload.type == .publicMessage
            if isPublic { recordHops(admitted.hops) }
            finder.recordSender(on: link, isNew: isPublic, links, now: environment.now)
            return admitted
        case .refused(let reason):
            refuseLive(frame, reason, on: link, &spread, &finder, &crowd, &router, links, environment, &effects)
        case .linkEnds: break
        }
        return nil
    }

    private mutating func refuseLive(
        _ frame: borrowing PayloadFrame, _ reason: DropReason, on link: LinkInfo, _ spread: inout Spread,
        _ finder: inout Finder, _ crowd: inout CrowdPresence, _ router: inout MessageRouter,
        _ links: borrowing Links, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let peer = link.peer else { return }
        if reason == .duplicate {
            finder.recordSign(on: link, isNew: false, now: environment.now)
            crowd.receiveRepeated(frame, environment, &effects)
        }
        spread.recordDrop(of: frame, reason, from: peer, links.connections, now: environment.now, &effects)
        // In a crowd its presence may have come over others before: it is heard on this link all the same.
        if environment.isCrowd, reason == .duplicate, frame.hops == 0 {
            finder.recordHeard(on: link, links)
        }
    }

    /// Handles the body of a frame 16 on a link.
    ///
    /// - Returns: the payload if it was for us, and admitted.
    mutating func receiveDirect(
        _ body: Span<UInt8>, on link: LinkInfo, _ mail: inout SealedMail, _ finder: inout Finder,
        _ links: borrowing Links, _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        guard let peer = link.peer, let certificate = link.certificate else { return nil }
        do throws(DropReason) {
            let frame = try PayloadFrame(direct: body)
            let live = LiveLink(to: peer, epoch: certificate.epoch, source: link.source)
            let origin = Origin.direct(live, mail.key(of: frame, from: certificate))
            switch judge(frame, from: origin, on: link, environment, &effects) {
            case .admitted(let admitted):
                finder.recordSender(on: link, isNew: false, links, now: environment.now)
                return admitted
            // No ban for a false MAC: the certificate that it is of may be lost.
            case .refused, .linkEnds: break
            }
        } catch {
            refuse(malformed: error)
        }
        return nil
    }

    /// Handles the body of a frame 14: a neighbour's digests, or a presence of its answer to ours.
    ///
    /// - Returns: the payload if it was admitted.
    mutating func receiveRoster(
        _ body: Span<UInt8>, on link: LinkInfo, _ crowd: inout CrowdPresence, _ spread: inout Spread,
        _ finder: inout Finder, _ bridge: borrowing BridgeGate, _ roster: borrowing Roster,
        _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        guard let peer = link.peer, crowd.receive(body, on: link, &spread, environment, &effects) else { return nil }
        do throws(DropReason) {
            let frame = try PayloadFrame(body)
            let isKept = crowd.judge(
                frame, from: link.source, isLimited: isLimited,
                size: { finder.plausibleSize(connections, spread.neighbours) }, environment)
            guard let isKept else { return nil }
            let standing = bridge.standing(of: frame, from: peer, roster, environment)
            let origin = Origin.roster(from: peer, isKept: isKept, bridge: standing)
            switch judge(frame, from: origin, on: link, environment, &effects) {
            case .admitted(let admitted): return admitted
            case .refused(.duplicate): crowd.receiveRepeated(frame, environment, &effects)
            case .refused, .linkEnds: break
            }
        } catch {
            refuse(malformed: error)
        }
        return nil
    }

    /// Handles the body of a frame 9 on a link.
    ///
    /// - Returns: the payload if it was for us, and admitted.
    mutating func receiveSealed(
        _ body: Span<UInt8>, on link: LinkInfo, _ mail: inout SealedMail, _ crowd: inout CrowdPresence,
        _ bridge: inout BridgeGate, _ own: borrowing OwnSession, _ roster: borrowing Roster,
        _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        guard let neighbour = link.peer, SealedMessage.bodySizes.contains(body.count) else {
            effects.append(.countUnexpectedFrame)
            return nil
        }
        guard BridgeGate.takeRelayToken(on: link, roster, environment) else {
            mail.countRefused()
            return nil
        }
        return receive(
            sealed: [UInt8](copying: body), from: neighbour, on: link, &mail, &crowd, &bridge, own, roster,
            connections, environment, &effects)
    }

    /// Handles a sealed message of legal length: takes in the content of one for us, and the certificate of its author.
    ///
    /// - Parameters:
    ///   - neighbour: the peer that it came from, or what stands for this node's bridge.
    ///   - link: where it came on; nil for the bridge.
    /// - Returns: the payload if it was for us, and admitted.
    mutating func receive(
        sealed frame: [UInt8], from neighbour: PeerID, on link: LinkInfo?, _ mail: inout SealedMail,
        _ crowd: inout CrowdPresence, _ bridge: inout BridgeGate, _ own: borrowing OwnSession,
        _ roster: borrowing Roster, _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        let opened = mail.receive(
            frame, from: neighbour, isBridged: link == nil, paths: crowd.paths, &bridge, roster, connections,
            environment, &effects)
        guard let opened else { return nil }
        do throws(DropReason) {
            let content = try readSealed(opened, environment)
            let (frame, certificate) = (try PayloadFrame(direct: content.frame.span), content.certificate)
            let origin = Origin.sealed(from: neighbour, by: certificate, mail.key(of: frame, from: certificate))
            guard case .admitted(var admitted) = judge(frame, from: origin, on: link, environment, &effects) else {
                return nil
            }
            admitted.endpoint = content.endpoint
            guard !admitted.isRepeated else { return admitted }
            if let link {
                learn(certificate, from: link, &bridge, roster, connections, environment, &effects)
                crowd.recordPath(to: admitted.payload.author, by: link.id, environment)
            } else {
                _ = bridge.learn(certificate, own, &self, connections, environment, &effects)
            }
            return admitted
        } catch {
            drop(error)
            return nil
        }
    }

    /// Reads the content of a sealed message that was opened.
    ///
    /// - Throws: `.malformed`, or `.oldEpoch` for one of an earlier run of its author.
    private func readSealed(_ opened: [UInt8], _ environment: Environment) throws(DropReason) -> SealedContent {
        let content = try SealedContent(opened)
        if case .worse = news(of: content.certificate, environment) { throw .oldEpoch }
        return content
    }

    /// Takes in a payload from the broker. One that is late is taken as history: it was said while the broker was away, or before
    /// its author began anew.
    ///
    /// - Parameter bridge: what stands for this node's bridge.
    /// - Returns: the payload; nil if it was refused.
    mutating func receive(
        bridged frame: borrowing PayloadFrame, over bridge: PeerID, isHistory: Bool, _ environment: Environment,
        _ effects: inout Effects
    ) -> AdmittedPayload? {
        let origin = Origin.broker(bridge: bridge, isHistory: isHistory)
        switch judge(frame, from: origin, on: nil, environment, &effects) {
        case .admitted(var admitted):
            if isHistory { admitted.askedAt = environment.wallClock }
            return admitted
        case .refused(.stale) where !isHistory, .refused(.oldEpoch) where !isHistory,
            .refused(.sequenceTooOld) where !isHistory:
            return receive(bridged: frame, over: bridge, isHistory: true, environment, &effects)
        case .refused, .linkEnds: return nil
        }
    }

    private enum Verdict {
        case admitted(AdmittedPayload)
        /// Without a penalty for the link that it came on.
        case refused(DropReason)
        case linkEnds
    }

    private mutating func judge(
        _ frame: borrowing PayloadFrame, from origin: Origin, on link: LinkInfo?, _ environment: Environment,
        _ effects: inout Effects
    ) -> Verdict {
        switch admission.judge(frame, from: origin, now: environment.now, wallClock: environment.roomClock) {
        case .admitted(let payload):
            return .admitted(
                AdmittedPayload(payload: payload, origin: origin, hops: frame.hops, link: link, isRepeated: false))
        case .repeated(let payload):
            return .admitted(
                AdmittedPayload(payload: payload, origin: origin, hops: frame.hops, link: link, isRepeated: true))
        case .dropped(let reason): return .refused(reason)
        case .closeLink(let reason):
            guard let link else { return .refused(reason) }
            effects.append(.close(.link(link.id), .violation))
        case .ban(let reason):
            guard let link else { return .refused(reason) }
            effects.append(.close(.link(link.id), .ban))
        }
        return .linkEnds
    }
}

/// Counts of payloads, and signatures.
extension Intake {
    /// Counts a public message that came live.
    mutating func recordHops(_ count: UInt8) { hops[min(Int(count), Int(Limits.relayHops))] += 1 }

    /// Counts a payload frame that could not be parsed.
    mutating func refuse(malformed reason: DropReason) { admission.refuse(malformed: reason) }

    /// Counts input that never became a payload, or a payload that is not shown after all.
    mutating func drop(_ reason: DropReason) { admission.drop(reason) }

    /// Checks a signature that was left unchecked when the payload came over its author's own link.
    ///
    /// - Returns: the payload as `.signed`, or the ban of the neighbour that it came from.
    mutating func verifySignature(of payload: VerifiedPayload) -> AdmissionResult {
        admission.verifySignature(of: payload)
    }

    /// As above, of a payload that the router keeps.
    ///
    /// - Parameter id: the first 8 bytes of its id.
    mutating func verifySignature(of id: UInt64, in router: inout MessageRouter) -> SignatureCheck {
        router.verifySignature(of: id, with: &admission)
    }

    /// True for a time at which a public payload may be signed that comes unasked.
    func isFresh(_ payload: VerifiedPayload, _ environment: Environment) -> Bool {
        admission.isFresh(payload.payload.timestamp, environment.roomClock)
    }
}

/// Certificates.
extension Intake {
    /// The best certificate of an identity; nil if none came for a day.
    func certificate(of peer: PeerID, now: Instant) -> Certificate? { certificates.best(of: peer, now: now) }

    /// Queues a payload on links; an optional one not where much waits.
    ///
    /// Mutating, though it changes nothing: each payload comes here, and would copy all tables.
    mutating func deliver(
        _ delivery: PayloadDelivery, to selector: LinkSelector, _ links: inout Links, now: Instant
    ) {
        let connections = links.connections
        connections.forEach(selector) { link in
            guard !delivery.isOptional || !link.isBusy else { return }
            if case .before(let author) = delivery.certificate { sendCertificate(of: author, on: link, &links, now) }
            if let type = delivery.type { links.tally.sent.add(type) }
            links.send(delivery.frame, on: link)
            if case .behind(let author) = delivery.certificate { sendCertificate(of: author, on: link, &links, now) }
        }
    }

    /// Sends an author's certificate on a link, once, before the first payload of that author.
    mutating func sendCertificate(of author: PeerID, on link: LinkInfo, _ links: inout Links, _ now: Instant) {
        guard author != link.peer, let certificate = certificate(of: author, now: now) else { return }
        links.sendOnce(certificate, on: link)
    }

    /// The relation of a certificate to the known one.
    func news(of certificate: Certificate, _ environment: Environment) -> KnownCertificates.Novelty {
        certificates.news(of: certificate, now: environment.now)
    }

    /// Handles a certificate on a link: the neighbour's own, one of another session of our identity, or one of a third identity.
    mutating func receiveCertificate(
        _ body: Span<UInt8>, on link: LinkInfo, _ crowd: inout CrowdPresence, _ bridge: inout BridgeGate,
        _ roster: borrowing Roster, _ links: borrowing Links, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let certificate = read(body, on: link, &crowd, roster, environment, &effects) else { return }
        if certificate.identity == environment.me {
            effects.append(.receiveOwn(certificate))
        } else if let current = link.certificate, certificate.isOfSameRun(as: current) {
            guard certificate.isBetter(than: current) || certificate.isRenewal(of: current) else { return }
            links.renew(link, certificate)
            renew(certificate, on: link, environment, &effects)
        } else {
            learn(certificate, from: link, &bridge, roster, links.connections, environment, &effects)
        }
    }

    /// Handles a better certificate of our own identity.
    mutating func receiveSuperseded(
        _ body: Span<UInt8>, on link: LinkInfo, _ crowd: inout CrowdPresence, _ roster: borrowing Roster,
        _ environment: Environment, _ effects: inout Effects
    ) {
        guard let certificate = read(body, on: link, &crowd, roster, environment, &effects) else { return }
        guard certificate.identity == environment.me else { return effects.append(.countUnexpectedFrame) }
        effects.append(.receiveOwn(certificate))
    }

    /// The certificate in a frame, if it is a genuine one. A bad signature bans the neighbour, which has to verify certificates before
    /// it forwards them.
    private mutating func read(
        _ body: Span<UInt8>, on link: LinkInfo, _ crowd: inout CrowdPresence, _ roster: borrowing Roster,
        _ environment: Environment, _ effects: inout Effects
    ) -> Certificate? {
        guard
            crowd.takesAnswer(body.count, on: link.id, now: environment.now)
                || BridgeGate.takeRelayToken(on: link, roster, environment)
                || Intake.takesRenewal(body, on: link, environment)
        else {
            certificatesRefused += 1
            return nil
        }
        do throws(CertificateError) {
            return try readCertificate(body, environment)
        } catch .badSignature {
            if link.peer != nil { effects.append(.close(.link(link.id), .ban)) }
        } catch {
            effects.append(.countUnexpectedFrame)
        }
        return nil
    }

    /// Whether a certificate above the rate is taken, because it is that of the link's own peer: without it nothing that the peer says
    /// to this node alone could be authenticated.
    private static func takesRenewal(_ body: Span<UInt8>, on link: LinkInfo, _ environment: Environment) -> Bool {
        guard body.count == Certificate.byteCount, let peer = link.peer,
            PeerID([UInt8](copying: body.extracting(2..<2 + PeerID.byteCount))) == peer
        else { return false }
        return link.takeToken(.betterCertificates, now: environment.now)
    }

    /// Takes a verified certificate of a third identity that a neighbour sent: the neighbour is a path to it.
    private mutating func learn(
        _ certificate: Certificate, from link: LinkInfo, _ bridge: inout BridgeGate, _ roster: borrowing Roster,
        _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let peer = link.peer,
            learn(
                certificate, from: peer, isBridge: BridgeGate.trusts(peer, roster, environment), on: link,
                connections, environment, &effects)
        else { return }
        effects.append(.recordPath(to: certificate.identity, via: peer))
        bridge.certified(certificate.identity, &effects)
    }

    /// Reads the body of a frame with a certificate. One that repeats a known certificate, as most do, costs no verification.
    func readCertificate(
        _ body: Span<UInt8>, _ environment: Environment
    ) throws(CertificateError) -> Certificate {
        if body.count == Certificate.byteCount,
            let known = knownCertificate([UInt8](copying: body), environment)
        {
            return known
        }
        return try Certificate(verifying: body)
    }

    /// The known certificate of these bytes; nil if they are another.
    func knownCertificate(_ bytes: [UInt8], _ environment: Environment) -> Certificate? {
        guard let identity = PeerID(Array(bytes.dropFirst(2).prefix(PeerID.byteCount))),
            let known = certificate(of: identity, now: environment.now), bytes == known.bytes
        else { return nil }
        return known
    }

    /// Takes the certificate of a link's own peer whose handshake is complete.
    mutating func keep(_ certificate: Certificate, _ environment: Environment) {
        certificates.keep(certificate, now: environment.now)
    }

    /// Takes the epoch of a link's own peer.
    mutating func learnEpoch(of certificate: Certificate, _ environment: Environment) {
        _ = admission.learn(epoch: certificate.epoch, of: certificate.identity, via: nil, now: environment.now)
    }

    /// Takes a verified certificate of a third identity.
    ///
    /// - Parameters:
    ///   - neighbour: the peer that it came from, or what stands for this node's bridge.
    ///   - isBridge: the neighbour may bring people of other networks.
    ///   - link: where it came on; nil for the broker.
    /// - Returns: false if it is superseded, or one too many.
    mutating func learn(
        _ certificate: Certificate, from neighbour: PeerID, isBridge: Bool, on link: LinkInfo?,
        _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) -> Bool {
        switch news(of: certificate, environment) {
        case .nothing: break
        case .worse(let best):
            // The neighbour can have missed the better one during a partition.
            if let link { effects.append(.send(best.frame(as: .certificate), to: .link(link.id))) }
            return false
        case .first:
            let isTaken = admission.learn(
                epoch: certificate.epoch, of: certificate.identity, via: neighbour, isBridge: isBridge,
                now: environment.now)
            guard isTaken else { return false }
        case .renewal: keepRenewed(certificate, environment, &effects)
        case .better:
            guard takeBetterToken(from: link, environment) else {
                if link != nil { certificatesRefused += 1 }
                return false
            }
            replace(by: certificate, from: link?.id, connections, environment, &effects)
        }
        keep(certificate, environment)
        return true
    }

    /// Takes a certificate of a neighbour's run with a new dm key or a later epoch.
    mutating func renew(
        _ certificate: Certificate, on link: LinkInfo, _ environment: Environment, _ effects: inout Effects
    ) {
        learnEpoch(of: certificate, environment)
        let news = news(of: certificate, environment)
        keep(certificate, environment)
        switch news {
        case .nothing, .first, .worse: break
        case .renewal: keepRenewed(certificate, environment, &effects)
        case .better: if takeBetterToken(from: link, environment) { passOn(certificate, from: link.id, &effects) }
        }
    }

    /// A better certificate came with a handshake: closes the links of all earlier runs of its identity and passes it on.
    func supersede(
        by certificate: Certificate, from link: ConnectionID?, _ connections: Connections, _ effects: inout Effects
    ) {
        for other in connections.links(of: certificate.identity)
        where other.certificate?.isOfSameRun(as: certificate) == false {
            effects.append(.close(.link(other.id), .superseded(by: certificate)))
        }
        passOn(certificate, from: link, &effects)
    }

    /// Takes over a better certificate of a third identity.
    private mutating func replace(
        by certificate: Certificate, from link: ConnectionID?, _ connections: Connections, _ environment: Environment,
        _ effects: inout Effects
    ) {
        // A link of the same run receives the later epoch itself, in order with the payloads of each epoch.
        let isLinked = connections.links(of: certificate.identity).contains {
            $0.certificate?.isOfSameRun(as: certificate) ?? false
        }
        if !isLinked { learnEpoch(of: certificate, environment) }
        supersede(by: certificate, from: link, connections, &effects)
    }

    /// Sends a certificate on all links but those of its identity and the one that it came on.
    private func passOn(_ certificate: Certificate, from link: ConnectionID?, _ effects: inout Effects) {
        effects.append(
            .send(certificate.frame(as: .certificate), to: .others(than: link, notTo: certificate.identity)))
    }

    /// Takes a certificate with a new dm key. Links that received the previous one need it again.
    private mutating func keepRenewed(
        _ certificate: Certificate, _ environment: Environment, _ effects: inout Effects
    ) {
        keep(certificate, environment)
        effects.append(.resend(certificate))
    }

    private mutating func takeBetterToken(from link: LinkInfo?, _ environment: Environment) -> Bool {
        guard let link else { return betterFromBroker.takeTokens(now: environment.now) }
        return link.takeToken(.betterCertificates, now: environment.now)
    }
}

extension Certificate {
    /// The frame that carries it, type byte first.
    func frame(as type: FrameType) -> [UInt8] { [type.rawValue] + bytes }
}
