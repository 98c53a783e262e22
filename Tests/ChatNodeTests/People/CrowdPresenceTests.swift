import Noise
import Testing
import Wire

@testable import Chat
@testable import ChatNode

/// Presence in a crowd, as effects of the part (Protocol.md section 13).
final class CrowdPresenceTests {
    private let bench = LinkBench()
    private var crowd = CrowdPresence(randomness: .seeded(35))
    private var mode = RoomMode.mesh
    private var router: MessageRouter
    private var intake: Intake
    private let links: [LinkInfo]

    init() {
        var identity = Randomness.seeded(7_000)
        let session = UserSession(
            identity: Identity.generate(using: &identity), room: Room.lobby.id, epoch: 1, nickname: "me")
        router = MessageRouter(session: session)
        intake = Intake(NodeConfiguration(), me: bench.me, now: bench.start)
        var links: [LinkInfo] = []
        for seed in 1...4 as ClosedRange<UInt64> { links.append(bench.link(to: seed)) }
        self.links = links
    }

    private func presence(of seed: UInt64) -> VerifiedPayload {
        var randomness = Randomness.seeded(seed)
        var session = UserSession(
            identity: Identity.generate(using: &randomness), room: Room.lobby.id, epoch: 1, nickname: "member")
        return session.signPresence(at: bench.wallClock)
    }

    private func enter(_ mode: RoomMode) -> [Effect] {
        self.mode = mode
        var effects = Effects()
        crowd.enter(bench.environment(mode), links: links, neighbours: Neighbours(), router: &router, &effects)
        return effects.list
    }

    private func receive(
        _ presence: VerifiedPayload, isLive: Bool = true, by number: Int = 0
    ) -> CrowdPresence.Change? {
        var effects = Effects()
        return crowd.receive(
            presence, isLive: isLive, on: links[number], bench.environment(mode), roster: Roster(me: bench.me),
            intake: &intake, &effects)
    }

    private func tick(after time: Duration) -> [Effect] {
        var effects = Effects()
        crowd.tick(
            bench.environment(mode, after: time), links: links, neighbours: Neighbours(), router: &router,
            &effects)
        return effects.list
    }

    @Test func `a node that enters a crowd announces itself on every link, and to bridges`() {
        let effects = enter(.overlay)
        #expect(effects.deliveries.map(\.links) == [links.map(\.id)])
        #expect(effects.contains { if case .bridge(.publish) = $0 { true } else { false } })
        #expect(crowd.isHere(bench.me) && mode.isFolded)
    }

    @Test func `a new presence goes on once, behind it the certificate, and not back to where it came from`() {
        _ = enter(.overlay)
        let new = presence(of: 20)
        let change = receive(new, by: 2)
        #expect(change == CrowdPresence.Change(author: new.author, isHere: true, isBridged: false))
        let repeated = receive(new, by: 3)
        #expect(repeated == nil)
        let deliveries = tick(after: Limits.presenceGathering).deliveries
        #expect(deliveries.count == 1)
        for (delivery, ids) in deliveries {
            #expect(!ids.isEmpty && !ids.contains(links[2].id))
            #expect(delivery.isOptional && delivery.type == .presence)
            guard case .behind(new.author) = delivery.certificate else {
                Issue.record("\(delivery)")
                continue
            }
        }
        let path = crowd.paths[PresencePaths.key(of: new.author)]
        #expect(path == links[2].id)
    }

    @Test(arguments: [RoomMode.overlay, .relaying])
    func `a presence of an answer goes on in a small room alone`(mode: RoomMode) {
        _ = enter(mode)
        let change = receive(presence(of: 20), isLive: false)
        #expect(change?.isHere == true)
        #expect(tick(after: Limits.presenceGathering).deliveries.isEmpty == (mode == .overlay))
    }

    @Test(arguments: [RoomMode.overlay, .relaying], [LinkEnd.goodbye, .lost])
    func `the end of the link that a presence came by ends it in a small room, if the peer ended it`(
        mode: RoomMode, end: LinkEnd
    ) {
        _ = enter(mode)
        let new = presence(of: 1)
        _ = receive(new)
        crowd.lastLinkClosed(of: new.author, links[0].id, end, bench.environment(mode))
        #expect(crowd.isHere(new.author) == (mode == .overlay || end == .lost))
    }

    @Test func `digests are answered by the rate, and nothing is taken that was not asked for`() {
        _ = enter(.overlay)
        let unasked = crowd.takesAnswer(200, on: links[0].id, now: bench.start)
        #expect(!unasked)
        crowd.expectAnswer(on: links[0].id, now: bench.start)
        let asked = crowd.takesAnswer(200, on: links[0].id, now: bench.start)
        #expect(asked)
        for _ in 0..<10 { crowd.receive(RosterDigests(), on: links[1], bench.environment(.overlay)) }
        #expect(crowd.counters.map(\.value) == [10 - Int(Limits.rosterAnswersBurst)])
    }

    private func changeMode(from last: RoomMode, to mode: RoomMode) -> [Effect] {
        var effects = Effects()
        var bridge = BridgeGate(NodeConfiguration(), randomness: .seeded(8))
        var mail = SealedMail(NodeConfiguration(), me: bench.me, randomness: .seeded(36), now: bench.start)
        crowd.modeChanged(
            from: last, &mail, &bridge, &router, bench.links.connections, Neighbours(), bench.environment(mode),
            &effects)
        return effects.list
    }

    @Test func `a new mode is announced in a crowd alone, and arms its timer in any case`() {
        let entered = changeMode(from: .mesh, to: .overlay)
        #expect(entered.deliveries.map(\.links) == [links.map(\.id)])
        let left = changeMode(from: .overlay, to: .mesh)
        #expect(left.deliveries.isEmpty)
        for effects in [entered, left] {
            #expect(effects.last.map { if case .arm(.crowd) = $0 { true } else { false } } == true)
        }
        // Those who are here are reported one by one again, which a small room did all the time.
        #expect(left.contains { if case .apply = $0 { true } else { false } })
        let fromSmall = changeMode(from: .relaying, to: .mesh)
        #expect(!fromSmall.contains { if case .apply = $0 { true } else { false } })
    }
}
