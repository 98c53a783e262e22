import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// Muting and blocking, both without a word to the peer.
@Suite struct MarkTests {
    private let simulation = Simulation(seed: 81)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer
    private let carol: SimulatedPeer

    init() throws {
        alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        carol = simulation.node("carol") { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob, carol))
        simulation.advance(by: .seconds(1))
    }

    private func pass(_ seconds: Double = 1) { simulation.advance(by: .seconds(seconds)) }

    private func say(_ text: String, by peer: SimulatedPeer) throws {
        try peer.say(text)
        pass()
    }

    private func befriend(_ one: SimulatedPeer, _ other: SimulatedPeer) throws {
        try one.say("may I?", to: other)
        pass()
        try other.accept(one)
        pass()
    }

    /// Bob's reports from here on about other peers, presence left out.
    private func heard(by peer: SimulatedPeer, since first: Int) -> [String] {
        peer.events.dropFirst(first).compactMap { event in
            switch event {
            case .message(let message): message.isFromCurrentUser ? nil : message.text
            case .request(_, let text): "request \(text)"
            case .edited(let message): "edited \(message.text)"
            case .deleted: "deleted"
            case .reacted(let reaction): "reacted \(reaction.emojis.joined())"
            case .card(let card): "card \(card.content.title)"
            case .cardRemoved: "card removed"
            case .typing(_, _, let isOn): "typing \(isOn)"
            case .direct(let change, _): "direct \(change)"
            case .ready, .peer, .renamed, .status, .person, .blocked, .crowd, .elsewhere, .invitation, .delivered,
                .read, .failed, .notice, .stopped:
                nil
            }
        }
    }

    /// Everything that a person can do to another.
    private func doEverything(_ peer: SimulatedPeer, to other: SimulatedPeer) throws {
        peer.type()
        try say("public", by: peer)
        try peer.with { node throws(ChatError) in
            try node.perform(.edit(nil, "public, edited"))
            let said = node.chat.messages(in: .publicRoom).last { $0.isFromCurrentUser }
            try node.perform(.react(said?.id.hexadecimal ?? "", of: .publicRoom, .set("👍")))
            try node.perform(.post(title: "title", text: "text", .teal))
        }
        pass()
        try peer.with { node throws(ChatError) in try node.perform(.delete(nil)) }
        pass()
        try? peer.say("direct", to: other)
        pass()
    }

    @Test func `of the muted nothing is shown or counted`() throws {
        try befriend(alice, bob)
        bob.open(.direct(carol.key))
        bob.mute(alice)
        let told = bob.events.count
        try doEverything(alice, to: bob)
        #expect(heard(by: bob, since: told).isEmpty)
        #expect(bob.unread() == 0)
        #expect(bob.unread(.direct(alice.key)) == 0)
        #expect(bob.texts() == [])
        #expect(bob.texts(.direct(alice.key)) == ["may I?"])
        #expect(heard(by: carol, since: 0).contains("edited public, edited"))
        #expect(heard(by: carol, since: 0).contains("reacted 👍") && heard(by: carol, since: 0).contains("card title"))
    }

    @Test func `a request of the muted is not shown, nor listed`() throws {
        bob.mute(alice)
        try alice.say("may I?", to: bob)
        pass()
        #expect(bob.with { $0.requests() }.isEmpty)
        #expect(heard(by: bob, since: 0).isEmpty)
    }

    @Test func `a deletion by the muted takes its message away, and an edit shows when it is muted no more`() throws {
        try say("one", by: alice)
        try say("two", by: alice)
        bob.mute(alice)
        try alice.with { node throws(ChatError) in
            try node.perform(.delete(nil))
            try node.perform(.edit(nil, "eins"))
        }
        pass()
        #expect(bob.texts() == ["one"])
        #expect(carol.texts() == ["eins"])
        bob.mute(alice, false)
        #expect(bob.texts() == ["eins"])
    }

    @Test func `a muted peer is listed so, stays here, hears everything and is not informed`() throws {
        let told = alice.events.count
        bob.mute(alice)
        alice.setAway(true)
        pass()
        #expect(bob.row(of: alice)?.isMuted == true)
        #expect(bob.row(of: alice)?.state == .away)
        try say("do you hear me?", by: bob)
        #expect(heard(by: alice, since: told) == ["do you hear me?"])
        pass(300)
        #expect(alice.presence(of: bob) == ["bob here"])
        #expect(alice.isOnline(bob))
    }

    @Test func `an unmuted peer is heard again, from then on`() throws {
        bob.mute(alice)
        try say("unheard", by: alice)
        bob.mute(alice, false)
        pass(60)
        try say("heard", by: alice)
        #expect(bob.texts() == ["heard"])
        #expect(bob.row(of: alice)?.isMuted == false)
    }

    @Test func `the blocked have no link and are not heard, and neither are we by them`() throws {
        try befriend(alice, bob)
        bob.block(alice)
        #expect(bob.presence(of: alice) == ["alice here", "alice left"])
        pass(2)
        #expect(!bob.isOnline(alice))
        #expect(!alice.isOnline(bob))
        let told = bob.events.count
        try doEverything(alice, to: bob)
        try say("for carol alone", by: bob)
        #expect(heard(by: bob, since: told).isEmpty)
        #expect(bob.row(of: alice)?.state == .left)
        #expect(bob.row(of: alice)?.isBlocked == true)
        #expect(!alice.texts().contains("for carol alone"))
        #expect(carol.texts().contains("for carol alone"))
    }

    @Test(arguments: 1...5) func `to a blocked peer we have left, and it sees no more of us`(seed: UInt64)
        throws
    {
        let simulation = Simulation(seed: 810 + seed)
        let (alice, bob) = (simulation.node("alice"), simulation.node("bob"))
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(1))
        bob.block(alice)
        simulation.advance(by: .seconds(20))
        let row = alice.row(of: bob)
        #expect(row?.state == .left)
        simulation.advance(by: .seconds(1_800))
        #expect(alice.presence(of: bob) == ["bob here", "bob left"])
        #expect(bob.presence(of: alice) == ["alice here", "alice left"])
        #expect(alice.row(of: bob) == row)
        #expect(alice.counter("dials") > 20)
    }

    @Test(arguments: 1...5) func `a blocked peer is not dialled until it is unblocked`(seed: UInt64) throws {
        let simulation = Simulation(seed: 830 + seed)
        let (alice, bob) = (simulation.node("alice"), simulation.node("bob"))
        try #require(simulation.meet(alice, bob))
        bob.block(alice)
        let dials = bob.counter("dials")
        simulation.advance(by: .seconds(3_600))
        #expect(bob.counter("dials") == dials)
        bob.block(alice, false)
        #expect(simulation.meet(alice, bob, within: .seconds(2)))
    }

    @Test func `a new name of a blocked run is known without a dial, and a new run costs one handshake`() throws {
        bob.block(alice)
        pass()
        let dials = bob.counter("dials")
        simulation.directory.networkChanged(of: alice.host)
        pass(600)
        #expect(bob.counter("dials") == dials)
        let other = simulation.node("mallory", identitySeed: 6)
        try #require(simulation.meet(bob, carol, other))
        bob.block(other)
        other.leave()
        pass(5)
        let before = bob.counter("dials")
        let again = simulation.node("mallory", identitySeed: 6)
        try #require(simulation.meet(carol, again))
        pass(600)
        #expect((0...1).contains(bob.counter("dials") - before))
    }

    @Test func `a newcomer who is blocked is never seen, whatever it is called`() throws {
        let first = simulation.node("mallory", identitySeed: 5)
        try #require(simulation.meet(alice, bob, carol, first))
        pass()
        bob.block(first)
        first.leave()
        pass(5)
        let again = simulation.node("somebody-else", identitySeed: 5)
        try #require(simulation.meet(alice, carol, again))
        pass(120)
        try say("hello", by: again)
        #expect(again.key == first.key)
        #expect(carol.texts() == ["hello"])
        #expect(bob.texts() == [])
        #expect(bob.presence(of: again) == ["mallory here", "mallory left"])
        #expect(again.presence(of: bob).isEmpty)
    }

    @Test func `another with the name of the blocked is heard`() throws {
        bob.block(alice)
        let other = simulation.node("alice")
        try #require(simulation.meet(bob, carol, other))
        try say("I am another", by: other)
        #expect(bob.texts() == ["I am another"])
    }

    @Test func `messages of a blocked author that a neighbour passes on are not shown or counted, of others they are`()
        throws
    {
        let (member, relay) = (
            RudeMember(simulation: simulation, seed: 77), RudeMember(simulation: simulation, seed: 78)
        )
        relay.dial(bob)
        pass()
        let now = simulation.timeline.wallClock
        let frames = ["before", "while blocked"].map { (text: String) -> [[UInt8]] in
            let message = member.payload(.publicMessage(stage: .newcomer, nickname: "rude", text: text), at: now)
            let edit = member.payload(.edit(target: message.payload.messageId, text: "\(text), edited"), at: now)
            return [message.frame(hops: 1), edit.frame(hops: 1)]
        }
        bob.open(.direct(carol.key))
        for frame in frames[0] { simulation.timeline.perform { relay.send(frame) } }
        pass()
        #expect(bob.texts() == ["before, edited"])
        #expect(bob.unread() == 1)
        let key = member.key
        bob.with { $0.change(.blocked(key, true)) }
        for frame in frames[1] { simulation.timeline.perform { relay.send(frame) } }
        pass()
        // The earlier messages of the blocked peer are hidden, too.
        #expect(bob.texts().isEmpty)
        #expect(bob.unread() == 0)
        bob.with { $0.change(.blocked(key, false)) }
        #expect(bob.texts() == ["before, edited"])
        #expect(!relay.isClosed)
    }

    @Test func `an unblocked peer comes back by itself and is heard again`() throws {
        bob.block(alice)
        pass(600)
        bob.block(alice, false)
        try #require(simulation.meet(alice, bob, within: .seconds(90)))
        pass(2)
        try say("back again", by: alice)
        #expect(bob.texts() == ["back again"])
        #expect(alice.presence(of: bob) == ["bob here", "bob left", "bob here"])
        #expect(bob.presence(of: alice) == ["alice here", "alice left", "alice here"])
        #expect(bob.row(of: alice)?.isBlocked == false)
    }
}
