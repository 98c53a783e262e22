import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// Presence of peers, here, away or gone, with its times and reports.
@Suite struct PresenceTests {
    private let simulation = Simulation(seed: 71)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer

    init() throws {
        alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(1))
    }

    private func pass(_ seconds: Double = 1) { simulation.advance(by: .seconds(seconds)) }

    @Test func `a newcomer is reported once, and is online since then`() {
        #expect(alice.presence(of: bob) == ["bob here"])
        pass(600)
        #expect(alice.presence(of: bob) == ["bob here"])
        #expect(alice.row(of: bob)?.state == .here)
        let joined = alice.row(of: bob)?.since ?? Timestamp(milliseconds: 0)
        #expect(joined.distance(to: Timeline.epoch) <= 1_000)
        #expect(alice.row(of: bob)?.roundTrip != nil)
    }

    @Test func `a peer that is away, back, or renamed is reported and listed so, and is online all the while`() throws {
        let joined = alice.row(of: bob)?.since
        bob.setAway(true)
        pass()
        #expect(alice.row(of: bob)?.state == .away)
        bob.setAway(false)
        pass()
        #expect(alice.row(of: bob)?.state == .here)
        try bob.rename("rob")
        pass()
        #expect(alice.presence(of: bob) == ["bob here", "bob away", "bob here", "rob here"])
        let before = alice.events.compactMap { event -> String? in
            guard case .peer(_, let who, _, let was, _) = event, who.key == bob.key else { return nil }
            return was.map { "\($0.who.nickname) \($0.state)" } ?? "came"
        }
        #expect(before == ["came", "bob here", "bob away", "bob here"])
        let own = bob.events.compactMap { if case .renamed(let me, let was) = $0 { (me, was) } else { nil } }
        #expect(own.map { [$0.0.nickname, $0.1.nickname] } == [["rob", "bob"]])
        #expect(alice.row(of: bob)?.who.nickname == "rob")
        #expect(alice.row(of: bob)?.since == joined)
        #expect(alice.find("rob") == bob.key)
        #expect(alice.find("bob") == nil)
    }

    @Test func `a reason to be away is reported and listed, and over with it`() throws {
        bob.setAway(true, reason: "lunch")
        pass()
        #expect(alice.row(of: bob)?.reason == "lunch")
        bob.setAway(true, reason: "long lunch")
        pass()
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        pass(2)
        #expect(carol.presence(of: bob) == ["bob away: long lunch"])
        bob.setAway(true)
        pass()
        bob.setAway(true, reason: "lunch")
        pass()
        bob.setAway(false, reason: "ignored")
        pass()
        #expect(alice.row(of: bob)?.reason == nil)
        let told = ["bob here", "bob away: lunch", "bob away: long lunch", "bob away", "bob away: lunch", "bob here"]
        #expect(alice.presence(of: bob) == told)
        bob.setAway(true, reason: "gone")
        pass()
        bob.kill()
        pass(60)
        #expect(alice.row(of: bob)?.reason == nil)
        #expect(alice.presence(of: bob).last == "bob left")
    }

    @Test func `the reason of a muted peer is not shown`() {
        alice.mute(bob)
        bob.setAway(true, reason: "an insult")
        pass()
        #expect(alice.presence(of: bob) == ["bob here", "bob away"])
        #expect(alice.row(of: bob)?.reason == nil)
    }

    @Test func `a peer that is away when it comes is reported away at once`() throws {
        bob.setAway(true)
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        pass(2)
        #expect(carol.presence(of: bob) == ["bob away"])
    }

    @Test func `saying the same again is no news`() throws {
        bob.setAway(false)
        try bob.rename("bob")
        pass()
        #expect(alice.presence(of: bob) == ["bob here"])
    }

    @Test func `a message shows the name of its time, the list that of now`() throws {
        try bob.say("hello")
        pass()
        try bob.rename("rob")
        pass()
        #expect(alice.with { $0.chat.messages(in: .publicRoom) }.map(\.from.nickname) == ["bob"])
        #expect(alice.row(of: bob)?.who.nickname == "rob")
    }

    @Test(arguments: [(10, SenderStage.newcomer, SenderStage.regular), (100, .regular, .resident)])
    func `a stage grows with public messages, and only with those`(
        messages: Int, before: SenderStage, after: SenderStage
    ) throws {
        try bob.say("may I?", to: alice)
        pass()
        try alice.accept(bob)
        pass()
        for number in 1...messages {
            try bob.say("\(number)")
            try bob.say("only for you", to: alice)
            pass(0.5)
        }
        #expect(alice.row(of: bob)?.who.stage == before)
        #expect(bob.with { $0.chat.ownName }.stage == after)
        let told = alice.events.count
        try bob.say("one more")
        pass()
        #expect(alice.row(of: bob)?.who.stage == after)
        guard case .peer(.here, let who, reason: _, was: _, online: 1) = alice.events.dropFirst(told).first else {
            Issue.record("a new stage was not told before the message that shows it")
            return
        }
        #expect(who.stage == after)
        #expect(alice.messages.last?.from.stage == after)
    }

    @Test func `a peer that leaves is reported at once, and stays in the list with the time it left`() {
        bob.leave()
        pass()
        #expect(alice.presence(of: bob) == ["bob here", "bob left"])
        let left = alice.row(of: bob)
        #expect(left?.state == .left)
        #expect(left?.roundTrip == nil)
        pass(3_600)
        #expect(alice.row(of: bob) == left)
        #expect((left?.since.distance(to: simulation.timeline.wallClock) ?? 0) / 1_000 == 3_600)
    }

    @Test func `a killed peer is reported after 1.5 s, a cut-off peer after 75 s of silence`() throws {
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        pass()
        carol.kill()
        pass(1.4)
        #expect(alice.presence(of: carol) == ["carol here"])
        pass(0.3)
        #expect(alice.presence(of: carol) == ["carol here", "carol left"])
        simulation.partition([alice], [bob])
        pass(35)
        #expect(alice.presence(of: bob) == ["bob here"])
        pass(41)
        #expect(alice.presence(of: bob) == ["bob here", "bob left"])
        simulation.heal()
        try #require(simulation.meet(alice, bob, within: .seconds(90)))
        pass(2)
        #expect(alice.presence(of: bob) == ["bob here", "bob left", "bob here"])
    }

    @Test func `a peer that is back within 10 s was never away`() throws {
        let joined = alice.row(of: bob)?.since
        for _ in 0..<5 {
            simulation.network.breakConnections(between: alice.host, and: bob.host)
            #expect(simulation.run(atMost: .seconds(2)) { !alice.isOnline(bob) })
            try #require(simulation.meet(alice, bob, within: .seconds(9)))
            pass(15)
        }
        #expect(alice.presence(of: bob) == ["bob here"])
        #expect(bob.presence(of: alice) == ["alice here"])
        #expect(alice.row(of: bob)?.since == joined)
    }

    @Test(arguments: [true, false])
    func `a node whose network changes finds after 6 s that a link is dead, and comes back by a new one`(
        isAlice: Bool
    ) throws {
        // In one of the two cases the link that is dead for one side only is the one that both would keep if they had
        // dialled at the same moment.
        let (mover, other) = isAlice ? (alice, bob) : (bob, alice)
        pass(15)
        simulation.network.loseConnections(of: mover.host)
        simulation.directory.networkChanged(of: mover.host)
        pass(5.9)
        #expect(mover.isOnline(other))
        pass(0.2)
        #expect(!mover.isOnline(other))
        #expect(other.isOnline(mover))
        #expect(mover.counter("link_unanswered") == 1)
        try #require(simulation.meet(alice, bob, within: .seconds(9)))
        try alice.say("over the other way")
        pass(30)
        #expect(bob.texts() == ["over the other way"])
        #expect(alice.presence(of: bob) == ["bob here"])
        #expect(bob.presence(of: alice) == ["alice here"])
        #expect(mover.counter("handshakes_done") + other.counter("handshakes_done") <= 8)
    }

    @Test func `a change of the own network that breaks nothing costs one ping`() {
        pass(1)
        let sent = alice.counter("bytes_sent")
        simulation.directory.networkChanged(of: alice.host)
        pass(10)
        #expect(alice.isOnline(bob))
        #expect(alice.counter("dials") + bob.counter("dials") <= 2)
        #expect(alice.counter("bytes_sent") - sent == 530)
    }

    @Test func `changes of the meantime are reported when it is back`() throws {
        simulation.network.breakConnections(between: alice.host, and: bob.host)
        #expect(simulation.run(atMost: .seconds(2)) { !alice.isOnline(bob) })
        try bob.rename("rob")
        try #require(simulation.meet(alice, bob, within: .seconds(9)))
        pass()
        #expect(alice.presence(of: bob) == ["bob here", "rob here"])
    }

    @Test func `the link decides who is here, whatever mDNS says`() throws {
        simulation.directory.remove(bob.host)
        pass(300)
        #expect(alice.isOnline(bob))
        #expect(alice.presence(of: bob) == ["bob here"])
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, carol))
        pass()
        simulation.partition([alice, bob], [carol])
        pass(120)
        #expect(!alice.isOnline(carol))
        #expect(alice.presence(of: carol) == ["carol here", "carol left"])
    }

    @Test func `events count those who are here`() throws {
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        pass()
        carol.leave()
        pass()
        bob.leave()
        pass()
        let counts = alice.events.compactMap { event -> Int? in
            if case .peer(_, _, reason: _, was: _, online: let online) = event { online } else { nil }
        }
        #expect(counts == [1, 2, 1, 0])
        #expect(alice.who.map(\.who.nickname) == ["bob", "carol"])
    }
}
