import Testing
import Wire

@testable import Chat

struct PublicChatTests {
    private let people = room("alice", "bob")
    private var alice: Person { people[0] }
    private var bob: Person { people[1] }

    @Test func `a message received while the chat is not active adds one unread, and activating it clears all`() throws
    {
        bob.router.open(.direct(alice.id))
        for number in 1...3 {
            let events = bob.receive(alice.signPublic("\(number)"))
            guard case .message(let message) = events.last, message.conversation == .publicRoom,
                message.unread == number
            else {
                Issue.record("\(events)")
                return
            }
            #expect(message.text == "\(number)")
        }
        #expect(bob.unread == 3)
        bob.router.close()
        #expect(bob.unread == 0)
        bob.receive(alice.signPublic("seen"))
        #expect(bob.unread == 0)
        bob.router.open(.direct(alice.id))
        #expect(bob.unread == 0)
    }

    @Test func `our own messages, duplicates and history are never unread`() throws {
        bob.router.open(.direct(alice.id))
        _ = try bob.say("mine")
        #expect(bob.unread == 0)
        let twice = alice.signPublic("twice")
        bob.receive(twice)
        #expect(bob.receive(twice).isEmpty)
        #expect(bob.receive(twice, via: alice, isHistory: true).isEmpty)
        #expect(bob.unread == 1)
        bob.receive(alice.signPublic("from before"), via: alice, isHistory: true)
        #expect(bob.unread == 1)
        #expect(bob.publicTexts == ["from before", "mine", "twice"])
    }

    @Test func `the count of unread messages goes on beyond the 100 kept`() {
        bob.router.open(.direct(alice.id))
        for number in 1...250 { bob.receive(alice.signPublic("\(number)")) }
        #expect(bob.unread == 250)
        #expect(bob.publicTexts == (151...250).map(String.init))
        bob.router.close()
        #expect(bob.unread == 0)
    }

    @Test(arguments: [(29_999, 1), (30_000, nil)] as [(UInt64, Int?)])
    func
        `a message missed within half a minute is shown though a hundred later ones are here, and older history is not`(
            age: UInt64, unread: Int?
        ) throws
    {
        var chat = PublicChat()
        let now = Timestamp(milliseconds: 1_000_000)
        func receive(_ text: String, signedAt time: UInt64, askedAt: Timestamp?) throws -> Int? {
            alice.wallClock = Timestamp(milliseconds: time)
            let message = Message(
                from: alice.signPublic(text), knownStage: .newcomer, receivedAt: now, askedAt: askedAt,
                joinedAt: Timestamp(milliseconds: 1))
            return chat.receive(try #require(message), edit: nil, isOwn: false)
        }
        let missed = try receive("early", signedAt: now.milliseconds - age - 1, askedAt: now)
        #expect(missed == 1)
        for number in 0..<99 as Range<UInt64> {
            _ = try receive("\(number)", signedAt: now.milliseconds - 99 + number, askedAt: nil)
        }
        // The signing clock of an author never goes back, so that this one is of another.
        bob.wallClock = Timestamp(milliseconds: now.milliseconds - age)
        let last = try receive("100", signedAt: now.milliseconds, askedAt: nil)
        #expect(last == 101)
        let late = try #require(
            Message(
                from: bob.signPublic("late"), knownStage: .newcomer, receivedAt: now, askedAt: now,
                joinedAt: Timestamp(milliseconds: 1)))
        let counted = chat.receive(late, edit: nil, isOwn: false)
        #expect(counted == unread.map { 101 + $0 })
        #expect(chat.messages.count == 100 && !chat.messages.contains { $0.content == "late" })
    }

    @Test func `an edit adds no unread, active or not`() throws {
        let message = alice.signPublic("frist")
        bob.router.open(.direct(alice.id))
        bob.receive(message)
        let events = bob.receive(alice.sign(.edit(target: message.payload.messageId, text: "first")))
        guard case .edited(let edited) = events.first, edited.conversation == .publicRoom, edited.unread == 1 else {
            Issue.record("\(events)")
            return
        }
        #expect(edited.text == "first")
        #expect(edited.isEdited)
        bob.router.close()
        bob.receive(alice.sign(.edit(target: message.payload.messageId, text: "1st")))
        #expect(bob.unread == 0)
        #expect(bob.publicTexts == ["1st"])
    }

    @Test func `deleting an unread message subtracts one, deleting a read one none`() {
        let read = alice.signPublic("read")
        bob.receive(read)
        bob.router.open(.direct(alice.id))
        let unread = alice.signPublic("unread")
        bob.receive(unread)
        for (payload, count) in [(read, 1), (unread, 0)] {
            let events = bob.receive(alice.sign(.delete(target: payload.payload.messageId)))
            guard case .deleted(let message)? = events.first, message.conversation == .publicRoom,
                message.unread == count, events.count == 1
            else {
                Issue.record("\(events)")
                continue
            }
            #expect(message.id == payload.payload.messageId && message.from.key == alice.id)
        }
        #expect(bob.receive(alice.sign(.delete(target: unread.payload.messageId))).isEmpty)
        #expect(bob.unread == 0)
    }

    @Test func `deleting an unread message that was evicted changes nothing`() {
        bob.router.open(.direct(alice.id))
        let first = alice.signPublic("first")
        bob.receive(first)
        for number in 1...100 { bob.receive(alice.signPublic("\(number)")) }
        #expect(bob.receive(alice.sign(.delete(target: first.payload.messageId))).isEmpty)
        #expect(bob.unread == 101)
    }

    @Test func `a message is edited and deleted by its author alone`() {
        let people = room("alice", "bob", "carol")
        let message = people[0].signPublic("mine")
        people[1].receive(message)
        let id = message.payload.messageId
        #expect(people[1].receive(people[2].sign(.edit(target: id, text: "yours"))).isEmpty)
        #expect(people[1].receive(people[2].sign(.delete(target: id))).isEmpty)
        #expect(people[1].publicTexts == ["mine"])
        #expect(!people[1].receive(people[0].sign(.delete(target: id))).isEmpty)
    }

    @Test func `edits in any order show the last one`() {
        let message = alice.signPublic("one")
        let second = alice.sign(.edit(target: message.payload.messageId, text: "two"))
        let third = alice.sign(.edit(target: message.payload.messageId, text: "three"))
        bob.receive(message)
        bob.receive(third)
        #expect(bob.receive(second).isEmpty)
        #expect(bob.receive(third).isEmpty)
        #expect(bob.publicTexts == ["three"])
    }

    @Test func `an edit that comes before its message is shown with it, and a deletion suppresses it`() {
        bob.router.open(.direct(alice.id))
        let edited = alice.signPublic("early")
        bob.receive(alice.sign(.edit(target: edited.payload.messageId, text: "late")))
        bob.receive(edited)
        #expect(bob.publicTexts == ["late"])
        let deleted = alice.signPublic("gone")
        bob.receive(alice.sign(.delete(target: deleted.payload.messageId)))
        bob.receive(alice.sign(.edit(target: deleted.payload.messageId, text: "not back")))
        #expect(bob.receive(deleted).isEmpty)
        #expect(bob.unread == 1)
    }

    @Test func `240 characters are sent and 241 are refused without losing the text`() throws {
        try alice.does(to: bob) { person throws(ChatError) in try person.say(String(repeating: "x", count: 240)) }
        #expect(code { () throws(ChatError) in try alice.say(String(repeating: "x", count: 241)) } == .tooLong)
        #expect(code { () throws(ChatError) in try alice.say("  \n ") } == .empty)
        #expect(bob.publicTexts.map(\.count) == [240])
        #expect(alice.publicTexts == bob.publicTexts)
    }

    @Test func `the author of a message is computed from its key`() throws {
        try alice.does(to: bob) { person throws(ChatError) in try person.say("hi") }
        let sent = try #require(alice.router.publicChat.last)
        let received = try #require(bob.router.publicChat.last)
        let isAlices = sent.isFromCurrentUser(alice.session.id)
        let isBobs = received.isFromCurrentUser(bob.session.id)
        #expect(isAlices && !isBobs)
        #expect(received.displayName == "alice#\(SenderNumber(of: alice.id).number)")
        #expect(sent.id == received.id)
    }
}
