import Testing
import Wire

@testable import Chat

/// The public payloads that are kept for others.
struct ArchiveTests {
    private let people = room("alice", "bob", "carol")
    private var alice: Person { people[0] }
    private var bob: Person { people[1] }
    private var carol: Person { people[2] }

    private func id(_ payload: VerifiedPayload) -> UInt64 { payload.payload.messageId.prefix }

    private func edit(_ message: VerifiedPayload, _ text: String) -> VerifiedPayload {
        alice.sign(.edit(to: message.payload.target, target: message.payload.messageId, text: text))
    }

    private func deletion(_ message: VerifiedPayload) -> VerifiedPayload {
        alice.sign(.delete(to: message.payload.target, target: message.payload.messageId))
    }

    @Test func `the offer lists deletions, then messages by their time, each behind its latest edit`() {
        let late = alice.signPublic("late")
        alice.wallClock = Timestamp(milliseconds: alice.wallClock.milliseconds - 9_000)
        let early = alice.signPublic("early")
        let gone = alice.signPublic("gone")
        for payload in [late, early, gone] { bob.receive(payload) }
        let (first, last, removal) = (edit(early, "1"), edit(early, "2"), deletion(gone))
        for payload in [first, last, removal] { bob.receive(payload) }
        #expect(bob.router.publicChat.offer == [removal, last, early, late].map(id))
        #expect(bob.router.publicChat.payload(id(last))?.signed == last.signed)
        #expect([first, gone].allSatisfy { bob.router.publicChat.payload(id($0)) == nil })
        #expect(bob.router.publicChat.lacking([first, gone, removal, early].map(id)).isEmpty)
        #expect(bob.router.publicChat.lacking([4, 5]) == [4, 5])
    }

    @Test func `a history received in the order of the offer gives the same state, and each message is reported once`()
    {
        let messages = (0..<20).map { alice.signPublic("\($0)") }
        let changes = [edit(messages[3], "three"), deletion(messages[7]), edit(messages[3], "III")]
        for payload in messages + changes { bob.receive(payload) }
        for id in bob.router.publicChat.offer {
            guard let payload = bob.router.publicChat.payload(id) else { continue }
            carol.receive(payload, via: bob, isHistory: true)
        }
        #expect(carol.publicTexts == bob.publicTexts)
        #expect(carol.events.count { if case .message = $0 { true } else { false } } == 19)
        #expect(!carol.events.contains { if case .edited = $0 { true } else { false } })
        #expect(carol.router.publicChat.offer == bob.router.publicChat.offer)
    }

    @Test func `a change of a direct message is never offered`() throws {
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("hi", to: bob) }
        try bob.does(to: alice) { me throws(ChatError) in try me.accept(alice) }
        let direct = alice.sign(.directMessage(target: bob.id, nickname: "alice", text: "psst"))
        let (early, late) = (edit(direct, "pst"), edit(direct, "ps"))
        for payload in [early, direct, late] { bob.receive(payload) }
        #expect(bob.texts(with: alice) == ["hi", "ps"])
        // The message is not here.
        let unsaid = alice.sign(.directMessage(target: bob.id, nickname: "alice", text: "never mind"))
        for payload in [deletion(unsaid), unsaid] { bob.receive(payload) }
        #expect(bob.texts(with: alice) == ["hi", "ps"])
        #expect(bob.router.publicChat.offer.isEmpty)
        // Not even if its author gives it as history.
        let given = edit(direct, "p")
        bob.receive(given, via: alice, isHistory: true)
        bob.receive(deletion(direct), via: alice, isHistory: true)
        #expect(bob.texts(with: alice) == ["hi", "ps"])
        #expect(bob.router.publicChat.offer.isEmpty)
        bob.receive(deletion(direct))
        #expect(bob.texts(with: alice) == ["hi"])
        #expect(bob.router.publicChat.offer.isEmpty)
        #expect(bob.router.archivedItems().isEmpty)
    }

    @Test func `a deleted message does not come back, live or as history`() {
        let message = alice.signPublic("regretted")
        let removal = deletion(message)
        carol.receive(removal, via: bob, isHistory: true)
        #expect(carol.receive(message, via: bob, isHistory: true).isEmpty)
        #expect(carol.receive(message).isEmpty)
        #expect(carol.publicTexts.isEmpty)
        #expect(carol.router.publicChat.offer == [id(removal)])
        #expect(carol.router.publicChat.lacking([id(message), id(removal)]).isEmpty)
    }

    /// Deletions of messages that never were, each by another author.
    private func inventedDeletions(_ count: UInt64, seed: UInt64) -> [VerifiedPayload] {
        (0..<count).map { number in
            Person("mallory", seed: seed + number).sign(.delete(target: .numbered(number)))
        }
    }

    @Test func `deletions of messages that never were displace none of one that was, and no newcomer sees its text`() {
        let message = alice.signPublic("regretted")
        let removal = deletion(message)
        bob.receive(message)
        bob.receive(removal)
        let mallory = Person("mallory", seed: 700)
        for invented in inventedDeletions(200, seed: 1_000) { bob.receive(invented, via: mallory, isHistory: true) }
        #expect(bob.router.publicChat.offer.count == 100)
        #expect(bob.router.publicChat.offer.first == id(removal))
        #expect(bob.receive(message, via: carol, isHistory: true).isEmpty)
        let newcomer = Person("dave", seed: 900)
        for id in bob.router.publicChat.offer {
            if let payload = bob.router.publicChat.payload(id) { newcomer.receive(payload, via: bob, isHistory: true) }
        }
        for invented in inventedDeletions(200, seed: 2_000) {
            newcomer.receive(invented, via: mallory, isHistory: true)
        }
        // One that missed the deletion still has the message.
        #expect(newcomer.receive(message, via: carol, isHistory: true).isEmpty)
        #expect(newcomer.publicTexts.isEmpty && newcomer.router.publicChat.offer.first == id(removal))
    }

    @Test func `a deletion that waits for its message is displaced by none of another giver`() {
        let message = alice.signPublic("regretted")
        carol.receive(deletion(message), via: bob)
        let mallory = Person("mallory", seed: 700)
        for invented in inventedDeletions(600, seed: 1_000) { carol.receive(invented, via: mallory) }
        #expect(carol.router.pendingChanges.count == PendingChanges.capacity)
        #expect(carol.receive(message, via: bob).isEmpty)
        #expect(carol.publicTexts.isEmpty)
    }

    @Test func `honest deletions that are all new to a newcomer are displaced by none of another giver`() {
        var deletions = Deletions()
        for (place, giver) in [Giver(alice.id), Giver(bob.id)].enumerated() {
            for number in 0..<100 as Range<UInt64> {
                let number = UInt64(place) * 1_000 + number
                let placement = deletions.keep(
                    number, of: .numbered(number), by: carol.id, from: giver, isOfKnown: false)
                #expect(placement == .kept(evicted: nil))
            }
        }
        let (ids, honest) = (deletions.ids, 0..<100 as Range<UInt64>)
        #expect(ids.count == 100 && ids.count { honest.contains($0) } == 50)
    }

    @Test func `of deletions of unknown messages the greediest giver loses its newest, of known ones its oldest`() {
        let givers = (0..<9 as Range<UInt64>).map { Giver(Person("giver", seed: 5_000 + $0).id) }
        for isOfKnown in [false, true] {
            var deletions = Deletions()
            func keep(_ number: UInt64, from giver: Giver, isOfKnown: Bool) -> Deletions.Placement {
                deletions.keep(
                    number, of: .numbered(number), by: carol.id, from: giver, isOfKnown: isOfKnown)
            }
            for (place, giver) in givers[..<8].enumerated() {
                for number in 0..<100 as Range<UInt64> {
                    _ = keep(UInt64(place) * 100 + number, from: giver, isOfKnown: isOfKnown)
                }
            }
            #expect(keep(900, from: givers[3], isOfKnown: isOfKnown) == (isOfKnown ? .kept(evicted: 300) : .refused))
            #expect(keep(0, from: givers[3], isOfKnown: isOfKnown) == .there)
            #expect(keep(901, from: givers[8], isOfKnown: isOfKnown) == .kept(evicted: isOfKnown ? 0 : 799))
            #expect(keep(902, from: givers[8], isOfKnown: true) == .kept(evicted: isOfKnown ? 100 : 699))
            #expect(deletions.count == Limits.deletionsKept)
        }
    }

    @Test func `the latest 100 deletions are kept, also of evicted messages`() {
        let messages = (0..<250).map { alice.signPublic("\($0)") }
        for message in messages { bob.receive(message) }
        for message in messages[0..<120] { bob.receive(deletion(message)) }
        #expect(bob.publicTexts.count == 100)
        #expect(bob.router.publicChat.offer.count == 200)
        #expect(bob.receive(messages[119]).isEmpty)
    }

    @Test func `an evicted message is taken back if a deletion made room, and only then`() {
        let messages = (0..<101).map { number in
            alice.pass(.milliseconds(1))
            return alice.signPublic("\(number)")
        }
        for message in messages { bob.receive(message) }
        #expect(bob.router.publicChat.lacking([id(messages[0])]).isEmpty)
        bob.receive(deletion(messages[50]))
        #expect(bob.router.publicChat.lacking([id(messages[0])]) == [id(messages[0])])
        bob.receive(messages[0], via: carol, isHistory: true)
        #expect(bob.publicTexts.first == "0")
        #expect(bob.publicTexts.count == 100)
    }

    @Test
    func
        `a signature that was left unchecked is checked before its message is given away, and a false one bans its author`()
        throws
    {
        let honest = alice.signPublic("honest")
        bob.receive(honest)
        var admission = Admission(room: Person.room, me: bob.id)
        var frame = Array(alice.signPublic("deniable").signed.frame(hops: 0).dropFirst())
        frame[frame.count - 1] ^= 1
        let verdict = admission.judge(
            frame: frame.span, from: .live(LiveLink(to: alice.id, epoch: 1)), now: bob.now, wallClock: bob.wallClock)
        let forged = try #require(verdict.admitted)
        bob.note(bob.router.route(forged, at: bob.moment))
        bob.receive(edit(forged, "denied"))
        #expect(bob.router.publicChat.payload(id(honest))?.provenance == .direct(alice.id))
        guard case .forged(by: alice.id) = bob.router.verifySignature(of: id(forged), with: &admission),
            case .valid(let proven) = bob.router.verifySignature(of: id(honest), with: &admission)
        else {
            Issue.record("a false signature holds, or a true one does not")
            return
        }
        #expect(proven.provenance == .signed(via: alice.id))
        #expect(bob.router.publicChat.offer == [id(honest)])
        #expect(bob.router.publicChat.payload(id(honest))?.provenance == .signed(via: alice.id))
        #expect(bob.router.publicChat.lacking([id(forged)]).isEmpty)
        guard case .absent = bob.router.verifySignature(of: id(forged), with: &admission) else {
            Issue.record("a forgery is kept")
            return
        }
        #expect(bob.publicTexts == ["honest", "denied"])
    }

    @Test func `a kept payload is reported once, with its author and the neighbour that it came from`() throws {
        _ = bob.router.archivedItems()
        let (live, past) = (alice.signPublic("live"), alice.signPublic("past"))
        bob.receive(live)
        bob.receive(live)
        bob.receive(past, via: carol, isHistory: true)
        try bob.does { me throws(ChatError) in try me.say("own") }
        let items = bob.router.archivedItems()
        #expect(items.map(\.neighbour) == [alice.id, carol.id, nil])
        #expect(items.map(\.author) == [alice.id, alice.id, bob.id])
        #expect(bob.router.archivedItems().isEmpty)
    }
}

extension MessageRouter {
    /// The payloads that the public conversation kept since the last call.
    fileprivate mutating func archivedItems() -> [Archive.Item] {
        var items: [Archive.Item] = []
        drainArchived { items += $0 }
        return items
    }
}
