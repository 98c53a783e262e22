import Chat
import Noise
import Testing
import Wire

@testable import ChatNode

/// The parts of a node that a payload passes on its way in, with links that have no network.
final class PartsBench {
    typealias Result = (payload: AdmittedPayload?, effects: [Effect])

    let bench = LinkBench()
    /// Our certificate with the dm key of `mail`.
    let ours: Certificate
    /// To the peer of seed 1.
    let link: LinkInfo
    var intake: Intake
    var history: HistoryExchange
    var spread = Spread(randomness: .seeded(31))
    var finder = Finder(randomness: .seeded(32))
    var crowd = CrowdPresence(randomness: .seeded(33))
    var mail: SealedMail
    var bridge: BridgeGate
    var own: OwnSession
    var router: MessageRouter

    init(isBridge: Bool = false) {
        var configuration = NodeConfiguration()
        var randomness = Randomness.seeded(34)
        if isBridge { configuration.bridge = BridgeSetup(key: BridgeKey(using: &randomness), port: NoPort()) }
        link = bench.link(to: 1)
        intake = Intake(configuration, me: bench.me, now: bench.start)
        history = HistoryExchange(me: bench.me, isShared: true)
        mail = SealedMail(configuration, me: bench.me, randomness: .seeded(35), now: bench.start)
        ours = PartsBench.certificate(of: 7_000, dm: mail.publicKey)
        mail.record(ours)
        bridge = BridgeGate(configuration, randomness: .seeded(8))
        let key = StaticKey(KeyPair.generate(using: &randomness))
        own = OwnSession(LinkContext(certificate: bench.certificate, staticKey: key, room: Room.lobby))
        router = MessageRouter(session: PartsBench.session(of: 7_000))
    }

    /// A session of the identity of a seed.
    static func session(of seed: UInt64, bridging: Bridging = Bridging()) -> UserSession {
        var randomness = Randomness.seeded(seed)
        return UserSession(
            identity: Identity.generate(using: &randomness), room: Room.lobby.id, epoch: 1, nickname: "otter",
            bridging: bridging)
    }

    /// The certificate of a session.
    static func certificate(of seed: UInt64, dm: PublicKey? = nil) -> Certificate {
        var runs = Runs(identitySeed: seed)
        return runs.certificate(epoch: 1, dm: dm)
    }

    /// The key of the first certificate of a seed with ours.
    func key(of seed: UInt64) throws -> DirectKey {
        let key = DirectKey(of: Runs.firstDM(identitySeed: seed), PartsBench.certificate(of: seed), with: ours)
        return try #require(key)
    }

    /// The frame of a direct payload to us.
    func directFrame(_ payload: VerifiedPayload, of seed: UInt64) throws -> [UInt8] {
        payload.signed.directFrame(under: try key(of: seed), from: PartsBench.certificate(of: seed), to: ours)
    }

    /// Stands for this node's bridge.
    var bridgePeer: PeerID? { bridge.neighbour }

    func value(_ metric: Metric) -> Int? {
        (intake.counters + bridge.counters).first { $0.metric == metric }?.value
    }

    /// Takes a frame on the link, type byte first.
    func receive(_ frame: [UInt8], _ mode: RoomMode = .mesh) -> Result {
        var effects = Effects()
        let body = Array(frame.dropFirst())
        let payload = intake.receive(
            body.span, on: link, &history, &spread, &finder, &crowd, bridge, &router, bench.links, own,
            bench.environment(mode), &effects)
        return (payload, effects.list)
    }

    func receiveDirect(_ frame: [UInt8]) -> Result {
        var effects = Effects()
        let body = Array(frame.dropFirst())
        let payload = intake.receiveDirect(
            body.span, on: link, &mail, &finder, bench.links, bench.environment(.mesh), &effects)
        return (payload, effects.list)
    }

    func receiveRoster(_ frame: [UInt8]) -> Result {
        var effects = Effects()
        let body = Array(frame.dropFirst())
        let payload = intake.receiveRoster(
            body.span, on: link, &crowd, &spread, &finder, bridge, router.roster, bench.links.connections,
            bench.environment(.overlay), &effects)
        return (payload, effects.list)
    }

    func receiveSealed(_ frame: [UInt8]) -> Result {
        var effects = Effects()
        let body = Array(frame.dropFirst())
        let payload = intake.receiveSealed(
            body.span, on: link, &mail, &crowd, &bridge, own, router.roster, bench.links.connections,
            bench.environment(.mesh), &effects)
        return (payload, effects.list)
    }

    /// Takes a payload from the broker, with a certificate.
    func deliver(
        _ payload: VerifiedPayload, with certificate: Certificate, isHistory: Bool = false, _ mode: RoomMode = .mesh
    ) -> Result {
        let content = BridgedContent(payload.signed, certificate: certificate)
        return deliver(.delivered(BridgeDelivery(content, tag: nil, isHistory: isHistory)), mode)
    }

    func deliver(_ event: BridgeEvent, _ mode: RoomMode = .mesh) -> Result {
        var effects = Effects()
        let payload = bridge.receive(
            event, own, &intake, &crowd, &router, bench.links.connections, bench.environment(mode), &effects)
        return (payload, effects.list)
    }

    /// The peer of the link offers ids.
    ///
    /// - Returns: the number of requests that this node makes.
    func offer(_ ids: [UInt64]) -> Int {
        guard let peer = link.peer else { return 0 }
        var effects = Effects()
        let body = Array(IDList.frame(.have, ids).dropFirst())
        history.linkOpened(to: peer, from: Giver(peer), bench.environment(.mesh))
        history.receiveHave(
            body.span, on: link, bench.links.connections, archive: router.publicChat, &spread, bench.environment(.mesh),
            &effects)
        return effects.list.count { if case .send = $0 { true } else { false } }
    }

    /// Routes a payload, as before the parts that follow.
    func route(_ payload: VerifiedPayload) { _ = router.route(payload, at: bench.environment(.mesh).moment) }
}
