import Chat
import Noise
import Phrases
import Wire

/// Decides which payloads leave this network and come from others, by consent, and tells the user of bridges (Docs/Bridge.md).
struct BridgeGate {
    /// Nil unless this node carries the room to other networks.
    private var bridge: RoomBridge?
    /// The user knows that the room is bridged.
    private var isReported = false

    init(_ configuration: NodeConfiguration) { bridge = RoomBridge(configuration) }

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

    func nextDeadline(now: Instant) -> Instant? { bridge?.nextDeadline(now: now) }

    mutating func tick(_ environment: Environment, _ effects: inout Effects) {
        guard environment.isRunning else { return }
        append(bridge?.due(environment.now), &effects)
    }

    private func append(_ orders: [RoomBridge.Order]?, _ effects: inout Effects) {
        guard let orders else { return }
        for order in orders {
            switch order {
            case .publish(let due): effects.append(.publish(due))
            case .notice(let code, let sentence): effects.append(.warn(code, sentence))
            case .receive(let certificate, let frame):
                effects.append(.receiveHeld(certificate: certificate, frame: frame))
            }
        }
        effects.append(.arm(.bridge))
    }
}

/// Publications of this node's bridge.
extension BridgeGate {
    /// Publishes a payload of this network, if its author consents; to be called when it is routed. Counts it otherwise.
    mutating func publish(
        _ payload: VerifiedPayload, _ own: OwnSession, _ router: borrowing MessageRouter, _ intake: inout Intake,
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
            let isFirst = bridge?.isFirst(environment.me, for: payload.id, among: others) ?? false
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

    /// The presence that came before its author's certificate; nil if there is none.
    mutating func takeUncertified(_ author: PeerID) -> VerifiedPayload? { bridge?.takeUncertified(author) }

    private static func consents(_ author: PeerID, _ roster: borrowing Roster, _ environment: Environment) -> Bool {
        author == environment.me ? environment.consentsToBridges : roster.bridging(of: author).consents
    }
}

/// Payloads of other networks.
extension BridgeGate {
    /// An event of the broker.
    mutating func handle(_ event: BridgeEvent, _ environment: Environment, _ effects: inout Effects) {
        append(bridge?.handle(event, now: environment.now), &effects)
    }

    /// Another bridge has come.
    mutating func greeted(_ environment: Environment, _ effects: inout Effects) {
        append(bridge?.greeted(now: environment.now), &effects)
    }

    /// A payload came from the broker: another bridge has published it.
    ///
    /// - Returns: false if the payload is a presence that is held: if its author is in this network, it comes by itself meanwhile.
    mutating func receive(
        _ frame: borrowing PayloadFrame, _ certificate: [UInt8], _ environment: Environment, _ effects: inout Effects
    ) -> Bool {
        bridge?.recordSeen(frame.id)
        guard environment.isCrowd ? frame.type == .presence : frame.isPresenceOfCrowd else { return true }
        bridge?.hold(certificate, [UInt8](copying: frame.body), now: environment.now)
        effects.append(.arm(.bridge))
        return false
    }

    /// Counts a payload from the broker that was refused.
    mutating func refuse() { bridge?.refused += 1 }

    /// Keeps the latest presence of an author in another network, for later links.
    mutating func keep(presence: VerifiedPayload) { bridge?.keep(presence: presence) }

    /// Tells the peer of a new link of the people in other networks. In a crowd rosters tell it.
    func introduceElsewhere(
        on link: ConnectionID, _ roster: borrowing Roster, _ environment: Environment, _ effects: inout Effects
    ) {
        guard let bridge, !environment.isCrowd else { return }
        for author in roster.elsewhere.sorted() {
            guard let presence = bridge.presence(of: author) else { continue }
            effects.append(.deliver(BridgeGate.delivery(of: presence), to: .link(link)))
        }
    }

    /// Passes a payload from another network on to all links.
    static func passOn(_ payload: VerifiedPayload, _ effects: inout Effects) {
        effects.append(.deliver(delivery(of: payload), to: .others(than: nil, notTo: payload.author)))
    }

    private static func delivery(of payload: VerifiedPayload) -> PayloadDelivery {
        PayloadDelivery(
            frame: payload.frame(hops: 2), type: nil, certificate: .before(payload.author), isOptional: true)
    }

    /// True if a presence from another network goes into this crowd.
    mutating func passesIntoCrowd(_ presence: VerifiedPayload, _ environment: Environment) -> Bool {
        bridge?.isToPass(presence, now: environment.now) == true
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
        if !isBridge { BridgeGate.scheduleRenewal(environment, &effects) }
    }

    /// The presence is sent to the bridges every minute, as long as there are any: other networks forget it after three. In a crowd
    /// bridges get those that go through the room every ten minutes.
    static func scheduleRenewal(_ environment: Environment, _ effects: inout Effects) {
        effects.append(.schedule(.renewBridgedPresence, at: environment.now + Limits.bridgedPresenceRenewal))
    }

    /// Tells the user when the last bridge of the room has gone.
    ///
    /// - Returns: whether there is a bridge that the presence is renewed for.
    mutating func reviewBridges(_ roster: borrowing Roster, _ effects: inout Effects) -> Bool {
        if isBridged(roster) { return true }
        isReported = false
        effects.append(.report(.notice(.roomUnbridged, Sentence(.roomUnbridged))))
        return false
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

extension PayloadType {
    /// True for payloads that bridges publish. Typing is not worth it.
    fileprivate var isPublished: Bool {
        self == .presence || self == .publicMessage || self == .edit || self == .delete
    }
}

extension Limits {
    /// From one presence to the next of an author that consents, while a bridge is here. A longer one needs a longer
    /// `bridgedPresenceTime`; a shorter one costs every broker and network more.
    static let bridgedPresenceRenewal = Duration.seconds(60)
}
