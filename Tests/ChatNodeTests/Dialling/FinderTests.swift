import Chat
import Noise
import Phrases
import Testing
import Wire

@testable import ChatNode

/// Candidates, mode and gaps of a node without a link, as effects.
@Suite struct FinderTests {
    private var randomness = Randomness.seeded(35)
    private var finder = Finder(randomness: Randomness.seeded(36))
    private let me = ChoiceTown.peer(0)
    private let bob = ChoiceTown.peer(1)

    private func environment(after time: Duration = .zero, mode: RoomMode = .mesh) -> Environment {
        let moment = Moment(instant: Instant(nanoseconds: 0) + time, wallClock: Timestamp(milliseconds: 0))
        return Environment(moment: moment, me: me, mode: mode, isRunning: true)
    }

    /// Without those that each event has.
    private mutating func discover(_ event: DiscoveryEvent) -> [Effect] {
        var effects = Effects()
        finder.discovered(event, environment(), &effects)
        return effects.list.filter { if case .arm = $0 { false } else if case .reviewRoom = $0 { false } else { true } }
    }

    private mutating func discover(_ number: Int) {
        _ = discover(.found(instance: ChoiceTown.name(number), endpoint: ChoiceTown.address(number), weight: 1))
    }

    private mutating func recordPresence(of peer: PeerID, isHere: Bool) -> [Effect] {
        var effects = Effects()
        finder.recordPresence(
            of: peer, isHere: isHere, isBridged: false, environment(), Connections(me: me), Roster(me: me), &effects)
        return effects.list
    }

    /// The modes that the node changes to, and the orders to discovery about a crowd.
    private mutating func updateMode(_ environment: Environment) -> (modes: [RoomMode], crowds: [Crowd]) {
        var effects = Effects()
        finder.updateMode(
            environment, Connections(me: me), Neighbours(), online: 0, &effects)
        return (
            effects.list.compactMap { if case .setMode(let mode) = $0 { mode } else { nil } },
            effects.list.compactMap { if case .discovery(.crowdChanged(let crowd)) = $0 { crowd } else { nil } }
        )
    }

    /// The effects of a dial of an instance that fails 1 s after it was found.
    private mutating func failDial(of instance: String) -> [Effect] {
        _ = discover(.found(instance: instance, endpoint: ChoiceTown.address(1)))
        let later = environment(after: .seconds(1))
        let connection = ConnectionID(number: 1)
        for dial in finder.dials.due(now: later.now, room: 1) {
            finder.dials.dialled(dial, as: connection, now: later.now, using: &randomness)
        }
        var effects = Effects()
        finder.dialEnded(connection, .refused, later, &effects)
        return effects.list
    }

    @Test mutating func `ready is the first event, and earlier warnings follow it`() {
        #expect(discover(.warning(.noInterface, Sentence(.noInterface))).isEmpty)
        let effects = discover(.mode(.daemon, detail: "x"))
        guard effects.count == 2, case .becomeReady(.daemon) = effects[0],
            case .report(.notice(.noInterface, _)) = effects[1]
        else {
            Issue.record("\(effects)")
            return
        }
        let change = discover(.mode(.embedded, detail: "y"))
        guard change.count == 1, case .report(.notice(.discoveryChanged, _)) = change[0] else {
            Issue.record("\(change)")
            return
        }
    }

    @Test mutating func `a room of 48 nodes becomes an overlay at once, and discovery hears of it`() {
        for number in 1..<Limits.crowdedNodes { discover(number) }
        #expect(updateMode(environment()).modes.isEmpty && !finder.isOverlay)
        discover(Limits.crowdedNodes)
        let (modes, crowds) = updateMode(environment())
        #expect(modes == [.overlay] && finder.isOverlay)
        #expect(crowds == [Crowd(isOverlay: true, known: Limits.crowdedNodes)])
    }

    @Test mutating func `a peer without a link for 2 s makes the node pass payloads on, until the peer leaves`() {
        #expect(recordPresence(of: me, isHere: true).isEmpty)
        _ = recordPresence(of: bob, isHere: true)
        #expect(updateMode(environment(after: .milliseconds(1_999))).modes.isEmpty)
        #expect(updateMode(environment(after: .seconds(2))).modes == [.relaying])
        #expect(recordPresence(of: me, isHere: false).isEmpty)
        let effects = recordPresence(of: bob, isHere: false)
        guard effects.count == 1, case .reviewRoom = effects[0] else {
            Issue.record("\(effects)")
            return
        }
        #expect(updateMode(environment(after: .seconds(3), mode: .relaying)).modes == [.mesh])
    }

    @Test mutating func `the failed dial of an endpoint that a peer told shows 10 to 12 s after it began`() {
        let effects = failDial(of: ContactBook.instance(at: ChoiceTown.address(1)))
        guard effects.count == 2, case .discovery(.dialFailed) = effects[0],
            case .schedule(.recordDialFailure, let end) = effects[1]
        else {
            Issue.record("\(effects)")
            return
        }
        let begun = environment(after: .seconds(1)).now
        #expect(end >= begun + Limits.toldDialTime && end <= begun + Limits.toldDialTime + Limits.toldDialJitter)
    }

    @Test mutating func `the failed dial of an instance of mDNS shows at once`() {
        let effects = failDial(of: ChoiceTown.name(1))
        guard effects.count == 1, case .discovery(.dialFailed) = effects[0] else {
            Issue.record("\(effects)")
            return
        }
    }
}
