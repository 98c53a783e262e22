import Testing
import Wire

@testable import Chat

struct MessageRouterTests {
    private let people = room("alice", "bob", "carol")
    private var alice: Person { people[0] }
    private var bob: Person { people[1] }
    private var carol: Person { people[2] }

    private func befriend() throws {
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("hi", to: bob) }
        try bob.does(to: alice) { me throws(ChatError) in try me.accept(alice) }
    }

    @Test func `exactly one conversation is active, and the others count unread messages`() throws {
        try befriend()
        let chat = Conversation.direct(alice.id)
        #expect(bob.router.publicChat.isActive)
        alice.router.open(.direct(bob.id))
        bob.receive(alice.sign(.directMessage(target: bob.id, nickname: "alice", text: "1")))
        #expect(bob.router.overview.map(\.unread) == [0, 1])
        bob.router.open(chat)
        #expect(bob.router.overview.map(\.isActive) == [false, true])
        #expect(bob.router.overview.map(\.unread) == [0, 0])
        bob.receive(alice.signPublic("2"))
        bob.receive(alice.sign(.directMessage(target: bob.id, nickname: "alice", text: "3")))
        #expect(bob.router.overview.map(\.unread) == [1, 0])
        #expect(bob.router.overview.map { $0.last?.content } == ["2", "3"])
        bob.router.close()
        #expect(bob.router.overview.map(\.unread) == [0, 0])
        #expect(bob.router.overview.map(\.isActive) == [true, false])
    }

    @Test func `a conversation of a further view is read while any view shows it`() throws {
        try befriend()
        let chat = Conversation.direct(alice.id)
        let unread = { [bob] in bob.router.overview.map(\.unread) }
        let say = { [alice, bob] (text: String) in
            bob.receive(alice.signPublic(text))
            bob.receive(alice.sign(.directMessage(target: bob.id, nickname: "alice", text: text)))
        }
        _ = bob.router.watch([chat])
        say("1")
        #expect(unread() == [0, 0])
        #expect(bob.router.overview.map(\.isActive) == [true, true])
        _ = bob.router.lookAway()
        say("2")
        #expect(unread() == [1, 0])
        // One of the views that show it is closed.
        bob.router.open(chat)
        bob.router.close()
        say("3")
        #expect(unread() == [0, 0])
        _ = bob.router.watch([.publicRoom])
        say("4")
        #expect(unread() == [0, 1])
        bob.router.open(chat)
        say("5")
        #expect(unread() == [0, 0])
        _ = bob.router.watch([])
        say("6")
        #expect(unread() == [1, 0])
    }

    @Test func `unread direct messages are counted beyond the ring as public ones are`() throws {
        try befriend()
        for number in 1...150 {
            bob.receive(alice.sign(.directMessage(target: bob.id, nickname: "alice", text: "\(number)")))
        }
        #expect(bob.router.directChats[alice.id]?.unreadCount == 150)
        #expect(bob.texts(with: alice) == (51...150).map(String.init))
        bob.router.open(.direct(alice.id))
        #expect(bob.router.directChats[alice.id]?.unreadCount == 0)
    }

    @Test func `a line is sent to the active conversation`() throws {
        try befriend()
        alice.router.open(.direct(bob.id))
        let direct = try alice.router.send("to bob", at: alice.moment)
        #expect(direct.outgoing.map(\.destination) == [.peer(bob.id)])
        alice.router.close()
        let room = try alice.router.send("to all", at: alice.moment)
        #expect(room.outgoing.map(\.destination) == [.everyone])
        #expect(alice.texts(with: bob) == ["hi", "to bob"])
        #expect(alice.publicTexts == ["to all"])
    }

    @Test func `the last own message is edited and deleted, or the named one`() throws {
        try alice.does(to: bob) { me throws(ChatError) in try me.say("one") }
        try alice.does(to: bob) { me throws(ChatError) in try me.say("two") }
        alice.receive(bob.signPublic("bob's"))
        try alice.does(to: bob) { me throws(ChatError) in try me.edit("zwei") }
        let first = try #require(alice.router.publicChat.messages.first?.id.hexadecimal)
        try alice.does(to: bob) { me throws(ChatError) in try me.edit(String(first.prefix(6)).uppercased(), "eins") }
        #expect(bob.publicTexts == ["eins", "zwei"])
        try alice.does(to: bob) { me throws(ChatError) in try me.delete(first) }
        try alice.does(to: bob) { me throws(ChatError) in try me.delete() }
        #expect(bob.publicTexts.isEmpty)
        #expect(alice.publicTexts == ["bob's"])
    }

    @Test func `an edit without a target reports its error`() throws {
        alice.receive(bob.signPublic("bob's"))
        let bobs = try #require(alice.router.publicChat.last?.id.hexadecimal)
        for reference in [nil, bobs, "abc", "", "zzzzzz", String(repeating: "0", count: 40)] {
            #expect(code { () throws(ChatError) in try alice.edit(reference, "x") } == .unknownMessage)
            #expect(code { () throws(ChatError) in try alice.delete(reference) } == .unknownMessage)
        }
        try alice.does(to: bob) { me throws(ChatError) in try me.say("mine") }
        #expect(code { () throws(ChatError) in try alice.edit(String(repeating: "x", count: 241)) } == .tooLong)
        #expect(alice.publicTexts == ["bob's", "mine"])
    }

    @Test func `an edit of a direct message is sent to its peer alone`() throws {
        try befriend()
        alice.router.open(.direct(bob.id))
        let outcome = try alice.edit("hello")
        #expect(outcome.outgoing.map(\.destination) == [.peer(bob.id)])
    }

    @Test func `a nickname is checked and announced`() throws {
        let bad = String(repeating: "n", count: 25)
        let error = code { () throws(ChatError) in
            try alice.router.rename(bad, at: alice.moment)
        }
        #expect(error == .invalidNickname)
        let outcome = try alice.router.rename("alicia", at: alice.moment)
        #expect(outcome.outgoing.map(\.destination) == [.everyone])
        let named = bob.router.roster.who(alice.id)
        let events = bob.receive(outcome.outgoing[0].payload)
        #expect(events == [.peer(.here, bob.name(of: alice), was: PeerSighting(named, .here), online: 2)])
        #expect(alice.router.roster.who(alice.id).nickname == "alicia")
        let away = alice.router.setAway(true, at: alice.moment)
        let alicia = bob.router.roster.who(alice.id)
        let left = NodeEvent.peer(.away, bob.name(of: alice), was: PeerSighting(alicia, .here), online: 2)
        #expect(bob.receive(away.outgoing[0].payload) == [left])
    }

    @Test func `typing is reported once, renewed, and ended after 6 seconds or by the message`() {
        let on = PayloadBody.typing(target: nil, isOn: true)
        #expect(bob.receive(alice.sign(on)) == [.typing(bob.name(of: alice), .publicRoom, isOn: true)])
        bob.pass(.seconds(5))
        #expect(bob.receive(alice.sign(on)).isEmpty)
        #expect(bob.router.nextDeadline == bob.now + .seconds(6))
        bob.pass(.milliseconds(5_999))
        #expect(bob.tick().isEmpty)
        bob.pass(.milliseconds(1))
        #expect(bob.tick() == [.typing(bob.name(of: alice), .publicRoom, isOn: false)])
        bob.receive(alice.sign(on))
        #expect(bob.receive(alice.signPublic("typed")).first == .typing(bob.name(of: alice), .publicRoom, isOn: false))
        bob.receive(alice.sign(on))
        #expect(bob.unlink(from: alice, .lost) == [.typing(bob.name(of: alice), .publicRoom, isOn: false)])
        #expect(bob.router.typing.nextDeadline == nil)
    }

    @Test func `typing of muted, blocked and unaccepted peers and of ourselves is not shown`() throws {
        let toBob = PayloadBody.typing(target: bob.id, isOn: true)
        #expect(bob.receive(alice.sign(toBob)).isEmpty)
        try befriend()
        #expect(
            bob.receive(alice.sign(toBob)) == [
                .typing(bob.name(of: alice), .direct(with: bob.name(of: alice)), isOn: true)
            ])
        #expect(carol.receive(alice.sign(toBob)).isEmpty)
        let muting = bob.router.setMuted(alice.id, true)
        let found = bob.router.roster.row(of: alice.id)
        let row = try #require(found)
        #expect(
            muting == [
                .typing(bob.name(of: alice), .direct(with: bob.name(of: alice)), isOn: false), .person(row),
            ])
        #expect(bob.receive(alice.sign(toBob)).isEmpty)
        _ = bob.router.setBlocked(carol.id, true)
        #expect(bob.receive(carol.sign(.typing(target: nil, isOn: true))).isEmpty)
        let ours = bob.sign(.typing(target: nil, isOn: true))
        #expect(bob.router.route(ours, at: bob.moment).isEmpty)
    }

    @Test func `muted peers stay in the list of peers, payloads of blocked ones are ignored`() {
        _ = bob.router.setMuted(alice.id, true)
        alice.session.nickname = "alicia"
        #expect(bob.receive(alice.session.signPresence(at: alice.wallClock)).count == 1)
        _ = bob.router.setBlocked(alice.id, true)
        alice.session.nickname = "eve"
        #expect(bob.receive(alice.session.signPresence(at: alice.wallClock)).isEmpty)
        let row = bob.router.roster.rows.first { $0.who.key == alice.id }
        #expect(row?.who.nickname == "alicia")
        #expect(row?.isMuted == true && row?.isBlocked == true)
    }

    @Test func `an edit of a muted author shows as soon as the author is hidden no more, in either order of the marks`()
    {
        let message = alice.signPublic("before")
        bob.receive(message)
        _ = bob.router.setMuted(alice.id, true)
        #expect(bob.receive(alice.sign(.edit(target: message.id, text: "after"))).isEmpty)
        _ = bob.router.setBlocked(alice.id, true)
        _ = bob.router.setMuted(alice.id, false)
        #expect(bob.router.publicChat.messages[id: message.id]?.content == "before")
        _ = bob.router.setBlocked(alice.id, false)
        #expect(bob.router.publicChat.messages[id: message.id]?.content == "after")
    }

    @Test func `only public payloads are for everyone`() throws {
        let message = alice.signPublic("public")
        let edit = alice.sign(.edit(target: message.payload.messageId, text: "edited"))
        #expect(bob.router.isForEveryone(edit.payload) == false)
        bob.receive(message)
        #expect(bob.router.isForEveryone(message.payload) == true)
        #expect(bob.router.isForEveryone(edit.payload) == true)
        let direct = alice.sign(.edit(to: bob.id, target: message.payload.messageId, text: "for bob"))
        #expect(bob.router.isForEveryone(direct.payload) == false)
        #expect(bob.receive(direct).isEmpty, "a public message is changed for all or not at all")
        #expect(bob.router.isForEveryone(alice.sign(.typing(target: bob.id, isOn: true)).payload) == false)
        #expect(bob.router.isForEveryone(alice.sign(.dmAccept(target: bob.id)).payload) == false)
    }

    private func deletion(of number: UInt64, by person: Person) -> MessageChange {
        let target = MessageID.numbered(number)
        return MessageChange(.delete, of: target, by: person.sign(.delete(target: target)))
    }

    @Test func `at most 128 changes of an author wait for their message, and the oldest is evicted`() {
        var waiting = PendingChanges()
        for number in 0..<300 as Range<UInt64> { waiting.hold(deletion(of: number, by: alice), from: Giver(alice.id)) }
        #expect(waiting.count == 128)
        let outcomes = [171, 172, 172].map { waiting.takeChange(for: .numbered($0), by: alice.id) != nil }
        #expect(outcomes == [false, true, false])
        #expect(waiting.takeChange(for: .numbered(173), by: bob.id) == nil)
        #expect(waiting.count == 127)
    }

    @Test func `at most 256 changes wait, and the author with the most loses its oldest`() {
        var waiting = PendingChanges()
        for number in 0..<128 as Range<UInt64> { waiting.hold(deletion(of: number, by: alice), from: Giver(alice.id)) }
        for number in 0..<100 as Range<UInt64> { waiting.hold(deletion(of: number, by: bob), from: Giver(bob.id)) }
        for number in 0..<40 as Range<UInt64> { waiting.hold(deletion(of: number, by: carol), from: Giver(carol.id)) }
        #expect(waiting.count == 256)
        let kept = [alice, bob, carol].map { person in
            (0..<128 as Range<UInt64>).filter { waiting.takeChange(for: .numbered($0), by: person.id) != nil }
        }
        #expect(kept == [Array(12..<128), Array(0..<100), Array(0..<40)])
        #expect(waiting.count == 0)
    }

    @Test func `stages depend on the session's public messages`() {
        var stages: [SenderStage] = []
        for _ in 0..<101 {
            stages.append(alice.session.stage)
            _ = alice.signPublic("x")
            _ = alice.session.signPresence(at: alice.wallClock)
        }
        let expected = [(SenderStage.newcomer, 10), (.regular, 90), (.resident, 1)]
        #expect(stages == expected.flatMap { Array(repeating: $0.0, count: $0.1) })
    }
}
