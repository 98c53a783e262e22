import Chat
import ChatNode
import Noise
import Simulator
import Testing
import Wire

/// A member with a genuine key that breaks the rules: what it may reach is its own link.
@Suite struct HostileMemberTests {
    private let simulation = Simulation(seed: 31)
    private let alice: SimulatedPeer
    private let bob: SimulatedPeer
    private let rude: RudeMember

    init() throws {
        alice = simulation.node("alice")
        bob = simulation.node("bob")
        rude = RudeMember(simulation: simulation, seed: 77)
        try #require(simulation.meet(alice, bob))
        try #require(rude.enter(by: alice, in: simulation))
        simulation.advance(by: .seconds(1))
    }

    private var now: Timestamp { simulation.timeline.wallClock }

    private func message(_ text: String) -> PayloadBody {
        .publicMessage(stage: .newcomer, nickname: "rude", text: text)
    }

    /// Sends a payload for one peer over the link with alice.
    private func sendDirect(_ body: PayloadBody) throws {
        send(try #require(rude.directFrame(rude.payload(body, at: now))))
    }

    private func send(_ frame: [UInt8]) {
        simulation.timeline.perform { rude.send(frame) }
        simulation.advance(by: .seconds(1))
    }

    private func expectOthersUntouched() throws {
        try bob.say("still here")
        simulation.advance(by: .seconds(1))
        #expect(alice.texts().contains("still here"))
        #expect(alice.isOnline(bob))
    }

    @Test func `its messages within the rules are heard`() {
        send(rude.payload(message("hello"), at: now).frame(hops: 0))
        #expect(alice.texts() == ["hello"])
    }

    @Test func `a payload in another's name closes the link`() throws {
        let other = RudeMember(simulation: simulation, seed: 500)
        send(other.payload(message("I am somebody else"), at: now).frame(hops: 0))
        #expect(rude.isClosed)
        #expect(alice.texts().isEmpty)
        #expect(alice.counter("dropped_foreign_author") == 1)
        try expectOthersUntouched()
    }

    @Test func `a relayed payload with a forged signature convicts who sent it`() throws {
        let other = RudeMember(simulation: simulation, seed: 500)
        var frame = other.payload(message("forged"), at: now).frame(hops: 1)
        frame[frame.count - 1] ^= 1
        send(frame)
        #expect(rude.isClosed)
        #expect(alice.counter("bans") == 1)
        #expect(alice.texts().isEmpty)
        let again = RudeMember(simulation: simulation, seed: 77)
        simulation.timeline.perform { again.dial(alice) }
        simulation.advance(by: .seconds(2))
        #expect(!alice.with { node in node.peers() }.contains { $0.who.key == rude.key && $0.state == .here })
        try expectOthersUntouched()
    }

    @Test func `a payload sent twice is shown once`() {
        let frame = rude.payload(message("again"), at: now).frame(hops: 0)
        send(frame)
        send(frame)
        #expect(alice.texts() == ["again"])
        #expect(alice.counter("dropped_duplicate") == 1)
        #expect(!rude.isClosed)
    }

    @Test func `texts that no node sends are dropped and counted`() {
        send(rude.payload(message(String(repeating: "x", count: 241)), at: now).frame(hops: 0))
        send(rude.payload(message(" \n "), at: now).frame(hops: 0))
        send(rude.payload(message("a" + String(repeating: "\u{301}", count: 100)), at: now).frame(hops: 0))
        #expect(alice.texts().isEmpty)
        #expect(alice.counter("dropped_too_long") == 1)
        #expect(alice.counter("dropped_empty") == 1)
        #expect(alice.counter("dropped_too_dense") == 1)
    }

    @Test func `ten thousand messages a second are cut to the rate`() throws {
        for number in 0..<2_000 {
            let frame = rude.payload(message("flood \(number)"), at: now).frame(hops: 0)
            simulation.timeline.perform { rude.send(frame) }
            simulation.advance(by: .microseconds(100))
        }
        simulation.advance(by: .seconds(1))
        #expect(alice.messages.count <= 30)
        #expect(alice.counter("dropped_author_rate") > 1_900)
        try expectOthersUntouched()
    }

    @Test func `of a flood of pings five are answered and one a second, and the others counted`() throws {
        let ping = [FrameType.ping.rawValue] + [UInt8](repeating: 7, count: 8)
        for _ in 0..<4 {
            for _ in 0..<400 { simulation.timeline.perform { rude.send(ping) } }
            simulation.advance(by: .milliseconds(100))
        }
        // The opening took one of the five.
        #expect((1_594...1_596).contains(alice.counter("pings_unanswered")))
        simulation.advance(by: .seconds(5))
        let before = alice.counter("pings_unanswered")
        send(ping)
        #expect(alice.counter("pings_unanswered") == before)
        try expectOthersUntouched()
    }

    @Test func `pings of a member that reads nothing are not answered for long`() throws {
        simulation.network.setReading(false, at: rude.host)
        let ping = [FrameType.ping.rawValue] + [UInt8](repeating: 7, count: 8)
        // Less than the 8 s after which a member that reads nothing is let go.
        for _ in 0..<1_500 {
            simulation.timeline.perform { rude.send(ping) }
            simulation.advance(by: .milliseconds(4))
        }
        #expect(alice.counter("queued_bytes") <= 530)
        #expect(alice.counter("pings_unanswered") >= 1_000)
        simulation.network.setReading(true, at: rude.host)
        simulation.advance(by: .seconds(1))
        let before = alice.counter("pings_unanswered")
        send(ping)
        #expect(alice.counter("pings_unanswered") == before)
        try expectOthersUntouched()
    }

    @Test func `a crowd takes 224 links and no more, and a newcomer that is announced comes in`() throws {
        let crowd = (0..<260).map { RudeMember(simulation: simulation, seed: 2_000 + UInt64($0)) }
        for member in crowd {
            simulation.timeline.perform { member.dial(alice) }
            simulation.advance(by: .milliseconds(60))
        }
        let connections = alice.counter("connections")
        #expect((200...226).contains(connections))
        let newcomer = simulation.node("zoe")
        try #require(simulation.meet(newcomer, alice, within: .seconds(10)))
        try expectOthersUntouched()
    }

    @Test func `frames cut short, empty, unknown or not for this version change nothing`() throws {
        for type in 0...255 {
            send([UInt8(type)])
            guard !rude.isClosed else { break }
        }
        #expect(alice.texts().isEmpty)
        try expectOthersUntouched()
    }

    @Test func `every cut of a payload frame is dropped`() throws {
        let frame = rude.payload(message("whole"), at: now).frame(hops: 0)
        for count in stride(from: 1, to: frame.count, by: 5) {
            simulation.timeline.perform { rude.send(Array(frame.prefix(count))) }
        }
        simulation.advance(by: .seconds(1))
        #expect(alice.texts().isEmpty)
        try expectOthersUntouched()
    }

    @Test func `an edit and a deletion of another's message change nothing`() throws {
        try bob.say("mine")
        simulation.advance(by: .seconds(1))
        let id = try #require(alice.messages.first?.id)
        send(rude.payload(.edit(target: id, text: "not yours"), at: now).frame(hops: 0))
        send(rude.payload(.delete(target: id), at: now).frame(hops: 0))
        #expect(alice.texts() == ["mine"])
        #expect(alice.counter("refused_not_its_author") == 2)
    }

    @Test func `a repeated message is acknowledged within the rate, and shown once`() throws {
        try sendDirect(.dmRequest(target: alice.key, nickname: "rude", text: "hi"))
        let key = rude.key
        try alice.with { node throws(ChatError) in try node.perform(.accept(key)) }
        simulation.advance(by: .seconds(10))
        let before = alice.counter("payloads_sent")
        let message = rude.payload(.directMessage(target: alice.key, nickname: "rude", text: "again"), at: now)
        let edit = rude.payload(.edit(to: alice.key, target: message.payload.messageId, text: "and again"), at: now)
        // Each asks for an answer, which has the receipts.
        let frames = [try #require(rude.directFrame(message)), try #require(rude.directFrame(edit))]
        let request = [FrameType.chaff.rawValue, 1]
        for _ in 0..<1_000 {
            simulation.timeline.perform { rude.send(together: frames + [request]) }
            simulation.advance(by: .microseconds(100))
        }
        simulation.advance(by: .seconds(3))
        #expect(alice.messages.map(\.text) == ["again"])
        #expect(alice.texts(.direct(key)) == ["hi", "and again"])
        #expect((1...25).contains(alice.counter("payloads_sent") - before))
        #expect(!rude.isClosed)
        try expectOthersUntouched()
    }

    @Test func `of 36 who ask, 32 wait for an answer, and what the others want is counted`() throws {
        let crowd = (0..<36).map { RudeMember(simulation: simulation, seed: 1_000 + UInt64($0)) }
        for member in crowd {
            try #require(member.enter(by: alice, in: simulation))
            let request = PayloadBody.dmRequest(target: alice.key, nickname: "rude", text: "may I?")
            let again = PayloadBody.dmRequest(target: alice.key, nickname: "rude", text: "please?")
            for body in [request, again] {
                let frame = try #require(member.directFrame(member.payload(body, at: now)))
                simulation.timeline.perform { member.send(frame) }
            }
            simulation.advance(by: .seconds(1))
        }
        #expect(alice.with { node in node.requests() }.map(\.who.key) == crowd.suffix(32).map(\.key))
        #expect(alice.counter("refused_request_displaced") == 4)
        #expect(alice.counter("refused_not_accepted") == 36)
        try expectOthersUntouched()
    }

    @Test func `a member sees no gap in the numbers of one that converses with another`() throws {
        try alice.say("may I?", to: bob)
        simulation.advance(by: .seconds(1))
        try bob.accept(alice)
        simulation.advance(by: .seconds(1))
        for number in 0..<5 {
            try alice.say("public \(number)")
            try alice.say("private \(number)", to: bob)
            simulation.advance(by: .seconds(2))
        }
        #expect(bob.texts(.direct(alice.key)).last == "private 4")
        let payloads = try rude.frames(.payload).map { body in
            try P2PPayload(decoding: Array(body.dropFirst().dropLast(Identity.signatureBytes)).span)
        }
        let numbers = payloads.filter { $0.author == alice.key }.map(\.sequence)
        let first = try #require(numbers.first)
        #expect(numbers.count >= 6 && numbers == Array(first..<first + UInt64(numbers.count)))
        #expect(rude.frames(.direct).isEmpty)
    }

    @Test func `messages of muted peers are counted`() {
        let key = rude.key
        alice.with { $0.change(.muted(key, true)) }
        send(rude.payload(message("hello?"), at: now).frame(hops: 0))
        #expect(alice.texts().isEmpty)
        #expect(alice.counter("refused_unheard") == 1)
    }

    @Test func `a direct message for another peer, or without consent, is not shown`() throws {
        try sendDirect(.directMessage(target: bob.key, nickname: "rude", text: "psst"))
        try sendDirect(.directMessage(target: alice.key, nickname: "rude", text: "psst"))
        #expect(alice.messages.isEmpty)
        #expect(alice.counter("dropped_misdirected") == 1)
    }
}
