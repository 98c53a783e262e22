import Testing
import Wire

@testable import Chat

/// Direct conversations that were accepted in an earlier run of the identity.
@Suite struct RememberedChatTests {
    private let people = room("alice", "bob", "carol")
    private var alice: Person { people[0] }
    private var bob: Person { people[1] }
    private var carol: Person { people[2] }

    /// Alice again, in a later run.
    private func returned(remembering peers: [PeerID]) -> Person {
        let again = Person("alice", seed: 1, epoch: 2, accepted: peers)
        _ = again.link(to: bob)
        return again
    }

    @Test func `a text of a remembered peer is a message, and is acknowledged`() throws {
        try befriend(bob, alice)
        let again = returned(remembering: [bob.id])
        #expect(again.state(with: bob) == .accepted)
        try bob.does(to: again) { me throws(ChatError) in try me.direct("hello", to: again) }
        #expect(again.texts(with: bob) == ["hello"])
        #expect(again.router.directChats[bob.id]?.unreadCount == 1)
        #expect(!again.events.contains { if case .request = $0 { true } else { false } })
        #expect(bob.deliveries(to: again).last == .delivered)
    }

    @Test func `a text to a remembered peer is no request, and waits for a peer that is away`() throws {
        try befriend(bob, alice)
        let again = returned(remembering: [bob.id])
        let outcome = try again.direct("me again", to: bob)
        #expect(outcome.outgoing.map(\.payload.payload.type) == [.directMessage])
        bob.receive(outcome.outgoing[0].payload)
        #expect(bob.texts(with: again).last == "me again")
        let alone = Person("alice", seed: 1, epoch: 3, accepted: [bob.id])
        #expect(try alone.direct("later", to: bob).outgoing.isEmpty)
        #expect(alone.deliveries(to: bob) == [.sending])
    }

    @Test func `a peer that forgot the conversation is answered with an acceptance`() throws {
        let again = returned(remembering: [bob.id])
        try bob.does(to: again) { me throws(ChatError) in try me.direct("may I?", to: again) }
        #expect(again.texts(with: bob) == ["may I?"])
        #expect(bob.state(with: again) == .accepted)
    }

    @Test func `both sides remember from the acceptance to the end, and nothing else is a change`() throws {
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("may I?", to: bob) }
        #expect(people.map { $0.router.takeAcceptedChange() } == [nil, nil, nil])
        try bob.does(to: alice) { me throws(ChatError) in try me.accept(alice) }
        #expect(people.map { $0.router.takeAcceptedChange() } == [[bob.id], [alice.id], nil])
        try bob.does(to: alice) { me throws(ChatError) in try me.direct("yes", to: alice) }
        #expect(people.map { $0.router.takeAcceptedChange() } == [nil, nil, nil])
        try befriend(carol, alice)
        #expect(alice.router.takeAcceptedChange() == [bob.id, carol.id])
        try bob.does(to: alice) { me throws(ChatError) in try me.leave(alice) }
        #expect(bob.router.takeAcceptedChange() == [])
        #expect(alice.router.takeAcceptedChange() == [carol.id])
    }

    @Test func `a blocked peer is not remembered`() throws {
        try befriend(bob, alice)
        _ = alice.router.takeAcceptedChange()
        _ = alice.router.setBlocked(carol.id, true)
        #expect(alice.router.takeAcceptedChange() == nil)
        _ = alice.router.setBlocked(bob.id, true)
        #expect(alice.router.takeAcceptedChange() == [])
    }

    @Test func `an evicted conversation is not remembered, and of too many the last are taken`() {
        func peer(_ number: UInt64) -> PeerID { RosterTests.peer(number) }
        var chats = DirectChats(capacity: 2, accepted: [peer(1), peer(2), peer(3)])
        #expect(chats.accepted == [peer(2), peer(3)])
        let isFirstChange = chats.takeChange()
        #expect(!isFirstChange)
        chats.updateOrCreate(peer(4)) { $0.state = .accepted }
        let isChange = chats.takeChange()
        #expect(isChange)
        #expect(chats.accepted == [peer(3), peer(4)])
    }

    @Test func `a remembered peer is named by its number before it is met`() {
        let again = Person("alice", seed: 1, epoch: 2, accepted: [bob.id])
        #expect(again.router.roster.find("\(SenderNumber(of: bob.id).number)") == .one(bob.id))
    }
}
