import Testing
import Wire

@testable import Chat

struct DirectChatTests {
    private let people = room("alice", "bob", "carol")
    private var alice: Person { people[0] }
    private var bob: Person { people[1] }
    private var carol: Person { people[2] }

    private func aliceAsks(_ text: String = "may I?") throws {
        try alice.does(to: bob) { me throws(ChatError) in try me.direct(text, to: bob) }
    }

    private func bobAccepts() throws {
        try bob.does(to: alice) { me throws(ChatError) in try me.accept(alice) }
    }

    private func direct(_ text: String, from: Person, to: Person) -> VerifiedPayload {
        from.sign(.directMessage(target: to.id, nickname: from.session.nickname, text: text))
    }

    @Test func `a request is shown as one, accepted, and answered`() throws {
        try aliceAsks()
        #expect(bob.events.last == .request(from: bob.name(of: alice), text: "may I?"))
        #expect(bob.router.requests.map(\.text) == ["may I?"])
        #expect(bob.texts(with: alice).isEmpty)
        try bobAccepts()
        #expect(bob.router.requests.isEmpty)
        #expect(bob.texts(with: alice) == ["may I?"])
        #expect(bob.router.directChats[alice.id]?.unreadCount == 0)
        #expect(alice.events.contains(.direct(.accepted, with: alice.name(of: bob))))
        try bob.does(to: alice) { me throws(ChatError) in try me.direct("gladly", to: alice) }
        #expect(alice.texts(with: bob) == ["may I?", "gladly"])
        #expect(bob.texts(with: alice) == ["may I?", "gladly"])
        #expect(alice.router.directChats[bob.id]?.unreadCount == 1)
    }

    @Test func `nothing is delivered before acceptance`() throws {
        try aliceAsks()
        let before = bob.events.count
        bob.receive(direct("too soon", from: alice, to: bob))
        bob.receive(alice.sign(.dmRequest(target: bob.id, nickname: "alice", text: "again")))
        #expect(bob.events.count == before)
        #expect(bob.router.requests.map(\.text) == ["may I?"])
        #expect(code { () throws(ChatError) in try alice.direct("and?", to: bob) } == .notAccepted)
        try bobAccepts()
        // The text comes again behind the acceptance; a request does not.
        #expect(bob.texts(with: alice) == ["may I?", "again"])
    }

    @Test func `a decline is silent, and later requests are not shown`() throws {
        try aliceAsks()
        let told = alice.events.count
        let outcome = try bob.router.decline(alice.id)
        #expect(outcome.outgoing.isEmpty)
        #expect(outcome.events == [.direct(.declined, with: bob.name(of: alice))])
        try alice.does(to: bob) { me throws(ChatError) in try me.leave(bob) }
        let before = bob.events.count
        try aliceAsks("please")
        bob.receive(direct("please!", from: alice, to: bob))
        #expect(bob.events.count == before)
        #expect(bob.router.requests.isEmpty)
        #expect(alice.events.count == told + 3, "her leaving, the request given up, and her new one")
    }

    @Test func `a peer that declined can still send a request, which is consent`() throws {
        try aliceAsks()
        _ = try bob.router.decline(alice.id)
        try bob.does(to: alice) { me throws(ChatError) in try me.direct("after all", to: alice) }
        #expect(alice.state(with: bob) == .accepted)
        #expect(bob.state(with: alice) == .accepted)
        #expect(alice.texts(with: bob) == ["may I?", "after all"])
    }

    @Test func `the text of a declined request does not come back when its author sends it again`() throws {
        let asked = try alice.direct("may I?", to: bob)
        bob.receive(asked.outgoing[0].payload)
        _ = try bob.router.decline(alice.id)
        try bob.does(to: alice) { me throws(ChatError) in try me.direct("after all", to: alice) }
        bob.receive(asked.outgoing[0].payload)
        #expect(bob.texts(with: alice) == ["after all"])
        #expect(bob.router.directChats[alice.id]?.unreadCount == 0)
    }

    @Test func `a declined request is acknowledged once its receiver asks, without a new link`() throws {
        try aliceAsks()
        _ = try bob.router.decline(alice.id)
        #expect(alice.deliveries(to: bob) == [.sending])
        try bob.does(to: alice) { me throws(ChatError) in try me.direct("after all", to: alice) }
        #expect(alice.deliveries(to: bob) == [.delivered])
        #expect(bob.texts(with: alice) == ["after all"])
    }

    @Test func `a request that came while an earlier one was open is shown and acknowledged once that is accepted`()
        throws
    {
        try aliceAsks("first")
        _ = alice.unlink(from: bob, .lost)
        _ = bob.unlink(from: alice, .lost)
        alice.note(try alice.leave(bob).events)
        _ = alice.link(to: bob)
        _ = bob.link(to: alice)
        try aliceAsks("second")
        #expect(bob.router.requests.map(\.text) == ["first"])
        try bobAccepts()
        #expect(bob.texts(with: alice) == ["first", "second"])
        #expect(alice.deliveries(to: bob) == [.failed, .delivered])
    }

    @Test func `a hidden request that its author has withdrawn is not shown later`() throws {
        try aliceAsks()
        _ = try bob.router.decline(alice.id)
        try alice.does(to: bob) { me throws(ChatError) in try me.leave(bob) }
        try aliceAsks("please")
        try alice.does(to: bob) { me throws(ChatError) in try me.leave(bob) }
        try bob.does(to: alice) { me throws(ChatError) in try me.direct("after all", to: alice) }
        try alice.does(to: bob) { me throws(ChatError) in try me.accept(bob) }
        #expect(bob.texts(with: alice) == ["after all"])
        #expect(alice.deliveries(to: bob) == [.failed, .failed])
    }

    @Test func `a text that came before its receiver agreed by a request is sent again behind that request`() throws {
        try befriend(alice, bob)
        _ = alice.unlink(from: bob, .lost)
        _ = bob.unlink(from: alice, .lost)
        bob.note(try bob.leave(alice).events)
        _ = try alice.direct("early", to: bob)
        _ = alice.link(to: bob)
        _ = bob.link(to: alice)
        // Bob has left, and answers the text by his departure, which is lost: Alice does not know.
        for reply in alice.replies() { bob.receive(reply.payload) }
        _ = bob.replies()
        #expect(bob.texts(with: alice) == ["may I?"])
        try bob.does(to: alice) { me throws(ChatError) in try me.direct("again?", to: alice) }
        #expect(bob.texts(with: alice).contains("early"))
        #expect(alice.deliveries(to: bob) == [.delivered, .delivered])
    }

    @Test func `crossing requests are accepted on both sides and both are delivered once`() throws {
        let fromAlice = try alice.direct("hi bob", to: bob)
        let fromBob = try bob.direct("hi alice", to: alice)
        alice.receive(fromBob.outgoing[0].payload)
        bob.receive(fromAlice.outgoing[0].payload)
        for (person, other) in [(alice, bob), (bob, alice)] {
            #expect(person.state(with: other) == .accepted)
            #expect(person.router.directChats[other.id]?.unreadCount == 1)
        }
        let replies = people.map { $0.replies() }
        #expect(
            replies.map { $0.map(\.payload.payload.type) } == [[.dmAccept, .delivered], [.dmAccept, .delivered], []])
        for (reply, (other, from)) in zip(replies, [(bob, alice), (alice, bob)]) {
            let id = try #require(other.router.directChats[from.id]?.messages.first { $0.author == other.id }?.id)
            #expect(reply.flatMap { other.receive($0.payload) } == [.delivered(with: other.name(of: from), ids: [id])])
            #expect(other.replies().isEmpty)
        }
        #expect(Set(alice.texts(with: bob)) == ["hi bob", "hi alice"])
        #expect(Set(bob.texts(with: alice)) == ["hi bob", "hi alice"])
    }

    @Test func `a text to a peer that asked accepts and is delivered`() throws {
        try aliceAsks()
        try bob.does(to: alice) { me throws(ChatError) in try me.direct("yes", to: alice) }
        #expect(alice.state(with: bob) == .accepted)
        #expect(alice.texts(with: bob) == ["may I?", "yes"])
        #expect(bob.texts(with: alice) == ["may I?", "yes"])
    }

    @Test func `leaving ends the conversation on both sides, and a new request is needed`() throws {
        try aliceAsks()
        try bobAccepts()
        try bob.does(to: alice) { me throws(ChatError) in try me.leave(alice) }
        #expect(alice.events.last == .direct(.left, with: alice.name(of: bob)))
        #expect(bob.events.last == .direct(.left, with: bob.name(of: alice)))
        alice.receive(direct("still there?", from: bob, to: alice))
        #expect(!alice.texts(with: bob).contains("still there?"))
        try aliceAsks("once more?")
        #expect(bob.events.last == .request(from: bob.name(of: alice), text: "once more?"))
        #expect(code { () throws(ChatError) in try bob.leave(alice) } == .notAccepted)
    }

    @Test func `a peer that missed our leaving learns it at its next message`() throws {
        try aliceAsks()
        try bobAccepts()
        _ = try bob.leave(alice)
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("hello?", to: bob) }
        #expect(!bob.texts(with: alice).contains("hello?"))
        #expect(alice.state(with: bob) == .left)
    }

    @Test func `a withdrawn request is no longer open`() throws {
        try aliceAsks()
        try alice.does(to: bob) { me throws(ChatError) in try me.leave(bob) }
        #expect(bob.router.requests.isEmpty)
        #expect(code { () throws(ChatError) in try bob.accept(alice) } == .notAccepted)
    }

    @Test func `payloads of muted and blocked peers are neither shown nor counted`() throws {
        try aliceAsks("before")
        try bobAccepts()
        _ = bob.router.setMuted(alice.id, true)
        let before = bob.events.count
        bob.receive(direct("muted", from: alice, to: bob))
        bob.receive(alice.signPublic("muted"))
        #expect(bob.events.count == before)
        _ = bob.router.setMuted(alice.id, false)
        bob.receive(direct("heard", from: alice, to: bob))
        #expect(bob.texts(with: alice) == ["before", "heard"])
        _ = bob.router.setBlocked(carol.id, true)
        bob.receive(carol.sign(.dmRequest(target: bob.id, nickname: "carol", text: "me too")))
        #expect(bob.router.requests.isEmpty)
        #expect(bob.router.directChats[carol.id] == nil)
    }

    @Test func `the oldest of 33 open requests is dropped`() throws {
        let askers = (0..<33).map { Person("asker\($0)", seed: 100 + UInt64($0)) }
        for asker in askers {
            bob.receive(asker.sign(.dmRequest(target: bob.id, nickname: "x", text: asker.session.nickname)))
        }
        #expect(bob.router.requests.map(\.text) == (1...32).map { "asker\($0)" })
        #expect(code { () throws(ChatError) in try bob.accept(askers[0]) } == .notAccepted)
    }

    @Test func `direct payloads are taken only over their author's link and only by their target`() throws {
        try aliceAsks()
        try bobAccepts()
        let relayed = direct("relayed", from: alice, to: bob)
        #expect(bob.receive(relayed, via: carol).isEmpty)
        #expect(carol.receive(direct("not for carol", from: alice, to: bob)).isEmpty)
        #expect(carol.receive(alice.sign(.dmRequest(target: bob.id, nickname: "alice", text: "x"))).isEmpty)
        #expect(bob.receive(relayed).count == 1)
    }

    @Test func `a direct message is changed only over its author's own link`() throws {
        try aliceAsks("frist")
        try bobAccepts()
        let id = try #require(bob.router.directChats[alice.id]?.last?.id)
        let edit = alice.sign(.edit(to: bob.id, target: id, text: "first"))
        #expect(bob.receive(edit, via: carol).isEmpty)
        #expect(bob.receive(carol.sign(.edit(to: bob.id, target: id, text: "carol's"))).isEmpty)
        #expect(bob.receive(alice.sign(.edit(target: id, text: "for all to see"))).isEmpty)
        #expect(bob.receive(edit).count == 1)
        #expect(bob.texts(with: alice) == ["first"])
        #expect(bob.router.isForEveryone(edit.payload) == false)
    }

    @Test func `a request edited while it is open shows the edit once it is accepted`() throws {
        try aliceAsks("frist")
        alice.router.open(.direct(bob.id))
        let edit = try alice.edit("first")
        #expect(edit.outgoing.map(\.destination) == [.peer(bob.id)])
        bob.receive(edit.outgoing[0].payload)
        #expect(bob.router.requests.map(\.text) == ["frist"])
        try bobAccepts()
        #expect(bob.texts(with: alice) == ["first"])
    }

    @Test func `a peer that is not connected cannot be written to`() throws {
        let dave = Person("dave", seed: 50)
        #expect(code { () throws(ChatError) in try alice.direct("hi", to: dave) } == .notConnected)
        _ = bob.router.setBlocked(alice.id, true)
        #expect(code { () throws(ChatError) in try bob.direct("hi", to: alice) } == .notConnected)
    }

    @Test(arguments: [false, true])
    func `a request is accepted while its peer can not be reached, and the answer goes first on the next link`(
        bySaying: Bool
    ) throws {
        try aliceAsks()
        for (one, other) in [(alice, bob), (bob, alice)] { _ = one.unlink(from: other, .lost) }
        let outcome = try bySaying ? bob.direct("gladly", to: alice) : bob.accept(alice)
        #expect(outcome.outgoing.isEmpty && bob.replies().isEmpty)
        #expect(bob.state(with: alice) == .accepted && bob.texts(with: alice).first == "may I?")
        for (one, other) in [(alice, bob), (bob, alice)] { _ = one.link(to: other) }
        let answers = bob.replies()
        let kinds: [PayloadType] = [.dmAccept, .delivered] + (bySaying ? [.directMessage] : [])
        #expect(answers.map(\.payload.payload.type) == kinds)
        for answer in answers { alice.receive(answer.payload) }
        #expect(alice.state(with: bob) == .accepted)
        #expect(alice.texts(with: bob) == ["may I?"] + (bySaying ? ["gladly"] : []))
        #expect(alice.router.directChats[bob.id]?.queue.isEmpty == true)
        for (one, other) in [(alice, bob), (bob, alice)] {
            _ = one.unlink(from: other, .lost)
            _ = one.link(to: other)
        }
        #expect(!bob.replies().contains { $0.payload.payload.type == .dmAccept }, "said once")
    }

    private func asks(_ person: Person) -> VerifiedPayload {
        person.sign(.dmRequest(target: bob.id, nickname: person.session.nickname, text: "may I?"))
    }

    private var reports: (requests: Int, departures: Int) {
        (
            bob.events.count { if case .request = $0 { true } else { false } },
            bob.events.count { if case .direct(.left, _) = $0 { true } else { false } }
        )
    }

    @Test func `a peer that asks and withdraws without end is reported once in two minutes`() {
        for _ in 0..<40 {
            bob.receive(asks(alice))
            bob.receive(alice.sign(.dmLeave(target: bob.id)))
        }
        #expect(reports == (1, 1))
        bob.receive(asks(alice))
        #expect(reports == (1, 1) && bob.router.requests.map(\.from) == [alice.id], "it is listed")
        bob.receive(alice.sign(.dmLeave(target: bob.id)))
        bob.now = bob.now + .seconds(121)
        bob.receive(asks(alice))
        #expect(reports == (2, 1))
    }

    @Test func `the peers of one giver are reported ten at once, and the others are listed`() {
        let peers = (0..<20).map { Person("p", seed: 2_000 + UInt64($0)) }
        for peer in peers {
            bob.router.setGiver(Giver(address: [10, 0, 0, 9]), of: peer.id)
            bob.receive(asks(peer))
        }
        bob.receive(asks(alice))
        #expect(reports.requests == 11)
        #expect(bob.router.requests.count == 21)
    }

    @Test func `forty requests of one giver displace none of another`() {
        bob.receive(asks(alice))
        for number in 0..<40 as Range<UInt64> {
            let peer = Person("p", seed: 2_000 + number)
            bob.router.setGiver(Giver(address: [10, 0, 0, 9]), of: peer.id)
            bob.receive(asks(peer))
        }
        #expect(bob.router.requests.count == Limits.openRequests)
        #expect(bob.router.requests.first?.from == alice.id)
    }

    @Test func `at most 256 conversations are kept, and accepted ones longest`() throws {
        try aliceAsks()
        try bobAccepts()
        for number in 0..<300 {
            let peer = Person("p", seed: 1_000 + UInt64(number))
            _ = bob.link(to: peer)
            _ = try bob.direct("hi", to: peer)
            _ = try bob.leave(peer)
        }
        #expect(bob.router.directChats.count == 256)
        #expect(bob.state(with: alice) == .accepted)
    }
}
