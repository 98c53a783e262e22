import Chat
import Noise
import Phrases
import Simulator
import Testing
import Wire

@testable import ChatNode

/// One identity in two places (Protocol.md section 9).
@Suite struct DuplicateLoginTests {
    /// 1,000 runs, 50 to a case: 2 or 3 sessions of one identity, 20 s apart or more, 1 to 4 others, clocks wrong by up to
    /// an hour, and every other time networks that part the sessions, or for a while nearly all peers.
    @Test(arguments: 0..<20) func `the session that starts last goes on, whatever the clocks say`(batch: UInt64) throws
    {
        for seed in batch * 50..<(batch + 1) * 50 {
            let run = try LoginRun(seed: seed)
            #expect(run.survivors == [run.logins.count - 1], "seed \(seed)")
            #expect(run.logins.dropLast().allSatisfy { $0.stopReason == .signedOut }, "seed \(seed)")
            #expect(run.logins.dropLast().allSatisfy { $0.notices(.signedOut).count == 1 }, "seed \(seed)")
            #expect(run.isLastHeard, "seed \(seed)")
        }
    }

    /// Of two sessions that start together either may go on; exactly one does.
    @Test(arguments: 0..<10) func `of two that start within seconds exactly one goes on`(batch: UInt64) throws {
        for seed in batch * 10..<(batch + 1) * 10 {
            let run = try LoginRun(seed: 5_000 + seed, gap: 0...14_999)
            #expect(run.survivors.count == 1, "seed \(seed)")
            #expect(run.logins.count { $0.stopReason == .signedOut } == run.logins.count - 1, "seed \(seed)")
        }
    }

    @Test func `the identity of a session that was killed is taken over by the next`() throws {
        let simulation = Simulation(seed: 71)
        let bob = simulation.node("bob")
        let first = simulation.node("alice", clockError: .seconds(3_000), identitySeed: 8)
        try #require(simulation.meet(bob, first))
        first.kill()
        simulation.advance(by: .seconds(60))
        let second = simulation.node("alice", identitySeed: 8)
        try #require(simulation.meet(bob, second))
        simulation.advance(by: .seconds(30))
        #expect(second.stopReason == nil)
        try second.say("I am back")
        simulation.advance(by: .seconds(1))
        #expect(bob.texts() == ["I am back"])
    }

    @Test(arguments: 1...10) func `two sessions that are alone settle it on the connection between them`(
        seed: UInt64
    ) throws {
        let simulation = Simulation(seed: seed)
        let first = simulation.node("alice", clockError: .seconds(1_300), identitySeed: 8)
        simulation.advance(by: .seconds(30))
        let second = simulation.node("alice", identitySeed: 8)
        #expect(simulation.run(atMost: .seconds(1)) { first.hasStopped })
        simulation.advance(by: .seconds(30))
        #expect(first.stopReason == .signedOut && second.stopReason == nil)
        #expect(second.with { $0.epoch } > Timeline.epoch.milliseconds + 600_000)
        #expect(first.with { $0.peers() }.isEmpty && second.with { $0.peers() }.isEmpty)
    }

    @Test func `others see no one leave or come while the sessions change`() throws {
        let simulation = Simulation(seed: 72)
        let bob = simulation.node("bob")
        let first = simulation.node("alice", clockError: .seconds(1_300), identitySeed: 8)
        try #require(simulation.meet(bob, first))
        simulation.advance(by: .seconds(30))
        let before = bob.events.count
        let second = simulation.node("alice", identitySeed: 8)
        simulation.advance(by: .seconds(60))
        #expect(first.stopReason == .signedOut && second.stopReason == nil)
        let presences = bob.events.dropFirst(before).filter { if case .peer = $0 { true } else { false } }
        #expect(presences.isEmpty)
        #expect(bob.isOnline(second))
        let seen = second.events.compactMap { if case .peer(let state, _, _, _, _) = $0 { state } else { nil } }
        #expect(seen == [.here])
    }

    @Test func `messages before a re-issue and after it are heard by all`() throws {
        let simulation = Simulation(seed: 73)
        let (bob, carol) = (simulation.node("bob"), simulation.node("carol"))
        let first = simulation.node("alice", clockError: .seconds(1_300), identitySeed: 8)
        try #require(simulation.meet(bob, carol, first))
        simulation.partition([first, bob])
        simulation.advance(by: .seconds(100))
        let second = simulation.node("alice", identitySeed: 8)
        try #require(simulation.meet(carol, second))
        try second.say("before")
        simulation.advance(by: .seconds(1))
        simulation.heal()
        try #require(simulation.run { second.with { $0.epoch } > Timeline.epoch.milliseconds + 600_000 })
        try second.say("after")
        try #require(simulation.meet(bob, carol, second))
        simulation.advance(by: .seconds(5))
        #expect(carol.texts() == ["before", "after"])
        #expect(first.stopReason == .signedOut)
        #expect(carol.counter("dropped_wrong_epoch") == 0)
    }

    @Test func `a node goes on under the epoch that it is given, if that is later than its clock`() {
        let simulation = Simulation(seed: 74)
        let now = Timeline.epoch.milliseconds
        let earlier = now - Limits.epochJitterMilliseconds
        #expect((earlier...now).contains(simulation.node("alice").with { $0.epoch }))
        #expect((earlier...now).contains(simulation.node("alice", minimumEpoch: earlier).with { $0.epoch }))
        #expect(simulation.node("alice", minimumEpoch: now + 1).with { $0.epoch } == now + 1)
    }

    @Test func `a session that signs out keeps no key and speaks no more`() throws {
        let simulation = Simulation(seed: 75)
        let bob = simulation.node("bob")
        let first = simulation.node("alice", identitySeed: 8)
        try #require(simulation.meet(bob, first))
        simulation.advance(by: .seconds(30))
        let second = simulation.node("alice", identitySeed: 8)
        try #require(simulation.run { first.hasStopped })
        try? first.say("still here?")
        simulation.advance(by: .seconds(5))
        #expect(bob.texts().isEmpty)
        let forged = first.with { node in
            node.chat.session.certify(
                noise: node.context.certificate.noise, dm: node.context.certificate.dm, serial: 1
            ).bytes
        }
        #expect(throws: CertificateError.badSignature) { try Certificate(verifying: forged.span) }
        #expect(bob.isOnline(second))
    }
}
