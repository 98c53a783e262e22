import Chat
import ChatNode
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Payloads of the room that were refused for their time alone (Protocol.md section 7).
struct UntimelyRefusalTests {
    private let start = Instant(nanoseconds: 0)

    private func peer(_ number: UInt8) throws -> PeerID {
        try #require(PeerID([UInt8](repeating: number, count: 32)))
    }

    @Test func `a payload is open when its time has come, and all are when the clock has moved`() throws {
        var refusals = UntimelyRefusals()
        let (alice, bob) = (try peer(1), try peer(2))
        refusals.refuse(1, from: alice, wait: .seconds(5), now: start)
        refusals.refuse(2, from: alice, wait: nil, now: start)
        refusals.refuse(3, from: alice, wait: .seconds(86_400), now: start)
        refusals.recordListing(of: [2, 9], by: bob)
        #expect(refusals.nextDeadline == start + .seconds(5))
        #expect(refusals.takeDue(now: start + .seconds(4)).isEmpty)
        #expect(refusals.takeDue(now: start + .seconds(5)).map(\.id) == [1])
        #expect(!refusals.contains(1) && refusals.contains(2) && refusals.contains(3))
        refusals.closed(to: alice)
        let open = refusals.takeAll()
        #expect(open.map(\.id) == [2] && open.map(\.peers) == [[bob]])
        #expect(refusals.count == 0 && refusals.nextDeadline == nil)
    }

    @Test func `a neighbour that gives many displaces its own`() throws {
        var refusals = UntimelyRefusals()
        let (alice, mallory) = (try peer(1), try peer(2))
        refusals.refuse(1, from: alice, wait: nil, now: start)
        for id in 2..<2_000 as Range<UInt64> { refusals.refuse(id, from: mallory, wait: nil, now: start) }
        #expect(refusals.count == Limits.offeredPayloads)
        #expect(refusals.contains(1) && refusals.contains(1_999))
    }

    @Test func `history that a node refused because of its own clock comes once that is set right`() throws {
        let simulation = Simulation(seed: 31)
        let alice = simulation.node("alice")
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        try alice.say("before")
        simulation.advance(by: .seconds(1))
        let carol = simulation.node("carol", clockError: .seconds(-7_200))
        try #require(simulation.meet(alice, bob, carol))
        simulation.advance(by: .seconds(60))
        #expect(carol.texts() == [])
        carol.setClock(error: .zero)
        simulation.advance(by: .seconds(70))
        #expect(carol.texts() == ["before"])
        #expect(carol.counter("wants_sent") < 10)
    }

    @Test func `a message that was said ahead of the time comes when its time has come`() throws {
        let simulation = Simulation(seed: 32)
        let alice = simulation.node("alice", clockError: .seconds(400))
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        try alice.say("early")
        simulation.advance(by: .seconds(1))
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        simulation.advance(by: .seconds(60))
        #expect(carol.texts() == [])
        simulation.advance(by: .seconds(60))
        #expect(carol.texts() == ["early"])
    }
}
