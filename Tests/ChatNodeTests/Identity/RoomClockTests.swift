import Noise
import Phrases
import Simulator
import Testing
import Wire

@testable import Chat
@testable import ChatNode

@Suite struct RoomClockTests {
    private let ours = Timestamp(milliseconds: 1_800_000_000_000)

    private func peer(_ number: UInt8) throws -> PeerID {
        try #require(PeerID([UInt8](repeating: number, count: 32)))
    }

    private func address(_ number: UInt8) -> Endpoint { Endpoint(address: [192, 0, 2, number], port: 40_000) }

    /// The warnings after each peer has given the offset of our clock, in seconds.
    private func told(_ offsets: [Int], by clock: inout RoomClock, from first: UInt8 = 1) throws -> [Duration?] {
        try offsets.enumerated().map { index, offset in
            let theirs = Timestamp(milliseconds: UInt64(Int(ours.milliseconds) + offset * 1_000))
            let number = first + UInt8(index)
            return clock.record(theirs, of: try peer(number), at: address(number), wallClock: ours)
        }
    }

    @Test func `three peers that measure over a minute of offset lead to one warning`() throws {
        var clock = RoomClock()
        #expect(try told([125, 130, 120, 124], by: &clock) == [nil, nil, .seconds(125), nil])
    }

    @Test(
        arguments: [
            [600, 600], [60, 60, 60], [59, 61, 60], [61, 61, 0, 0], [600, 600, -600], [-600, -600, 600, 600],
            [0, 600, 0, 600, 0, 600], [0, 0, 600, 600, 600], [100, 200, 300, 400],
        ] as [[Int]])
    func `fewer, or less, or not most of them, say nothing`(offsets: [Int]) throws {
        var clock = RoomClock()
        #expect(try told(offsets, by: &clock).allSatisfy { $0 == nil })
    }

    @Test func `a few liars do not move it`() throws {
        var clock = RoomClock()
        #expect(clock.time(at: ours) == ours)
        #expect(try told([0, 1, -1, 2, 90_000, 90_000], by: &clock).allSatisfy { $0 == nil })
    }

    @Test func `a second warning comes only after the clock had been right`() throws {
        var clock = RoomClock()
        #expect(try told([-61, -61, -61], by: &clock) == [nil, nil, .seconds(-61)])
        #expect(try told([-500, -500, -500], by: &clock) == [nil, nil, nil])
        #expect(try told([0, 0, 0], by: &clock) == [nil, nil, nil])
        #expect(try told([-90, -90, -90], by: &clock).contains(.seconds(-90)))
    }

    @Test func `a peer that has gone is not counted`() throws {
        var clock = RoomClock()
        _ = try told([100, 100], by: &clock)
        clock.forget(try peer(1))
        clock.forget(try peer(2))
        #expect(try told([100], by: &clock, from: 3) == [nil])
    }

    @Test func `an offset that neighbours agree on corrects the clock while they are here`() throws {
        var clock = RoomClock()
        _ = try told([600, 601], by: &clock)
        #expect(clock.correction == 0)
        _ = try told([599], by: &clock, from: 3)
        #expect(clock.correction == 600_000)
        #expect(clock.time(at: ours).milliseconds == ours.milliseconds + 600_000)
        _ = try told([-20, 0, 10, 5], by: &clock, from: 4)
        #expect(clock.correction == 0)
        for number in 4...7 as ClosedRange<UInt8> { clock.forget(try peer(number)) }
        #expect(clock.correction == 600_000)
        clock.forget(try peer(1))
        #expect(clock.correction == 0)
    }

    @Test func `seven liars move no clock that an honest neighbour confirms`() throws {
        var clock = RoomClock()
        #expect(try told([1] + [Int](repeating: 7_200, count: 7), by: &clock).allSatisfy { $0 == nil })
        #expect(clock.correction == 0)
        #expect(try told([7_200], by: &clock, from: 20) == [.seconds(7_200)])
        #expect(clock.correction == 7_200_000)
    }

    @Test func `four keys at one address have one vote`() throws {
        var clock = RoomClock()
        for number in 1...4 as ClosedRange<UInt8> {
            let endpoint = Endpoint(address: [192, 0, 2, 9], port: 40_000 + UInt16(number))
            let warning = clock.record(ours.moved(by: 600_000), of: try peer(number), at: endpoint, wallClock: ours)
            #expect(warning == nil)
        }
        #expect(clock.correction == 0)
        #expect(try told([600, 600], by: &clock, from: 5) == [nil, .seconds(600)])
    }

    @Test func `the addresses of one IPv6 network have three votes together`() throws {
        var clock = RoomClock()
        for number in 1...9 as ClosedRange<UInt8> {
            let endpoint = Endpoint(address: [0x20, 1] + [UInt8](repeating: 0, count: 13) + [number], port: 40_000)
            _ = clock.record(ours.moved(by: 600_000), of: try peer(number), at: endpoint, wallClock: ours)
        }
        #expect(clock.correction == 600_000)
        _ = try told([0, 1], by: &clock, from: 20)
        #expect(clock.correction == 0)
    }

    @Test func `three sources correct no more than a day, and six any time`() throws {
        var clock = RoomClock()
        #expect(try told([86_000, 86_000, 86_000], by: &clock).last == .seconds(86_000))
        #expect(clock.correction == 86_000_000)
        var liars = RoomClock()
        #expect(try told([90_000, 90_000, 90_000], by: &liars).last == .seconds(90_000))
        #expect(liars.correction == 0)
        _ = try told([90_000, 90_000, 90_000], by: &liars, from: 4)
        #expect(liars.correction == 90_000_000)
    }

    @Test func `a clock that is set is noticed, one that drifts is not, and the votes are asked for anew`() throws {
        var clock = RoomClock()
        func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
        var news = [clock.wasSet(ours, now: at(0)), clock.hasMoved(ours, now: at(0))]
        _ = try told([600, 600, 600], by: &clock)
        news += [clock.hasMoved(ours, now: at(0)), clock.hasMoved(ours, now: at(0))]
        #expect(news == [false, false, true, false])
        news = [clock.wasSet(ours.moved(by: 1_050_000), now: at(1_000))]
        #expect(clock.correction == 600_000)
        let set = ours.moved(by: 1_650_000)
        news += [clock.wasSet(set, now: at(1_000)), clock.wasSet(set, now: at(1_000))]
        #expect(clock.correction == 0)
        // The corrected clock did not move: it was right before.
        news += [clock.hasMoved(set, now: at(1_000))]
        #expect(news == [false, true, false, false])
    }

    @Test func `times at both ends of what can be said do no harm`() throws {
        var clock = RoomClock()
        for time in [0, .max, 1, .max - 1] as [UInt64] {
            for number in 1...5 as ClosedRange<UInt8> {
                let limit = Timestamp(milliseconds: time)
                _ = clock.record(limit, of: try peer(number), at: address(number), wallClock: ours)
                _ = clock.record(ours, of: try peer(number), at: address(number), wallClock: limit)
                _ = clock.time(at: limit)
            }
        }
    }

    @Test func `the warning says how much and which way`() {
        #expect(RoomClock.warning(.seconds(125)).text(in: .english).contains("seems to be 2 min 5 s behind those"))
        #expect(RoomClock.warning(.seconds(-3_780)).text(in: .english).contains("seems to be 1 h 3 min ahead of those"))
        #expect(RoomClock.warning(.seconds(86_400)).text(in: .english).contains("seems to be 1 d behind those"))
    }

    @Test func `the warning names a consequence that users can observe`() {
        let warning = RoomClock.warning(.seconds(125)).text(in: .english)
        #expect(!warning.contains("relay"))
        #expect(warning.contains("history"))
    }

    @Test(arguments: [-3_600, -65, 65, 3_600])
    func `a node with a wrong clock is warned once, and everything else works`(seconds: Int) throws {
        let simulation = Simulation(seed: UInt64(10_000 + seconds))
        let wrong = simulation.node("wrong", clockError: .seconds(seconds))
        let (bob, carol, dave) = (simulation.node("bob"), simulation.node("carol"), simulation.node("dave"))
        try #require(simulation.meet(wrong, bob, carol, dave))
        simulation.advance(by: .seconds(5))
        #expect(wrong.notices(.clockSkew).count == 1)
        #expect([bob, carol, dave].allSatisfy { $0.notices(.clockSkew).isEmpty })
        try wrong.say("what time is it?")
        simulation.advance(by: .seconds(1))
        try bob.say("never mind")
        try wrong.say("may I?", to: bob)
        simulation.advance(by: .seconds(1))
        try bob.accept(wrong)
        simulation.advance(by: .seconds(1))
        #expect(carol.texts() == ["what time is it?", "never mind"])
        #expect(wrong.texts().contains("never mind"))
        #expect(bob.texts(.direct(wrong.key)) == ["may I?"])
    }

    @Test(arguments: [RoomMode.mesh, .overlay])
    func `a clock that was set asks each neighbour, and is signed anew in a crowd`(mode: RoomMode) {
        let (bench, me) = (LinkBench(), ChoiceTown.peer(0))
        _ = (bench.link(to: 1), bench.link(to: 2))
        var identity = Randomness.seeded(7_000)
        var router = MessageRouter(
            session: UserSession(
                identity: Identity.generate(using: &identity), room: Room.lobby.id, epoch: 1, nickname: "me"))
        var (clock, history) = (RoomClock(), HistoryExchange(me: me, isShared: true))
        var spread = Spread(randomness: .seeded(35))
        func watch(aheadBy milliseconds: Int64) -> [Effect] {
            let moment = Moment(instant: bench.start, wallClock: bench.wallClock.moved(by: milliseconds))
            let environment = Environment(moment: moment, me: me, mode: mode, isRunning: true)
            var effects = Effects()
            clock.watch(bench.links.connections, &router, &history, &spread, environment, &effects)
            return effects.list
        }
        #expect(watch(aheadBy: 0).isEmpty && watch(aheadBy: 59_000).isEmpty)
        let effects = watch(aheadBy: 600_000)
        let asked = effects.count {
            if case .send(let frame, _) = $0 { frame[0] == FrameType.clock.rawValue } else { false }
        }
        let signed = effects.count { if case .sendSigned = $0 { true } else { false } }
        #expect(asked == 2 && signed == (mode == .overlay ? 1 : 0))
    }

    @Test(arguments: [-59, 0, 59]) func `a clock that is nearly right is not talked about`(seconds: Int) throws {
        let simulation = Simulation(seed: UInt64(20_000 + seconds))
        let nearly = simulation.node("nearly", clockError: .seconds(seconds))
        let (bob, carol, dave) = (simulation.node("bob"), simulation.node("carol"), simulation.node("dave"))
        try #require(simulation.meet(nearly, bob, carol, dave))
        simulation.advance(by: .seconds(5))
        #expect(nearly.notices(.clockSkew).isEmpty)
    }
}

extension SimulatedPeer {
    /// The texts of the notices of a kind.
    func notices(_ code: NoticeCode) -> [String] {
        events.compactMap { if case .notice(code, let sentence) = $0 { sentence.text(in: .english) } else { nil } }
    }

    /// Why it stopped; nil while it runs.
    var stopReason: StopReason? {
        events.compactMap { if case .stopped(let reason) = $0 { reason } else { nil } }.last
    }
}
