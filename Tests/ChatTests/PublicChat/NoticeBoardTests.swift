import Testing
import Wire

@testable import Chat

/// The notice board as the router keeps it.
struct NoticeBoardTests {
    private let people = room("alice", "bob", "carol")
    private var alice: Person { people[0] }
    private var bob: Person { people[1] }
    private var carol: Person { people[2] }

    private func card(_ title: String, by person: Person, color: CardColor = .blue) -> VerifiedPayload {
        person.sign(
            .card(
                CardContent(title: title, text: "text", color: color), stage: .newcomer,
                nickname: person.session.nickname))
    }

    private func titles(at person: Person) -> [String] { person.router.board.map(\.content.title) }

    @Test func `a card is on every board, and its author takes it down`() throws {
        try alice.does(to: bob, carol) { me throws(ChatError) in
            try me.router.post(title: " Lost: umbrella ", text: "black", color: .red, at: me.moment)
        }
        #expect(people.allSatisfy { titles(at: $0) == ["Lost: umbrella"] })
        #expect(bob.router.board.first?.content.color == .red)
        let other = bob.sign(.delete(target: try #require(bob.router.board.first?.id)))
        carol.receive(other)
        #expect(carol.router.refusals[.notItsAuthor] == 1)
        try alice.does(to: bob, carol) { me throws(ChatError) in try me.router.removeCard(nil, at: me.moment) }
        #expect(people.allSatisfy { titles(at: $0).isEmpty })
        #expect(code { () throws(ChatError) in try alice.router.removeCard(nil, at: alice.moment) } == .unknownCard)
    }

    @Test func `a title has 1 to 40 characters on one line`() {
        for title in ["", "   ", String(repeating: "가", count: 41), "a\nb", "a\u{1b}b"] {
            #expect(
                code { () throws(ChatError) in
                    try alice.router.post(title: title, text: "t", color: .teal, at: alice.moment)
                } != nil,
                "\(title)")
        }
        #expect(
            code { () throws(ChatError) in try alice.router.post(title: "t", text: "", color: .teal, at: alice.moment) }
                == .empty)
    }

    @Test func `the third card of an author takes the place of the first, in every order`() {
        let cards = (0..<3).map { number in
            alice.pass(.seconds(1))
            return card("\(number)", by: alice)
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            let dave = Person("dave", seed: 40)
            for index in order { dave.receive(cards[index], via: bob) }
            #expect(titles(at: dave) == ["1", "2"], "\(order)")
        }
    }

    @Test func `a card that was deleted does not come back, whichever came first`() {
        let card = card("gone", by: alice)
        let deletion = alice.sign(.delete(target: card.id))
        for order in [[card, deletion, card], [deletion, card]] {
            let dave = Person("dave", seed: 41)
            for payload in order { dave.receive(payload, via: bob) }
            #expect(titles(at: dave).isEmpty)
            #expect(dave.router.publicChat.lacking([card.id.prefix]).isEmpty)
        }
    }

    @Test func `cards end after a day, and old ones are not taken from history`() {
        let card = card("today", by: alice)
        bob.receive(card)
        #expect(bob.router.nextDeadline.map { $0 <= bob.now + Limits.cardLifetime } == true)
        let carried = Person("carried", seed: 42)
        for person in [bob, carried] { person.pass(Limits.cardLifetime - .seconds(1)) }
        #expect(bob.tick().isEmpty && titles(at: bob) == ["today"])
        bob.pass(.seconds(1))
        #expect(bob.tick().contains { if case .cardRemoved(_, .expired) = $0 { true } else { false } })
        #expect(titles(at: bob).isEmpty)
        carried.pass(.seconds(1))
        carried.receive(card, via: bob, isHistory: true)
        #expect(titles(at: carried).isEmpty)
        #expect(carried.router.publicChat.lacking([card.id.prefix]).isEmpty)
    }

    @Test func `twenty new identities take no place of those that are here`() {
        // Alice and Carol, who are here for long, hang theirs up before.
        for person in [alice, carol] {
            for number in 0..<2 { bob.receive(card("\(person.session.nickname) \(number)", by: person)) }
        }
        bob.pass(Limits.settledTime)
        for person in [alice, carol] { person.pass(Limits.settledTime) }
        for number in 0..<20 {
            let stranger = Person("stranger", seed: 200 + UInt64(number))
            stranger.pass(Limits.settledTime)
            for _ in 0..<2 { bob.receive(card("buy", by: stranger), via: carol) }
        }
        #expect(titles(at: bob).count == Limits.cards)
        #expect(titles(at: bob).count { $0.hasPrefix("alice") || $0.hasPrefix("carol") } == 4)
        #expect(bob.router.refusals[.boardFull] == 28)
        // One with a higher standing finds a place all the same.
        let contact = Person("contact", seed: 300)
        contact.pass(Limits.settledTime)
        _ = bob.router.setContacts([contact.id: "Ben"])
        bob.receive(card("hello", by: contact), via: carol)
        #expect(titles(at: bob).contains("hello") && titles(at: bob).count == Limits.cards)
    }

    @Test func `new identities that are here take no place of an author that left`() {
        for number in 0..<2 { bob.receive(card("alice \(number)", by: alice)) }
        _ = bob.unlink(from: alice, .lost)
        for number in 0..<20 {
            let stranger = Person("stranger", seed: 600 + UInt64(number))
            _ = bob.link(to: stranger)
            for _ in 0..<2 { bob.receive(card("buy", by: stranger), via: carol) }
        }
        #expect(titles(at: bob).count { $0.hasPrefix("alice") } == 2)
        #expect(bob.router.refusals[.boardFull] == 26)
    }

    @Test func `the third card of the user takes the place of the first though the clock was set back`() throws {
        for title in ["one", "two", "three"] {
            try bob.does(to: alice) { me throws(ChatError) in
                try me.router.post(title: title, text: "text", color: .red, at: me.moment)
            }
            bob.wallClock = bob.wallClock.moved(by: -1_000)
        }
        #expect(titles(at: bob) == ["two", "three"] && titles(at: alice) == ["two", "three"])
    }

    @Test func `a muted author has no card on the board, and what it does meanwhile counts afterwards`() {
        let (first, second) = (card("first", by: alice), card("second", by: alice))
        for payload in [first, second] { bob.receive(payload) }
        let muted = bob.router.setMuted(alice.id, true)
        #expect(titles(at: bob).isEmpty)
        #expect(muted.count { if case .cardRemoved(_, .hidden) = $0 { true } else { false } } == 2)
        alice.pass(.seconds(1))
        #expect(bob.receive(card("third", by: alice)).isEmpty)
        #expect(bob.receive(alice.sign(.delete(target: second.id))).isEmpty)
        let shown = bob.router.setMuted(alice.id, false)
        #expect(titles(at: bob) == ["third"])
        // It is no news.
        #expect(shown.contains { if case .card(let card) = $0 { card.isHistory && card.isShownAgain } else { false } })
    }

    @Test func `a late joiner gets the board, and a blocked author has no card there`() {
        bob.receive(card("one", by: alice))
        bob.receive(card("two", by: carol))
        let dave = Person("dave", seed: 43)
        for id in bob.router.publicChat.offer {
            guard let payload = bob.router.publicChat.payload(id) else { continue }
            dave.receive(payload, via: bob, isHistory: true)
        }
        #expect(Set(titles(at: dave)) == ["one", "two"])
        let events = dave.router.setBlocked(alice.id, true)
        #expect(titles(at: dave) == ["two"])
        #expect(events.contains { if case .cardRemoved(_, .hidden) = $0 { true } else { false } })
        #expect(dave.router.setBlocked(alice.id, false).contains { if case .card = $0 { true } else { false } })
        #expect(titles(at: dave).count == 2)
    }

    @Test func `a reply names a message of its own conversation`() throws {
        try befriend(alice, bob)
        try alice.does(to: bob, carol) { me throws(ChatError) in try me.say("lunch?") }
        let said = try #require(bob.router.history(.publicRoom).last)
        try bob.does(to: alice, carol) { me throws(ChatError) in
            try me.router.send("yes", to: .publicRoom, replyTo: String(said.id.hexadecimal.prefix(6)), at: me.moment)
        }
        let answer = try #require(alice.router.messages(in: .publicRoom).last)
        #expect(answer.replyTo == said.id && answer.isMention)
        #expect(carol.router.messages(in: .publicRoom).last.map { $0.replyTo == said.id && !$0.isMention } == true)
        // No id of a private message is named in the room.
        let direct = try #require(bob.router.history(.direct(alice.id)).last)
        #expect(
            code { () throws(ChatError) in
                try bob.router.send("yes", to: .publicRoom, replyTo: direct.id.hexadecimal, at: bob.moment)
            } == .unknownMessage)
        // One that is kept nowhere may be of a ring that has moved on.
        let id = String(repeating: "ab", count: 16)
        #expect(
            code { () throws(ChatError) in try bob.router.send("?", to: .publicRoom, replyTo: id, at: bob.moment) }
                == nil)
        #expect(
            code { () throws(ChatError) in try bob.router.send("?", to: .publicRoom, replyTo: "abcdef", at: bob.moment)
            } == .unknownMessage)
        try bob.does(to: alice) { me throws(ChatError) in
            try me.router.send("psst", to: .direct(alice.id), replyTo: direct.id.hexadecimal, at: me.moment)
        }
        #expect(alice.router.messages(in: .direct(bob.id)).last?.replyTo == direct.id)
    }
}
