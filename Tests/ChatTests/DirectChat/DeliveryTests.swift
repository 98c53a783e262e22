import Testing
import Wire

@testable import Chat

/// Two users in a direct conversation, and the delivery state that each side knows.
struct DeliveryTests {
    private let people: [Person]
    private var alice: Person { people[0] }
    private var bob: Person { people[1] }

    init() throws {
        people = room("alice", "bob", "carol")
        try befriend(people[0], people[1])
    }

    private func say(_ text: String) throws -> Outcome {
        let outcome = try alice.direct(text, to: bob)
        alice.note(outcome.events)
        return outcome
    }

    private func part() {
        _ = alice.unlink(from: bob, .lost)
        _ = bob.unlink(from: alice, .lost)
    }

    private func meet() {
        _ = alice.link(to: bob)
        _ = bob.link(to: alice)
        alice.reply(to: bob)
        bob.reply(to: alice)
    }

    /// Drops `outgoing`; true if it was not empty.
    private func lose(_ outgoing: [Outgoing]) -> Bool { !outgoing.isEmpty }

    @Test func `a message is sending until the receipt comes`() throws {
        let outcome = try say("hi")
        #expect(alice.deliveries(to: bob) == [.delivered, .sending])
        bob.receive(outcome.outgoing[0].payload)
        let replies = bob.replies()
        let id = outcome.outgoing[0].payload.payload.messageId
        #expect(replies.map(\.payload.payload.body) == [.delivered(target: alice.id, ids: [id])])
        #expect(alice.receive(replies[0].payload) == [.delivered(with: alice.name(of: bob), ids: [id])])
        #expect(alice.deliveries(to: bob) == [.delivered, .delivered])
        #expect(alice.receive(replies[0].payload).isEmpty)
        #expect(bob.deliveries(to: alice) == [])
    }

    @Test func `the receipts of one turn are sent together`() throws {
        let payloads = try (1...7).map { try say("\($0)").outgoing[0].payload }
        for payload in payloads { bob.receive(payload) }
        #expect(
            bob.replies().map(\.payload.payload.body)
                == [.delivered(target: alice.id, ids: payloads.map(\.payload.messageId))])
    }

    @Test func `receipts of other peers, and of unknown messages, change nothing`() throws {
        let id = try say("hi").outgoing[0].payload.payload.messageId
        #expect(alice.receive(people[2].sign(.delivered(target: alice.id, ids: [id]))).isEmpty)
        #expect(alice.receive(bob.sign(.delivered(target: alice.id, ids: [.numbered(1)]))).isEmpty)
        let twice = bob.sign(.delivered(target: alice.id, ids: [id, id, .numbered(1)]))
        #expect(alice.receive(twice) == [.delivered(with: alice.name(of: bob), ids: [id])])
    }

    @Test func `a lost receipt is sent again, and no message is shown twice`() throws {
        bob.receive(try say("hi").outgoing[0].payload)
        #expect(lose(bob.replies()))
        part()
        meet()
        #expect(bob.texts(with: alice) == ["may I?", "hi"])
        #expect(bob.router.directChats[alice.id]?.unreadCount == 1)
        #expect(alice.deliveries(to: bob) == [.delivered, .delivered])
        #expect(alice.replies().isEmpty)
    }

    @Test func `messages to an absent peer are delivered on its return, once and in order`() throws {
        part()
        for text in ["1", "2", "3"] { #expect(try say(text).outgoing.isEmpty) }
        #expect(alice.deliveries(to: bob).suffix(3) == [.sending, .sending, .sending])
        meet()
        meet()
        #expect(bob.texts(with: alice) == ["may I?", "1", "2", "3"])
        #expect(alice.deliveries(to: bob).suffix(3) == [.delivered, .delivered, .delivered])
    }

    @Test func `a lost request and a lost acceptance are repaired`() throws {
        let (carol, dave) = (people[2], Person("dave", seed: 50))
        for (one, other) in [(carol, dave), (dave, carol)] { _ = one.link(to: other) }
        #expect(lose(try carol.direct("hello?", to: dave).outgoing))
        for (one, other) in [(carol, dave), (dave, carol)] { _ = one.unlink(from: other, .lost) }
        for (one, other) in [(carol, dave), (dave, carol)] { _ = one.link(to: other) }
        carol.reply(to: dave)
        #expect(dave.router.requests.map(\.text) == ["hello?"])
        #expect(lose(try dave.accept(carol).outgoing))
        #expect(carol.state(with: dave) == .requestedByUs)
        for (one, other) in [(carol, dave), (dave, carol)] { _ = one.unlink(from: other, .lost) }
        for (one, other) in [(carol, dave), (dave, carol)] { _ = one.link(to: other) }
        carol.reply(to: dave)
        #expect(carol.state(with: dave) == .accepted)
        #expect(carol.deliveries(to: dave) == [.delivered])
        #expect(dave.texts(with: carol) == ["hello?"])
    }

    @Test func `a peer that has forgotten us is asked again, and gets all messages once it accepts`() throws {
        part()
        let again = Person("bob", seed: 2, epoch: 2)
        _ = again.link(to: alice)
        _ = alice.link(to: again)
        for text in ["1", "2"] { try alice.does(to: again) { me throws(ChatError) in try me.direct(text, to: again) } }
        #expect(again.router.requests.map(\.text) == ["1"])
        #expect(again.texts(with: alice).isEmpty)
        #expect(alice.deliveries(to: bob) == [.delivered, .sending, .sending])
        try again.does(to: alice) { me throws(ChatError) in try me.accept(alice) }
        alice.reply(to: again)
        #expect(again.texts(with: alice) == ["1", "2"])
        #expect(alice.deliveries(to: bob) == [.delivered, .delivered, .delivered])
    }

    @Test func `an edit and a deletion wait for an absent peer`() throws {
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("keep", to: bob) }
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("drop", to: bob) }
        part()
        alice.router.open(.direct(bob.id))
        #expect(try alice.delete().outgoing.isEmpty)
        #expect(try alice.edit("kept").outgoing.isEmpty)
        #expect(alice.texts(with: bob) == ["may I?", "kept"])
        #expect(bob.texts(with: alice) == ["may I?", "keep", "drop"])
        meet()
        #expect(bob.texts(with: alice) == ["may I?", "kept"])
        let waiting = alice.router.directChats[bob.id]?.queue.count
        #expect(waiting == 0, "changes are acknowledged too")
    }

    @Test func `a message deleted before it was sent is never sent`() throws {
        part()
        alice.router.open(.direct(bob.id))
        _ = try say("oops")
        _ = try alice.edit("ooops")
        _ = try alice.delete()
        _ = alice.link(to: bob)
        #expect(alice.replies().isEmpty)
    }

    @Test func `a message deleted after its link was lost is deleted there, or never sent`() throws {
        alice.router.open(.direct(bob.id))
        bob.receive(try say("arrived").outgoing[0].payload)
        #expect(lose(try say("lost").outgoing))
        part()
        _ = try alice.delete()
        _ = try alice.delete()
        let before = bob.events.count
        meet()
        #expect(bob.texts(with: alice) == ["may I?"])
        #expect(!bob.events.dropFirst(before).contains { if case .message = $0 { true } else { false } })
        #expect(alice.router.directChats[bob.id]?.queue.isEmpty == true)
    }

    @Test func `a muted peer's messages are acknowledged, a blocked one's are not`() throws {
        _ = bob.router.setMuted(alice.id, true)
        let before = bob.events.count
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("muted", to: bob) }
        alice.router.open(.direct(bob.id))
        try alice.does(to: bob) { me throws(ChatError) in try me.edit("still muted") }
        #expect(bob.events.count == before)
        #expect(alice.deliveries(to: bob) == [.delivered, .delivered])
        #expect(alice.router.directChats[bob.id]?.queue.isEmpty == true)
        _ = bob.router.setBlocked(alice.id, true)
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("blocked", to: bob) }
        #expect(alice.deliveries(to: bob).last == .sending)
        #expect(code { () throws(ChatError) in try bob.direct("hi", to: alice) } == .notConnected)
    }

    @Test func `a message is not acknowledged before its conversation is accepted`() throws {
        let carol = people[2]
        let request = try carol.direct("hello?", to: bob).outgoing[0].payload
        bob.receive(request)
        bob.receive(carol.sign(.directMessage(target: bob.id, nickname: "carol", text: "too soon")))
        bob.receive(carol.sign(.edit(to: bob.id, target: request.payload.messageId, text: "hello!")))
        #expect(bob.replies().isEmpty)
    }

    @Test func `a message that the other left without is failed for good`() throws {
        let outgoing = try say("hi").outgoing
        let id = outgoing[0].payload.payload.messageId
        let leave = try bob.leave(alice)
        #expect(
            alice.receive(leave.outgoing[0].payload) == [
                .direct(.left, with: alice.name(of: bob)),
                .failed(with: alice.name(of: bob), messages: [Undelivered(id: id, text: "hi")]),
            ])
        #expect(alice.receive(bob.sign(.delivered(target: alice.id, ids: [id]))).isEmpty)
        #expect(alice.deliveries(to: bob) == [.delivered, .failed])
    }

    @Test func `a message received before the other left is acknowledged first`() throws {
        bob.receive(try say("hi").outgoing[0].payload)
        let departure = try bob.leave(alice).outgoing
        for item in bob.replies() + departure { alice.receive(item.payload) }
        #expect(alice.deliveries(to: bob) == [.delivered, .delivered])
    }

    @Test func `a message under way when we leave may still be delivered`() throws {
        let outgoing = try say("bye").outgoing
        part()
        _ = try say("never sent")
        _ = alice.link(to: bob)
        _ = bob.link(to: alice)
        let again = alice.replies()
        let left = try alice.leave(bob)
        #expect(left.events == [.direct(.left, with: alice.name(of: bob))])
        for item in outgoing + again + left.outgoing { bob.receive(item.payload) }
        bob.reply(to: alice)
        #expect(alice.deliveries(to: bob) == [.delivered, .delivered, .delivered])
        #expect(bob.state(with: alice) == .left)
    }

    @Test func `a message that waits when we leave fails, at the latest with the link`() throws {
        _ = try say("on its way")
        let left = try alice.leave(bob)
        #expect(left.events == [.direct(.left, with: alice.name(of: bob))])
        let events = alice.unlink(from: bob, .lost)
        #expect(
            events.contains {
                if case .failed(let who, let lost) = $0, who.key == bob.id {
                    lost.map(\.text) == ["on its way"]
                } else {
                    false
                }
            })
        #expect(alice.deliveries(to: bob) == [.delivered, .failed])
    }

    @Test func `of 101 waiting messages the oldest fails`() throws {
        part()
        var events: [NodeEvent] = []
        for number in 0...100 { events += try say("\(number)").events }
        let failed = events.compactMap {
            if case .failed(let who, let lost) = $0, who.key == bob.id { lost.map(\.text) } else { nil }
        }
        #expect(failed == [["0"]])
        #expect(alice.router.directChats[bob.id]?.queue.count == 100)
    }

    @Test func `blocking and leaving for good give up the waiting messages`() throws {
        part()
        _ = try say("1")
        let blocked = alice.router.setBlocked(bob.id, true)
        #expect(blocked.contains { if case .failed(let who, _) = $0 { who.key == bob.id } else { false } })
        _ = alice.router.setBlocked(bob.id, false)
        _ = try say("2")
        let events = alice.router.giveUp()
        #expect(events.map { if case .failed(_, let lost) = $0 { lost.map(\.text) } else { [] } } == [["2"]])
        #expect(alice.router.giveUp().isEmpty)
    }

    @Test func `an evicted conversation reports its waiting messages as failed`() throws {
        part()
        _ = try say("waits")
        var events: [NodeEvent] = []
        for number in 0..<256 as Range<UInt64> {
            let peer = Person("p", seed: 1_000 + number)
            _ = alice.link(to: peer)
            events += try alice.direct("hi", to: peer).events
            alice.receive(peer.sign(.dmAccept(target: alice.id)))
        }
        #expect(alice.router.directChats[bob.id] == nil)
        #expect(
            events.contains {
                if case .failed(let who, let lost) = $0, who.key == bob.id {
                    lost.map(\.text) == ["waits"]
                } else {
                    false
                }
            })
    }
}
