import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// The history that a late joiner receives, in virtual time.
@Suite struct HistoryTests {
    private func talkative(_ simulation: Simulation, _ nickname: String) -> SimulatedPeer {
        simulation.node(nickname) { $0.messagesPerSecond = 0 }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `a newcomer has the last 100 messages within 200 ms of its first link, in order, as they are now`(
        seed: UInt64
    ) throws {
        let simulation = Simulation(seed: seed)
        let (alice, bob) = (talkative(simulation, "alice"), talkative(simulation, "bob"))
        try #require(simulation.meet(alice, bob))
        for number in 1...120 {
            try (number.isMultiple(of: 3) ? bob : alice).say("line \(number)")
            simulation.advance(by: .milliseconds(30))
        }
        try alice.with { node throws(ChatError) in try node.perform(.edit(nil, "the last of alice")) }
        try bob.with { node throws(ChatError) in try node.perform(.delete(nil)) }
        simulation.advance(by: .seconds(1))
        let carol = simulation.node("carol")
        carol.open(.direct(alice.key))
        try #require(simulation.run(until: { carol.isOnline(alice) || carol.isOnline(bob) }))
        simulation.advance(by: .milliseconds(200))
        #expect(carol.texts() == alice.texts())
        #expect(carol.texts().count == 99)
        #expect(carol.texts().last == "the last of alice")
        #expect(carol.messages.count == 99)
        #expect(carol.messages.map(\.text) == carol.texts())
        #expect(carol.messages.allSatisfy { $0.isHistory && !$0.isFromCurrentUser && $0.unread == 0 })
        #expect(carol.unread() == 0)
    }

    @Test func `messages of a partition were missed: they are unread, and shown by their time`() throws {
        let simulation = Simulation(seed: 14)
        let (alice, bob) = (talkative(simulation, "alice"), talkative(simulation, "bob"))
        try #require(simulation.meet(alice, bob))
        try alice.say("before")
        simulation.advance(by: .seconds(1))
        bob.with { $0.change(.lookAway) }
        simulation.partition([alice], [bob])
        simulation.advance(by: .seconds(100))
        for (peer, text) in [(alice, "one"), (bob, "two"), (alice, "three"), (bob, "four")] {
            try peer.say(text)
            simulation.advance(by: .seconds(1))
        }
        simulation.heal()
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(3))
        try alice.say("after")
        simulation.advance(by: .seconds(1))
        #expect(bob.texts() == ["before", "one", "two", "three", "four", "after"])
        #expect(alice.texts() == bob.texts())
        #expect(bob.messages.filter(\.isMissed).map(\.text) == ["one", "three"])
        #expect(bob.messages.last { $0.text == "three" }?.isHistory == true)
        #expect(bob.unread() == 3)
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        simulation.advance(by: .seconds(1))
        #expect(carol.texts() == bob.texts())
        #expect(carol.messages.filter(\.isMissed).isEmpty)
    }

    @Test func `a blocked peer's earlier messages leave the history, and come back with it`() throws {
        let simulation = Simulation(seed: 15)
        let (alice, bob) = (talkative(simulation, "alice"), talkative(simulation, "bob"))
        try #require(simulation.meet(alice, bob))
        alice.with { $0.change(.lookAway) }
        try alice.say("mine")
        try bob.say("theirs")
        simulation.advance(by: .seconds(1))
        #expect(alice.unread() == 1)
        alice.block(bob)
        alice.block(bob)
        #expect(alice.texts() == ["mine"])
        #expect(alice.unread() == 0)
        let (summaries, blocked) = alice.with { ($0.chat.summaries, $0.chat.roster.blocked) }
        #expect(summaries.first?.last?.text == "mine")
        #expect(blocked.map(\.key) == [bob.key])
        alice.block(bob, false)
        #expect(alice.texts() == ["mine", "theirs"])
        simulation.advance(by: .seconds(1))
        let told = alice.events.compactMap { if case .blocked(let who, let isOn) = $0 { (who.key, isOn) } else { nil } }
        #expect(told.map(\.0) == [bob.key, bob.key])
        #expect(told.map(\.1) == [true, false])
    }

    @Test func `a node that was away gets the changes of the meantime, and passes them on`() throws {
        let simulation = Simulation(seed: 12)
        let (alice, bob) = (simulation.node("alice"), simulation.node("bob"))
        try #require(simulation.meet(alice, bob))
        try alice.say("a typo")
        try bob.say("a secret")
        simulation.advance(by: .seconds(1))
        simulation.partition([alice], [bob])
        simulation.advance(by: .seconds(100))
        try alice.with { node throws(ChatError) in try node.perform(.edit(nil, "no typo")) }
        try bob.with { node throws(ChatError) in try node.perform(.delete(nil)) }
        try alice.say("alone")
        try bob.say("alone too")
        simulation.advance(by: .seconds(1))
        simulation.heal()
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(3))
        #expect(Set(alice.texts()) == ["no typo", "alone", "alone too"])
        #expect(Set(bob.texts()) == Set(alice.texts()))
        #expect(bob.messages.filter { $0.text == "alone" }.map(\.isHistory) == [true])
        #expect(
            bob.events.contains {
                if case .edited(let view) = $0 { view.text == "no typo" && view.isEdited } else { false }
            })
        // A deleted message keeps its author and time in the event, without its text.
        #expect(alice.events.contains { if case .deleted(let view) = $0 { view.text.isEmpty } else { false } })
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `after a partition heals and all is quiet, rings agree`(seed: UInt64) throws {
        let simulation = Simulation(seed: seed)
        let peers = (1...5).map { talkative(simulation, "peer-\($0)") }
        simulation.advance(by: .seconds(3))
        try chatter(peers, lines: 30, simulation)
        simulation.partition(Array(peers[..<2]), Array(peers[2...]))
        simulation.advance(by: .seconds(seed.isMultiple(of: 2) ? 20 : 90))
        try chatter(peers, lines: 130, simulation)
        simulation.heal()
        simulation.advance(by: .seconds(120))
        let rings = peers.map { peer in
            peer.with { node in node.chat.messages(in: .publicRoom) }.map { "\($0.id.hexadecimal) \($0.text)" }.sorted()
        }
        #expect(Set(rings).count == 1)
        #expect(peers.allSatisfy { Set($0.messages.map(\.id)).count == $0.messages.count })
    }

    /// Every user says something now and then, and edits or deletes it.
    private func chatter(_ peers: [SimulatedPeer], lines: Int, _ simulation: Simulation) throws {
        for number in 0..<lines {
            let peer = peers[number * 7 % peers.count]
            try peer.say("\(number) of \(peer.key.hexadecimal.prefix(4))")
            simulation.advance(by: .milliseconds(40 + number % 3 * 100))
            if number % 11 == 0 {
                try peer.with { node throws(ChatError) in try node.perform(.edit(nil, "edited \(number)")) }
            }
            if number % 17 == 0 { try peer.with { node throws(ChatError) in try node.perform(.delete(nil)) } }
        }
    }

    @Test func `a line of four hears everything within seconds, each message once`() throws {
        let simulation = Simulation(seed: 14)
        let line = ["alice", "bob", "carol", "dora"].map { simulation.node($0) }
        simulation.line(line[0], line[1], line[2], line[3])
        simulation.advance(by: .seconds(10))
        try #require(line[0].isOnline(line[1]) && !line[0].isOnline(line[2]) && !line[1].isOnline(line[3]))
        for round in 1...5 {
            for (number, peer) in line.enumerated() { try peer.say("round \(round) of \(number)") }
            let all = round * line.count
            #expect(simulation.run(atMost: .seconds(10)) { line.allSatisfy { $0.texts().count == all } })
            simulation.advance(by: .seconds(20))
        }
        #expect(line.allSatisfy { $0.messages.count == 20 && $0.unread() == 0 })
        try line[0].with { node throws(ChatError) in try node.perform(.edit(nil, "edited at one end")) }
        #expect(simulation.run(atMost: .seconds(20)) { line.allSatisfy { $0.texts().contains("edited at one end") } })
        try line[3].with { node throws(ChatError) in try node.perform(.delete(nil)) }
        #expect(simulation.run(atMost: .seconds(20)) { line.allSatisfy { $0.texts().count == 19 } })
    }

    @Test func `where every node hears every node, hardly anything is offered`() throws {
        let simulation = Simulation(seed: 15)
        let peers = (1...6).map { simulation.node("peer-\($0)") }
        simulation.advance(by: .seconds(5))
        for number in 0..<960 {
            try peers[number % 6].say("line \(number)")
            simulation.advance(by: .milliseconds(500))
        }
        let offers = peers.reduce(0) { $0 + $1.counter("haves_sent") }
        let said = peers.reduce(0) { $0 + $1.counter("payloads_sent") }
        // On each of 15 links one for each 50 messages, which is 25 s, but for the first minutes.
        #expect(offers <= 15 * (480 / 25 + 9))
        #expect(offers * 12 < said)
        #expect(peers.reduce(0) { $0 + $1.counter("wants_sent") } == 0)
        simulation.advance(by: .seconds(60))
        let before = peers.map { $0.counter("haves_sent") }
        simulation.advance(by: .seconds(600))
        #expect(peers.map { $0.counter("haves_sent") } == before)
    }

    @Test func `a message whose author's link is cut comes through another`() throws {
        let simulation = Simulation(seed: 16)
        let (alice, bob, carol) = (simulation.node("alice"), simulation.node("bob"), simulation.node("carol"))
        try #require(simulation.meet(alice, bob, carol))
        simulation.advance(by: .seconds(5))
        simulation.line(alice, bob, carol)
        try alice.say("around the corner")
        #expect(simulation.run(atMost: .seconds(10)) { carol.texts() == ["around the corner"] })
        simulation.advance(by: .seconds(200))
        try alice.say("again")
        #expect(simulation.run(atMost: .seconds(10)) { carol.texts() == ["around the corner", "again"] })
        #expect(carol.messages.count == 2)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `in a busy room an unheard author is heard of in time`(seed: UInt64) throws {
        let simulation = Simulation(seed: seed)
        let (alice, bob) = (talkative(simulation, "alice"), talkative(simulation, "bob"))
        let (carol, dave) = (talkative(simulation, "carol"), talkative(simulation, "dave"))
        simulation.part(alice, carol)
        try #require(simulation.run(until: { carol.isOnline(bob) && carol.isOnline(dave) && alice.isOnline(bob) }))
        // For two minutes nothing is missing, so that offers become seldom; then alice says one line.
        for number in 1...1_400 {
            if number == 1_200 { try alice.say("one line of alice") }
            try (number.isMultiple(of: 2) ? bob : dave).say("line \(number)")
            simulation.advance(by: .milliseconds(100))
        }
        #expect(carol.messages.count { $0.text == "one line of alice" } == 1)
        #expect(carol.counter("haves_sent") < 120)
    }

    @Test(arguments: [(600, 0), (-8 * 86_400, 0), (200, 1), (-6 * 86_400, 1)])
    func `history is from the last seven days and not from the future`(clockError: Int, count: Int) throws {
        let simulation = Simulation(seed: 17)
        let alice = simulation.node("alice", clockError: .seconds(clockError))
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        try alice.say("when?")
        simulation.advance(by: .seconds(1))
        #expect(bob.texts() == ["when?"])
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, bob, carol))
        simulation.advance(by: .seconds(30))
        #expect(carol.texts().count == count)
        #expect(carol.counter("wants_sent") < 10)
    }

    @Test func `a node without history neither asks, nor offers, nor answers`() throws {
        let simulation = Simulation(seed: 18)
        let alice = simulation.node("alice") { $0.sharesHistory = false }
        try alice.say("to nobody")
        let bob = simulation.node("bob")
        try bob.say("to myself")
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(30))
        #expect(alice.texts() == ["to nobody"])
        #expect(bob.texts() == ["to myself"])
        #expect(["haves_sent", "wants_sent", "history_sent"].allSatisfy { alice.counter($0) == 0 })
    }

    @Test func `a user that returns under its identity finds its own messages, and can edit them`() throws {
        let simulation = Simulation(seed: 19)
        let bob = simulation.node("bob")
        let before = simulation.node("alice", identitySeed: 5)
        try #require(simulation.meet(before, bob))
        try before.say("I was here")
        simulation.advance(by: .seconds(1))
        before.leave()
        try #require(simulation.run { before.hasStopped })
        simulation.advance(by: .seconds(2))
        let alice = simulation.node("alice", identitySeed: 5)
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(1))
        #expect(alice.messages.map(\.isFromCurrentUser) == [true])
        try alice.with { node throws(ChatError) in try node.perform(.edit(nil, "I am here")) }
        simulation.advance(by: .seconds(1))
        #expect(bob.texts() == ["I am here"])
    }

    @Test func `history makes no peer look present`() throws {
        let simulation = Simulation(seed: 20)
        let (alice, bob) = (simulation.node("alice"), simulation.node("bob"))
        try #require(simulation.meet(alice, bob))
        try bob.say("bye")
        simulation.advance(by: .seconds(1))
        bob.leave()
        try #require(simulation.run { bob.hasStopped })
        let carol = simulation.node("carol")
        try #require(simulation.meet(alice, carol))
        simulation.advance(by: .seconds(5))
        #expect(carol.texts() == ["bye"])
        #expect(!carol.isOnline(bob))
        #expect(
            !carol.events.contains { if case .peer(_, let who, _, _, _) = $0 { who.key == bob.key } else { false } })
        #expect(carol.with { node in node.chat.roster.online } == 1)
    }

    @Test func `a muted author's messages are asked for no more than once`() throws {
        let simulation = Simulation(seed: 21)
        let (alice, bob, carol) = (simulation.node("alice"), simulation.node("bob"), simulation.node("carol"))
        simulation.line(alice, bob, carol)
        simulation.advance(by: .seconds(10))
        carol.with { node in node.change(.muted(alice.key, true)) }
        for number in 1...5 { try alice.say("line \(number)") }
        simulation.advance(by: .seconds(60))
        #expect(carol.texts().isEmpty)
        #expect(carol.counter("history_received") == 5)
    }
}
