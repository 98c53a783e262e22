import Chat
import Phrases
import Simulator
import Testing
import Wire

@testable import ChatNode

@Suite struct ClockSkewTests {
    private let ours = Timestamp(milliseconds: 1_800_000_000_000)

    private func peer(_ number: UInt8) throws -> PeerID {
        try #require(PeerID([UInt8](repeating: number, count: 32)))
    }

    /// The warnings after each peer has given the offset of our clock, in seconds.
    private func told(_ offsets: [Int], by skew: inout ClockSkew, from first: UInt8 = 1) throws -> [Duration?] {
        try offsets.enumerated().map { index, offset in
            let theirs = Timestamp(milliseconds: UInt64(Int(ours.milliseconds) + offset * 1_000))
            return skew.note(theirs, of: try peer(first + UInt8(index)), wallClock: ours)
        }
    }

    @Test func `three peers that measure over a minute of offset lead to one warning`() throws {
        var skew = ClockSkew()
        #expect(try told([125, 130, 120, 124], by: &skew) == [nil, nil, .seconds(125), nil])
    }

    @Test(
        arguments: [
            [600, 600], [60, 60, 60], [61, 61, 60], [61, 61, 0, 0], [600, 600, -600], [-600, -600, 600, 600],
            [0, 600, 0, 600, 0, 600],
        ] as [[Int]])
    func `fewer, or less, or not most of them, say nothing`(offsets: [Int]) throws {
        var skew = ClockSkew()
        #expect(try told(offsets, by: &skew).allSatisfy { $0 == nil })
    }

    @Test func `a few liars do not move it`() throws {
        var skew = ClockSkew()
        #expect(try told([0, 1, -1, 2, 90_000, 90_000], by: &skew).allSatisfy { $0 == nil })
    }

    @Test func `a second warning comes only after the clock had been right`() throws {
        var skew = ClockSkew()
        #expect(try told([-61, -61, -61], by: &skew) == [nil, nil, .seconds(-61)])
        #expect(try told([-500, -500, -500], by: &skew) == [nil, nil, nil])
        #expect(try told([0, 0, 0], by: &skew) == [nil, nil, nil])
        #expect(try told([-90, -90, -90], by: &skew).contains(.seconds(-90)))
    }

    @Test func `a peer that has gone is not counted`() throws {
        var skew = ClockSkew()
        _ = try told([100, 100], by: &skew)
        skew.forget(try peer(1))
        skew.forget(try peer(2))
        #expect(try told([100], by: &skew, from: 3) == [nil])
    }

    @Test func `times at both ends of what can be said do no harm`() throws {
        var skew = ClockSkew()
        for time in [0, .max, 1, .max - 1] as [UInt64] {
            for number in 1...5 as ClosedRange<UInt8> {
                _ = skew.note(Timestamp(milliseconds: time), of: try peer(number), wallClock: ours)
                _ = skew.note(ours, of: try peer(number), wallClock: Timestamp(milliseconds: time))
            }
        }
    }

    @Test func `the warning says how much and which way`() {
        #expect(ClockSkew.warning(.seconds(125)).text(in: .english).contains("seems to be 2 min 5 s behind those"))
        #expect(ClockSkew.warning(.seconds(-3_780)).text(in: .english).contains("seems to be 1 h 3 min ahead of those"))
        #expect(ClockSkew.warning(.seconds(86_400)).text(in: .english).contains("seems to be 1 d behind those"))
    }

    @Test func `the warning names a consequence that users can observe`() {
        let warning = ClockSkew.warning(.seconds(125)).text(in: .english)
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
