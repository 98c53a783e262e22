import Chat
import Noise
import Phrases
import Wire

/// Decides which payloads leave this network and come from others, by consent, and tells the user of bridges (Docs/Bridge.md).
struct BridgeGate: ~Copyable {
    /// Nil unless this node carries the room to other networks.
    private var bridge: RoomBridge?
    /// The user knows that the room is bridged.
    private var isReported = false

    private var randomness: Randomness

    init(_ configuration: NodeConfiguration, randomness: consuming Randomness) {
        bridge = RoomBridge(configuration)
        self.randomness = randomness
    }

    /// This node carries the room to other networks.
    var isBridge: Bool { bridge != nil }

    /// Stands for this node's bridge where a payload's neighbour is named; nil without a bridge.
    var neighbour: PeerID? { bridge?.neighbour }

    /// Whether the room is carried to other networks: by this node, or by another of its network.
    func isBridged(_ roster: borrowing Roster) -> Bool { isBridge ? true : !roster.bridges.isEmpty }

    /// How far a neighbour is believed that a payload came over a bridge: in a crowd over that of any node, else over the neighbour's
    /// own. The user was informed of a bridge when its presence came.
    func standing(of neighbour: PeerID, _ roster: borrowing Roster, _ environment: Environment) -> BridgeStanding {
        guard environment.isCrowd ? isBridged(roster) : roster.bridging(of: neighbour).isBridge else { return .unknown }
        return environment.consentsToBridges ? .trusted : .known
    }

    /// As above, of the neighbour that a payload came from; `unknown` for one that says not to have come over a bridge.
    func standing(
        of frame: borrowing PayloadFrame, from neighbour: PeerID, _ roster: borrowing Roster,
        _ environment: Environment
    ) -> BridgeStanding {
        frame.isBridged ? standing(of: neighbour, roster, environment) : .unknown
    }

    /// A peer says in its presence that it is a bridge, and the user lets bridges publish.
    static func trusts(_ peer: PeerID?, _ roster: borrowing Roster, _ environment: Environment) -> Bool {
        guard let peer else { return false }
        return roster.bridging(of: peer).isBridge && environment.consentsToBridges
    }

    /// Takes a token for a frame about another peer. A bridge brings those of whole networks.
    static func takeRelayToken(on link: LinkInfo, _ roster: borrowing Roster, _ environment: Environment) -> Bool {
        let rate: LinkRate =
            trusts(link.peer, roster, environment) ? .bridged : environment.isCrowd ? .relayedInCrowd : .relayed
        return link.takeToken(rate, now: environment.now)
    }

    func nextDeadline(now: Instant) -> Instant? { bridge?.nextDeadline(now: now) }

    mutating func tick(_ environment: Environment, _ effects: inout Effects) {
        guard environment.isRunning else { return }
        append(bridge?.due(environment.now), &effects)
    }

    private func append(_ orders: [RoomBridge.Order]?, _ effects: inout Effects) {
        guard let orders else { return }
        for order in orders {
            switch order {
            case .publish(let due): effects.append(.bridge(.give(due)))
            case .notice(let code, let sentence): effects.append(.warn(code, sentence))
            case .receive(let certificate, let frame):
                effects.append(.bridge(.receiveHeld(certificate: certificate, frame: frame)))
            }
        }
        effects.append(.arm(.bridge))
    }
}

/// Publications of this node's bridge.
extension BridgeGate {
    /// Publishes a payload of this network, if its author consents; to be called when it is routed. Counts it otherwise.
    mutating func publish(
        _ payload: VerifiedPayload, _ own: borrowing OwnSession, _ router: borrowing MessageRouter,
        _ intake: inout Intake,
        _ environment: Environment, _ effects: inout Effects
    ) {
        let author = payload.author
        guard isBridge, payload.type.isPublished, !payload.isBridged, !router.roster.isElsewhere(author),
            router.isForEveryone(payload.payload)
        else { return }
        guard BridgeGate.consents(author, router.roster, environment) else {
            bridge?.withoutConsent += 1
            bridge?.consentEnded(author)
            return
        }
        let certificate =
            author == environment.me ? own.certificate : intake.certificate(of: author, now: environment.now)
        guard let certificate, certificate.epoch == payload.payload.epoch else {
            // In a crowd the certificate follows.
            if payload.type == .presence { bridge?.keep(uncertified: payload) }
            return
        }
        switch intake.verifySignature(of: payload) {
        case .admitted(let proven):
            let others = router.roster.bridges
            let isFirst = bridge?.isFirst(environment.me, for: author, among: others) ?? false
            append(bridge?.publish(proven, certificate, isFirst: isFirst, now: environment.now), &effects)
        case .ban: effects.append(.close(.all(of: author), .ban))
        case .repeated, .dropped, .closeLink: return
        }
    }

    /// Publishes a sealed direct message whose target is in another network.
    ///
    /// - Parameter body: of a frame 9.
    /// - Returns: false if its target is not there.
    mutating func publish(
        sealed body: [UInt8], from neighbour: PeerID, _ roster: borrowing Roster, _ environment: Environment,
        _ effects: inout Effects
    ) -> Bool {
        guard isBridge, roster.isElsewhere(sealedAddress: body.prefix(SealedMessage.addressBytes)) else { return false }
        if BridgeGate.consents(neighbour, roster, environment) {
            append(bridge?.publish(sealed: body, from: neighbour, now: environment.now), &effects)
        } else {
            bridge?.withoutConsent += 1
        }
        return true
    }

    /// True if a payload of history could still wait for a broker; an older one is not published.
    func mayPublish(history payload: VerifiedPayload, _ environment: Environment) -> Bool {
        let age = payload.payload.timestamp.distance(to: environment.roomClock)
        return isBridge && age < UInt64(Limits.bridgeWaitingTime.nanoseconds / 1_000_000)
    }

    /// The certificate of an author is here: publishes a presence that came before it.
    mutating func certified(_ author: PeerID, _ effects: inout Effects) {
        if let presence = bridge?.takeUncertified(author) { effects.append(.bridge(.publish(presence))) }
    }

    /// Hears of an admitted payload that was routed: publishes one of this network, and takes one of another network to this one.
    mutating func follow(
        _ admitted: AdmittedPayload, _ own: borrowing OwnSession, _ spread: borrowing Spread,
        _ crowd: inout CrowdPresence, _ intake: inout Intake, _ router: inout MessageRouter,
        _ environment: Environment, _ effects: inout Effects
    ) {
        let (payload, isPresence) = (admitted.payload, admitted.payload.type == .presence)
        switch admitted.origin {
        case .live, .roster:
            publish(payload, own, router, &intake, environment, &effects)
            if admitted.isLive, payload.isBridged, let peer = admitted.link?.peer {
                effects.append(.recordPath(to: payload.author, via: peer))
                if isPresence { router.resendUnacknowledged(to: payload.author) }
            }
            if isPresence { reportBridge(of: payload.author, router.roster, environment, &effects) }
        case .history:
            if mayPublish(history: payload, environment) {
                publish(payload, own, router, &intake, environment, &effects)
            }
        case .broker(let neighbour, isHistory: false):
            effects.append(.recordPath(to: payload.author, via: neighbour))
            if isPresence {
                bridge?.keep(presence: payload)
                router.resendUnacknowledged(to: payload.author)
            }
            if environment.isCrowd, isPresence {
                if bridge?.isToPass(payload, now: environment.now) == true {
                    crowd.spread(bridged: payload, environment, &effects)
                }
            } else if !spread.takes(payload, isRelayed: true, router) {
                let selector = LinkSelector.others(than: nil, notTo: payload.author)
                effects.append(.deliver(BridgeGate.delivery(of: payload), to: selector))
            }
        case .direct, .sealed, .broker(_, isHistory: true): break
        }
    }

    private static func consents(_ author: PeerID, _ roster: borrowing Roster, _ environment: Environment) -> Bool {
        author == environment.me ? environment.consentsToBridges : roster.bridging(of: author).consents
    }
}

/// Payloads of other networks.
extension BridgeGate {
    /// Handles an event of the broker.
    ///
    /// - Returns: the payload of a delivery if it was admitted.
    mutating func receive(
        _ event: BridgeEvent, _ own: borrowing OwnSession, _ intake: inout Intake, _ crowd: inout CrowdPresence,
        _ router: inout MessageRouter, _ connections: Connections, _ environment: Environment,
        _ effects: inout Effects
    ) -> AdmittedPayload? {
        append(bridge?.handle(event, now: environment.now), &effects)
        switch event {
        case .connected: renewPresence(&crowd, &router, environment, &effects)
        case .delivered(let delivery):
            switch delivery.content {
            case .payload(let certificate, let bytes):
                return receive(
                    certificate, bytes, isHistory: delivery.isHistory, own, &intake, connections, environment, &effects)
            case .sealed(let body):
                if let neighbour { effects.append(.bridge(.receiveSealed(body, from: neighbour))) }
            case .greeting: append(bridge?.greeted(now: environment.now), &effects)
            }
        case .disconnected, .blocked, .unblocked, .confirmed, .refused: break
        }
        return nil
    }

    /// Takes in a payload of another network, unless it is a presence that is held: if its author is in this network, it comes by
    /// itself meanwhile.
    private mutating func receive(
        _ certificate: [UInt8], _ bytes: [UInt8], isHistory: Bool, _ own: borrowing OwnSession,
        _ intake: inout Intake, _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        do throws(DropReason) {
            let frame = try PayloadFrame(bytes.span)
            // Another bridge has published it.
            bridge?.recordSeen(frame.id)
            guard environment.isCrowd ? frame.type == .presence : frame.isPresenceOfCrowd else {
                return admit(frame, certificate, isHistory: isHistory, own, &intake, connections, environment, &effects)
            }
            bridge?.hold(certificate, bytes, now: environment.now)
            effects.append(.arm(.bridge))
        } catch {
            intake.refuse(malformed: error)
            bridge?.refused += 1
        }
        return nil
    }

    /// Takes in a presence that was held, unless its author is here: another bridge of this network published it, and the links
    /// bring it.
    ///
    /// - Returns: the payload if it was admitted.
    mutating func receive(
        held bytes: [UInt8], _ certificate: [UInt8], _ own: borrowing OwnSession, _ intake: inout Intake,
        _ roster: borrowing Roster, _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        guard let frame = try? PayloadFrame(bytes.span), !roster.isHere(frame.author) else { return nil }
        return admit(frame, certificate, isHistory: false, own, &intake, connections, environment, &effects)
    }

    private mutating func admit(
        _ frame: borrowing PayloadFrame, _ certificate: [UInt8], isHistory: Bool, _ own: borrowing OwnSession,
        _ intake: inout Intake, _ connections: Connections, _ environment: Environment, _ effects: inout Effects
    ) -> AdmittedPayload? {
        let author = learn(certificate, own, &intake, connections, environment, &effects)
        guard let author, let neighbour, isHistory || author == frame.author else {
            bridge?.refused += 1
            return nil
        }
        guard author != environment.me else { return nil }
        let admitted = intake.receive(bridged: frame, over: neighbour, isHistory: isHistory, environment, &effects)
        if admitted == nil { bridge?.refused += 1 }
        return admitted
    }

    /// Takes in the certificate of an author in another network.
    ///
    /// - Returns: its identity; nil for one that is false, superseded, or one too many.
    private func learn(
        _ bytes: [UInt8], _ own: borrowing OwnSession, _ intake: inout Intake, _ connections: Connections,
        _ environment: Environment, _ effects: inout Effects
    ) -> PeerID? {
        if let known = intake.knownCertificate(bytes, environment) { return known.identity }
        guard let certificate = try? intake.readCertificate(bytes.span, environment) else { return nil }
        return learn(certificate, own, &intake, connections, environment, &effects) ? certificate.identity : nil
    }

    /// As above, of a verified certificate.
    ///
    /// - Returns: false for one that is superseded, or one too many.
    func learn(
        _ certificate: Certificate, _ own: borrowing OwnSession, _ intake: inout Intake, _ connections: Connections,
        _ environment: Environment, _ effects: inout Effects
    ) -> Bool {
        if certificate.identity == environment.me {
            if !certificate.isOfSameRun(as: own.certificate) { effects.append(.receiveOwn(certificate)) }
            return true
        }
        guard let neighbour else { return false }
        return intake.learn(
            certificate, from: neighbour, isBridge: true, on: nil, connections, environment, &effects)
    }

    /// Sends the presences of other networks to the peer of a new link. In a crowd the rosters have them.
    func introduceElsewhere(
        on link: ConnectionID, _ roster: borrowing Roster, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let bridge, !environment.isCrowd else { return }
        for author in roster.elsewhere.sorted() {
            guard let presence = bridge.presence(of: author) else { continue }
            effects.append(.deliver(BridgeGate.delivery(of: presence), to: .link(link)))
        }
    }

    private static func delivery(of payload: VerifiedPayload) -> PayloadDelivery {
        PayloadDelivery(
            frame: payload.frame(hops: 2), type: nil, certificate: .before(payload.author), isOptional: true)
    }

    /// Tells a new crowd of each author again.
    mutating func forgetPassed() { bridge?.forgetPassed() }
}

/// Reports to the user.
extension BridgeGate {
    /// Tells the user when the first bridge of the room comes, and begins to renew the presence.
    ///
    /// - Parameter author: of a presence that was routed.
    mutating func reportBridge(
        of author: PeerID, _ roster: borrowing Roster, _ environment: Environment, _ effects: inout Effects
    ) {
        guard !isReported, roster.bridging(of: author).isBridge, let first = roster.bridges.first else { return }
        isReported = true
        let phrase: Phrase = environment.consentsToBridges ? .roomBridgedOn : .roomBridgedOff
        effects.append(.report(.notice(.roomBridged, Sentence(phrase, roster.who(first).displayName))))
        if !isBridge { scheduleRenewal(environment, &effects) }
    }

    /// The presence is sent to the bridges every minute, as long as there are any: other networks forget it after three. In a crowd
    /// bridges get those that go through the room every ten minutes.
    mutating func scheduleRenewal(_ environment: Environment, _ effects: inout Effects) {
        let pause = Limits.bridgedPresenceRenewal.spread(using: &randomness)
        effects.append(.schedule(.renewBridgedPresence, at: environment.now + pause))
    }

    /// Sends the presence to the bridges, and does so again in a minute; tells the user when the last bridge of the room has gone.
    mutating func renew(
        _ crowd: inout CrowdPresence, _ router: inout MessageRouter, _ environment: Environment,
        _ effects: inout Effects
    ) {
        guard environment.isRunning else { return }
        guard isBridged(router.roster) else {
            isReported = false
            return effects.append(.report(.notice(.roomUnbridged, Sentence(.roomUnbridged))))
        }
        if !environment.isCrowd { renewPresence(&crowd, &router, environment, &effects) }
        scheduleRenewal(environment, &effects)
    }

    private func renewPresence(
        _ crowd: inout CrowdPresence, _ router: inout MessageRouter, _ environment: Environment,
        _ effects: inout Effects
    ) {
        guard environment.consentsToBridges else { return }
        let presence: VerifiedPayload
        if environment.isCrowd {
            presence = crowd.presenceForLink(environment, router: &router)
        } else {
            presence = router.signPresence(at: environment.moment)
            let delivery = PayloadDelivery(frame: presence.signed.frame(hops: 0), type: .presence)
            for peer in router.roster.bridges { effects.append(.deliver(delivery, to: .peer(peer))) }
        }
        effects.append(.bridge(.publish(presence)))
    }

    /// The state of this node's bridge; nil if it has none.
    var state: Sentence? {
        guard let bridge else { return nil }
        if let broker = bridge.broker {
            return bridge.obstacle.map { Sentence(.bridgeBlocked, broker, $0) } ?? Sentence(.bridgeConnected, broker)
        }
        return bridge.fault ?? Sentence(.bridgeConnecting)
    }

    /// Empty unless this node is a bridge.
    var counters: [Counter] {
        guard let bridge else { return [] }
        return [
            Counter(.bridgeConnected, bridge.broker == nil ? 0 : 1),
            Counter(.bridgeBlocked, bridge.obstacle == nil ? 0 : 1),
            Counter(.bridgeWaiting, bridge.waiting),
            Counter(.bridgeConnections, bridge.connections),
            Counter(.bridgePublished, bridge.published),
            Counter(.bridgeReceived, bridge.received),
            Counter(.bridgeRefused, bridge.refused),
            Counter(.bridgeWithoutConsent, bridge.withoutConsent),
            Counter(.bridgeDropped, bridge.dropped),
        ]
    }
}

extension Limits {
    /// From one presence to the next of an author that consents, while a bridge is here; up to a fifth more or less, at random. A longer one needs a longer
    /// `bridgedPresenceTime`; a shorter one costs every broker and network more.
    static let bridgedPresenceRenewal = Duration.seconds(60)
}
