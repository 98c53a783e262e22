import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// The disclosures of an open room, as Docs/Threats.md says: known, and accepted.
@Suite struct OpenRoomTests {
    @Test func `a member learns each member's name, whether it is away, its clock and its distance`() throws {
        let simulation = Simulation(seed: 91, latency: .milliseconds(20)...(.milliseconds(20)))
        let bob = simulation.node("bob")
        let alice = simulation.node("alice", clockError: .seconds(-7))
        try #require(simulation.meet(alice, bob))
        alice.with { $0.change(.away(true)) }
        simulation.advance(by: .seconds(40))
        let row = try #require(bob.with { $0.peers() }.first)
        #expect(row.who.key == alice.key)
        #expect(row.who.nickname == "alice")
        #expect(row.who.stage == .newcomer)
        #expect(row.state == .away)
        #expect(row.roundTrip?.milliseconds == 40)
        try alice.say("what time is it?")
        simulation.advance(by: .seconds(1))
        let message = try #require(bob.messages.last)
        // To a second: what a node signs has a random offset.
        #expect((7_000...8_100).contains(message.receivedAt.milliseconds - message.sentAt.milliseconds))
    }

    @Test func `a public message proves its author to peers that never met the author`() throws {
        let here = Simulation(seed: 92)
        let alice = here.node("alice")
        let witness = RudeMember(simulation: here, seed: 77)
        try alice.say("nobody will know")
        try #require(witness.enter(by: alice, in: here))
        here.advance(by: .seconds(1))
        let ids = witness.frames(.have).flatMap { IDList.read($0.span, limit: Limits.offeredPayloads) ?? [] }
        here.timeline.perform { witness.send(IDList.frame(.want, ids)) }
        here.advance(by: .seconds(1))
        let frame = try #require(witness.frames(.payload).first { $0.holds(Array("nobody will".utf8)) })
        // In another world, at the same time, where alice never was.
        let elsewhere = Simulation(seed: 93)
        let carol = elsewhere.node("carol")
        let teller = RudeMember(simulation: elsewhere, seed: 78)
        try #require(teller.enter(by: carol, in: elsewhere))
        // A relayed payload has passed one relay.
        elsewhere.timeline.perform { teller.send([FrameType.payload.rawValue, 1] + frame.dropFirst()) }
        elsewhere.advance(by: .seconds(1))
        #expect(carol.texts() == ["nobody will know"])
        #expect(carol.messages.last?.from.key == alice.key)
    }
}
