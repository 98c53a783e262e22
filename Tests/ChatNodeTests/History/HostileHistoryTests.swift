import Chat
import ChatNode
import Simulator
import Testing
import Wire

/// A member with a genuine key that abuses history: what it gets is little, and what it breaks is its own link.
@Suite struct HostileHistoryTests {
    private let simulation = Simulation(seed: 41)
    private let alice: SimulatedPeer
    private let rude: RudeMember

    init() throws {
        alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        rude = RudeMember(simulation: simulation, seed: 77)
    }

    private func enter(_ other: RudeMember? = nil) throws {
        try #require((other ?? rude).enter(by: alice, in: simulation))
        simulation.advance(by: .milliseconds(100))
    }

    private func send(_ frame: [UInt8], by member: RudeMember? = nil) {
        simulation.timeline.perform { (member ?? rude).send(frame) }
        simulation.advance(by: .milliseconds(50))
    }

    private func message(
        _ text: String, by member: RudeMember, before: UInt64 = 0, ahead: UInt64 = 0
    ) -> SignedPayload {
        let time = Timestamp(milliseconds: simulation.timeline.wallClock.milliseconds - before + ahead)
        return member.payload(.publicMessage(stage: .newcomer, nickname: "rude", text: text), at: time)
    }

    private func offered(_ member: RudeMember) -> [UInt64] {
        member.frames(.have).flatMap { IDList.read($0.span, limit: Limits.offeredPayloads) ?? [] }
    }

    private func wanted(_ member: RudeMember) -> [UInt64] {
        member.frames(.want).flatMap { IDList.read($0.span, limit: Limits.wantedPayloads) ?? [] }
    }

    private func kept(by peer: SimulatedPeer) -> Set<MessageID> {
        Set(peer.with { node in node.chat.messages(in: .publicRoom) }.map(\.id))
    }

    private func fill() throws {
        for number in 1...100 {
            try alice.say("line \(number)")
            simulation.advance(by: .milliseconds(5))
        }
    }

    @Test func `a stranger draws no more than 100 payloads in any two seconds, however it asks`() throws {
        try fill()
        try enter()
        let ids = offered(rude)
        #expect(ids.count == 100)
        let before = rude.frames(.payload).count
        var counts: [Int] = []
        for _ in 0..<100 {
            send(IDList.frame(.want, ids))
            simulation.advance(by: .milliseconds(50))
            counts.append(rude.frames(.payload).count - before)
        }
        #expect(counts.last == 500)
        for (start, end) in zip(counts, counts.dropFirst(19)) { #expect(end - start <= 100) }
        #expect(alice.counter("wants_refused") > 80)
        #expect(!rude.isClosed)
    }

    @Test func `coming back at once draws nothing more`() throws {
        try fill()
        try enter()
        send(IDList.frame(.want, offered(rude)))
        let first = rude.frames(.payload).count
        let again = RudeMember(simulation: simulation, seed: 77)
        again.dial(alice)
        try #require(simulation.run(atMost: .seconds(1)) { again.isMember })
        simulation.advance(by: .milliseconds(100))
        send(IDList.frame(.want, offered(rude)), by: again)
        #expect(first >= 100)
        #expect(again.frames(.payload).count == 1)
    }

    @Test func `ids that are not there, twice there, or not public draw nothing`() throws {
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        try alice.say("public")
        try alice.say("psst", to: bob)
        simulation.advance(by: .seconds(1))
        try bob.accept(alice)
        simulation.advance(by: .seconds(1))
        try enter()
        let isDirect = { (message: MessageView) in message.conversation != .publicRoom }
        let direct = try #require(alice.messages.first(where: isDirect)?.id.prefix)
        let ids = offered(rude)
        #expect(ids == alice.messages.filter { !isDirect($0) }.map(\.id.prefix))
        let before = rude.frames(.payload).count
        send(IDList.frame(.want, [1, 2, 3, direct] + ids + ids))
        #expect(rude.frames(.payload).count - before == 1)
    }

    @Test func `lists that are cut short or too long are dropped and counted`() throws {
        try enter()
        let frames: [[UInt8]] = [
            [5], [5, 0], [5, 0, 1], [5, 0, 1] + [UInt8](repeating: 0, count: 7), [6, 0, 0, 0],
            [6] + IDList.frame(.have, Array(1...101)).dropFirst(), [5, 1, 245] + [UInt8](repeating: 9, count: 501 * 8),
        ]
        for frame in frames { send(frame) }
        #expect(alice.counter("id_lists_malformed") == frames.count)
        #expect(alice.counter("wants_sent") == 0)
        #expect(!rude.isClosed)
    }

    @Test func `offers above the rate of a link are dropped and counted, and the link stays`() throws {
        try enter()
        for id in 1...300 as ClosedRange<UInt64> {
            simulation.timeline.perform { rude.send(IDList.frame(.have, [id])) }
        }
        simulation.advance(by: .seconds(1))
        #expect(alice.counter("haves_refused") > 200)
        #expect(wanted(rude).count < 100)
        #expect(!rude.isClosed)
        simulation.advance(by: .seconds(60))
        send(IDList.frame(.have, [1_000]))
        #expect(wanted(rude).contains(1_000))
    }

    @Test func `a payload that was not asked for is no history`() throws {
        try enter()
        let old = message("from yesterday", by: RudeMember(simulation: simulation, seed: 500), before: 86_400_000)
        send(old.frame(hops: 1))
        #expect(alice.texts().isEmpty)
        #expect(alice.counter("dropped_stale") == 1)
        send(IDList.frame(.have, [old.payload.messageId.prefix]))
        #expect(wanted(rude) == [old.payload.messageId.prefix])
        send(old.frame(hops: 1))
        #expect(alice.texts() == ["from yesterday"])
        #expect(alice.messages.map(\.isHistory) == [true])
    }

    @Test func `history with a false signature convicts who gave it`() throws {
        try enter()
        let other = message("forged", by: RudeMember(simulation: simulation, seed: 500))
        var frame = other.frame(hops: 1)
        frame[frame.count - 1] ^= 1
        send(IDList.frame(.have, [other.payload.messageId.prefix]))
        send(frame)
        #expect(rude.isClosed)
        #expect(alice.counter("bans") == 1)
        #expect(alice.texts().isEmpty)
    }

    @Test func `a peer that signs falsely on its own link is banned before any other peer receives its payload`() throws
    {
        try enter()
        var frame = message("deniable", by: rude).frame(hops: 0)
        frame[frame.count - 1] ^= 1
        send(frame)
        #expect(alice.texts() == ["deniable"])
        let bob = simulation.node("bob")
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(5))
        #expect(rude.isClosed)
        #expect(alice.counter("bans") == 1)
        #expect(bob.texts().isEmpty)
        #expect(bob.counter("bans") == 0)
    }

    @Test func `300 false ids that are never given do not stop the repair from another`() throws {
        try enter()
        send(IDList.frame(.have, Array(1...300)))
        let bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        for number in 1...100 { try bob.say("line \(number)") }
        try #require(simulation.meet(alice, bob))
        simulation.advance(by: .seconds(1))
        #expect(alice.texts().count == 100)
        simulation.advance(by: .seconds(120))
        let asked = Dictionary(grouping: wanted(rude)) { $0 }.mapValues(\.count)
        #expect(asked.count == 300)
        #expect(asked.values.allSatisfy { $0 == Limits.historyTries })
    }

    @Test func `a message offered and not given is asked of another peer`() throws {
        let other = RudeMember(simulation: simulation, seed: 500)
        let wish = message("wanted", by: other)
        try enter()
        send(IDList.frame(.have, [wish.payload.messageId.prefix]))
        try enter(other)
        send(IDList.frame(.have, [wish.payload.messageId.prefix]), by: other)
        #expect(wanted(rude).count == 1)
        #expect(wanted(other).isEmpty)
        simulation.advance(by: .seconds(5))
        #expect(wanted(other) == [wish.payload.messageId.prefix])
        send(wish.frame(hops: 0), by: other)
        #expect(alice.texts() == ["wanted"])
        simulation.advance(by: .seconds(60))
        #expect(wanted(rude).count == 1)
    }

    /// A known and accepted risk (Threats.md): rates hold live messages.
    @Test func `a hundred messages given as history push out what others said`() throws {
        try fill()
        try enter()
        let own = (1...100).map { message("pushed \($0)", by: rude) }
        send(IDList.frame(.have, own.map(\.payload.messageId.prefix)))
        #expect(wanted(rude).count == 100)
        for payload in own { send(payload.frame(hops: 0)) }
        #expect(alice.texts().count == 100)
        #expect(alice.texts().allSatisfy { $0.hasPrefix("pushed") })
        #expect(alice.counter("dropped_author_rate") == 0)
    }

    @Test func `eight links of one machine give no more history than one`() throws {
        let members = (0..<8 as Range<UInt64>).map { number in
            RudeMember(simulation: simulation, seed: 600 + number, on: number == 0 ? nil : rude.host)
        }
        for member in members {
            try enter(member)
            simulation.advance(by: .seconds(6))
        }
        for (index, member) in members.enumerated() {
            let ids = (0..<300).map { UInt64(1_000 * (index + 1) + $0) }
            send(IDList.frame(.have, ids), by: member)
        }
        simulation.advance(by: .seconds(10))
        let asked = members.dropFirst().map { wanted($0).count }.reduce(0, +)
        #expect((100...320).contains(asked), "\(asked) asked of one machine in 10 s")
        #expect(wanted(members[0]).count >= 100, "another machine has a rate of its own")
    }

    @Test(arguments: [false, true])
    func `messages dated 299 s ahead keep no honest line out`(isGivenAsHistory: Bool) throws {
        let bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob))
        try enter()
        let dated = (1...100).map { message("future \($0)", by: rude, ahead: 299_000) }
        if isGivenAsHistory { send(IDList.frame(.have, dated.map(\.payload.messageId.prefix))) }
        for payload in dated { send(payload.frame(hops: 0)) }
        #expect(alice.texts().count == 100)
        for number in 1...10 { try (number.isMultiple(of: 2) ? alice : bob).say("honest \(number)") }
        simulation.advance(by: .seconds(1))
        try alice.with { node throws(ChatError) in try node.perform(.edit(nil, "edited")) }
        let honest = (1...9).map { "honest \($0)" } + ["edited"]
        let isHonest = { (text: String) in !text.hasPrefix("future") }
        #expect(Set(alice.texts().filter(isHonest)) == Set(honest))
        simulation.advance(by: .seconds(1))
        let carol = simulation.node("carol")
        simulation.advance(by: .seconds(30))
        #expect(carol.texts().count == 100)
        #expect(Set(carol.texts().filter(isHonest)) == Set(honest))
    }

    @Test func `no peer suppresses a message by deleting it in its author's place`() throws {
        let author = RudeMember(simulation: simulation, seed: 500)
        let wish = message("mine", by: author)
        try enter()
        let deletion = rude.payload(.delete(target: wish.payload.messageId), at: simulation.timeline.wallClock)
        send(IDList.frame(.have, [deletion.payload.messageId.prefix]))
        send(deletion.frame(hops: 0))
        #expect(alice.counter("history_received") == 1)
        send(IDList.frame(.have, [wish.payload.messageId.prefix]))
        send(wish.frame(hops: 1))
        #expect(alice.texts() == ["mine"])
        let own = author.payload(.delete(target: wish.payload.messageId), at: simulation.timeline.wallClock)
        send(IDList.frame(.have, [own.payload.messageId.prefix]))
        send(own.frame(hops: 1))
        #expect(alice.texts().isEmpty)
    }

    @Test func `a slow reader is not cut off for having asked`() throws {
        let text = String(repeating: "👩‍🚀", count: 240)
        for _ in 1...100 {
            try alice.say(text)
            simulation.advance(by: .milliseconds(5))
        }
        let bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        try #require(simulation.run { bob.counter("wants_sent") > 0 })
        simulation.network.setReading(false, at: bob.host)
        for _ in 1...40 {
            simulation.advance(by: .milliseconds(50))
            try alice.say(text)
        }
        simulation.advance(by: .seconds(2))
        simulation.network.setReading(true, at: bob.host)
        simulation.advance(by: .seconds(10))
        #expect(alice.counter("link_too_slow") == 0)
        #expect(alice.isOnline(bob))
        #expect(kept(by: bob) == kept(by: alice))
    }
}
