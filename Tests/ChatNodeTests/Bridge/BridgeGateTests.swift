import Chat
import Noise
import Phrases
import Testing
import Wire

@testable import ChatNode

/// Reports of bridges to the user, and how far bridges are believed, as a value without links.
final class BridgeGateTests {
    private static let me = ChoiceTown.peer(0)
    private var gate = BridgeGate(NodeConfiguration(), randomness: .seeded(8))

    private func environment(consents: Bool = false, mode: RoomMode = .mesh) -> Environment {
        let moment = Moment(instant: Instant(nanoseconds: 0), wallClock: Timestamp(milliseconds: 1_800_000_000_000))
        return Environment(
            moment: moment, me: BridgeGateTests.me, mode: mode, consentsToBridges: consents, isRunning: true)
    }

    /// The only peer in a roster.
    private var peer: PeerID {
        var randomness = Randomness.seeded(35)
        return Identity.generate(using: &randomness).id
    }

    /// A router that knows one peer, which is a bridge or not.
    private func router(isBridge: Bool) -> MessageRouter {
        var (ours, theirs) = (Randomness.seeded(34), Randomness.seeded(35))
        let moment = environment().moment
        var other = UserSession(
            identity: Identity.generate(using: &theirs), room: Room.lobby.id, epoch: 1, nickname: "otter",
            bridging: Bridging(consents: true, isBridge: isBridge))
        var router = MessageRouter(
            session: UserSession(
                identity: Identity.generate(using: &ours), room: Room.lobby.id, epoch: 1, nickname: "heron"))
        _ = router.linkOpened(other.id, at: moment)
        _ = router.route(other.signPresence(at: moment.wallClock), at: moment)
        return router
    }

    private func notices(_ effects: Effects) -> [NoticeCode] {
        effects.list.compactMap { if case .report(.notice(let code, _)) = $0 { code } else { nil } }
    }

    private func renewals(_ effects: Effects) -> Int {
        effects.list.count { if case .schedule(.renewBridgedPresence, _) = $0 { true } else { false } }
    }

    @Test func `the user hears once of the first bridge, once of its end, and again of the next`() {
        var (crowd, effects) = (CrowdPresence(randomness: .seeded(37)), Effects())
        var bridged = router(isBridge: true)
        var unbridged = router(isBridge: false)
        for _ in 0..<2 { gate.reportBridge(of: peer, bridged.roster, environment(), &effects) }
        #expect(notices(effects) == [.roomBridged])
        #expect(renewals(effects) == 1)
        gate.renew(&crowd, &bridged, environment(), &effects)
        #expect(renewals(effects) == 2)
        gate.renew(&crowd, &unbridged, environment(), &effects)
        #expect(renewals(effects) == 2)
        gate.reportBridge(of: peer, bridged.roster, environment(), &effects)
        #expect(notices(effects) == [.roomBridged, .roomUnbridged, .roomBridged])
    }

    @Test func `a bridge is believed by its own word, in a crowd by that of any, and trusted by consent`() {
        let bridged = router(isBridge: true)
        let unbridged = router(isBridge: false)
        let other = ChoiceTown.peer(2)
        let standings = [
            gate.standing(of: peer, bridged.roster, environment()),
            gate.standing(of: peer, bridged.roster, environment(consents: true)),
            gate.standing(of: other, bridged.roster, environment(consents: true)),
            gate.standing(of: other, bridged.roster, environment(mode: .overlay)),
            gate.standing(of: peer, unbridged.roster, environment(consents: true, mode: .overlay)),
        ]
        #expect(standings == [.known, .trusted, .unknown, .known, .unknown])
    }
}
