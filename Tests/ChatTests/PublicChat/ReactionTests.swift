import Testing
import Wire

@testable import Chat

/// Reactions as the router takes, counts and offers them.
struct ReactionTests {
    private let people = room("alice", "bob", "carol")
    private var alice: Person { people[0] }
    private var bob: Person { people[1] }
    private var carol: Person { people[2] }

    private func reaction(_ emojis: [String], by person: Person, to message: VerifiedPayload) -> VerifiedPayload {
        person.sign(.reaction(to: nil, target: message.id, emojis: emojis))
    }

    private func counts(_ message: VerifiedPayload, at person: Person) -> [String: Int] {
        let views = person.router.messages(in: .publicRoom)
        let reactions = views.first { $0.id == message.id }?.reactions ?? []
        return Dictionary(uniqueKeysWithValues: reactions.map { ($0.emoji, $0.count) })
    }

    /// Every order of some payloads.
    private func orders(_ payloads: [VerifiedPayload]) -> [[VerifiedPayload]] {
        guard payloads.count > 1 else { return [payloads] }
        return payloads.indices.flatMap { index in
            var rest = payloads
            let first = rest.remove(at: index)
            return orders(rest).map { [first] + $0 }
        }
    }

    @Test func `a message and the reactions to it give the same counts in every order`() {
        let message = alice.signPublic("lunch?")
        let payloads = [
            message, reaction(["👍"], by: bob, to: message), reaction(["👍", "🍕"], by: carol, to: message),
            reaction(["🎉"], by: bob, to: message), reaction([], by: carol, to: message),
        ]
        for (index, order) in orders(payloads).enumerated() {
            let dave = Person("dave", seed: 100 + UInt64(index))
            for payload in order { dave.receive(payload, via: alice) }
            #expect(counts(message, at: dave) == ["🎉": 1], "order \(index)")
        }
    }

    @Test func `two authors count, one author counts once, and the user's own are marked`() throws {
        let message = alice.signPublic("lunch?")
        for person in people { person.receive(message) }
        let id = message.id.hexadecimal
        try bob.does(to: carol) { me throws(ChatError) in try me.router.react(id, .set("👍"), at: me.moment) }
        try carol.does(to: bob) { me throws(ChatError) in try me.router.react(id, .set("👍"), at: me.moment) }
        try carol.does(to: bob) { me throws(ChatError) in try me.router.react(id, .set("👍"), at: me.moment) }
        let reactions = bob.router.messages(in: .publicRoom).first?.reactions
        #expect(reactions == [ReactionCount(emoji: "👍", count: 2, isOwn: true)])
        try carol.does(to: bob) { me throws(ChatError) in try me.router.react(id, .unset("👍"), at: me.moment) }
        #expect(counts(message, at: bob) == ["👍": 1])
        // Nothing of it is unread or rings.
        #expect(bob.unread == 0)
    }

    @Test func `a fourth emoji is refused, and so is what is none`() throws {
        let message = alice.signPublic("lunch?")
        bob.receive(message)
        let id = message.id.hexadecimal
        for emoji in ["👍", "🍕", "🎉"] {
            try bob.does { me throws(ChatError) in try me.router.react(id, .set(emoji), at: me.moment) }
        }
        #expect(
            code { () throws(ChatError) in try bob.router.react(id, .set("👀"), at: bob.moment) } == .tooManyReactions)
        #expect(code { () throws(ChatError) in try bob.router.react(id, .set("x"), at: bob.moment) } == .invalidEmoji)
        #expect(
            code { () throws(ChatError) in
                try bob.router.react(String(repeating: "0", count: 32), .set("👍"), at: bob.moment)
            }
                == .unknownMessage)
        try bob.does { me throws(ChatError) in try me.router.react(id, .clear, at: me.moment) }
        #expect(counts(message, at: bob).isEmpty)
    }

    @Test func `a deleted or evicted message takes its reactions along, and later ones are refused`() throws {
        let message = alice.signPublic("lunch?")
        bob.receive(message)
        bob.receive(reaction(["👍"], by: carol, to: message))
        bob.receive(alice.sign(.delete(target: message.id)))
        #expect(bob.router.publicChat.reactions.isEmpty)
        bob.receive(reaction(["🎉"], by: carol, to: message))
        #expect(bob.router.refusals[.unknownTarget] == 1)
        let other = alice.signPublic("dinner?")
        bob.receive(other)
        bob.receive(reaction(["👍"], by: carol, to: other))
        for number in 0..<100 {
            bob.pass(.milliseconds(1))
            alice.pass(.milliseconds(1))
            bob.receive(alice.signPublic("\(number)"))
        }
        #expect(bob.router.publicChat.reactions.isEmpty)
    }

    @Test func `a late joiner gets the counts from the history`() {
        let message = alice.signPublic("lunch?")
        bob.receive(message)
        bob.receive(reaction(["👍"], by: carol, to: message))
        bob.receive(reaction(["👍", "🍕"], by: alice, to: message))
        let dave = Person("dave", seed: 9)
        #expect(dave.router.publicChat.lacking(bob.router.publicChat.offer) == bob.router.publicChat.offer)
        for id in bob.router.publicChat.offer {
            guard let payload = bob.router.publicChat.payload(id) else { continue }
            dave.receive(payload, via: bob, isHistory: true)
        }
        #expect(counts(message, at: dave) == ["👍": 2, "🍕": 1])
        #expect(dave.router.publicChat.lacking(bob.router.publicChat.offer).isEmpty)
        #expect(dave.router.publicChat.offer == bob.router.publicChat.offer)
    }

    @Test func `a blocked author does not count until it is unblocked`() {
        let message = alice.signPublic("lunch?")
        bob.receive(message)
        bob.receive(reaction(["👍"], by: carol, to: message))
        let hidden = bob.router.setBlocked(carol.id, true)
        #expect(counts(message, at: bob).isEmpty)
        #expect(hidden.contains { if case .reacted(let event) = $0 { event.emojis.isEmpty } else { false } })
        let shown = bob.router.setBlocked(carol.id, false)
        #expect(counts(message, at: bob) == ["👍": 1])
        #expect(shown.contains { if case .reacted(let event) = $0 { event.emojis == ["👍"] } else { false } })
    }

    @Test func `a direct reaction counts on both sides, and toggling gives up no message`() throws {
        try befriend(alice, bob)
        try alice.does(to: bob) { me throws(ChatError) in try me.direct("lunch?", to: bob) }
        let id = try #require(bob.router.history(.direct(alice.id)).last?.id.hexadecimal)
        try bob.does(to: alice) { me throws(ChatError) in
            try me.router.react(id, of: .direct(alice.id), .set("👍"), at: me.moment)
        }
        #expect(alice.router.messages(in: .direct(bob.id)).last?.reactions.map(\.emoji) == ["👍"])
        // No other peer can react there, and no public reaction names a direct message.
        alice.receive(
            carol.sign(.reaction(to: alice.id, target: bob.router.history(.direct(alice.id))[0].id, emojis: ["🎉"])))
        #expect(alice.router.refusals[.notAccepted] == 1)
        _ = bob.unlink(from: alice, .lost)
        try bob.does { me throws(ChatError) in try me.direct("are you there?", to: alice) }
        for number in 0..<300 {
            let change: ReactionChange = number.isMultiple(of: 2) ? .clear : .set("👍")
            try bob.does { me throws(ChatError) in try me.router.react(id, of: .direct(alice.id), change, at: me.moment)
            }
        }
        #expect(bob.deliveries(to: alice).last == .sending)
        #expect(bob.router.directChats[alice.id]?.queue.count == 2)
    }

    @Test func `changes by a muted author are kept, and shown when it is muted no more`() {
        let (kept, gone) = (carol.signPublic("one"), carol.signPublic("two"))
        let message = alice.signPublic("lunch?")
        for payload in [kept, gone, message] { bob.receive(payload) }
        bob.receive(reaction(["👍"], by: carol, to: message))
        let muted = bob.router.setMuted(carol.id, true)
        #expect(counts(message, at: bob).isEmpty)
        #expect(
            muted.contains {
                if case .reacted(let event) = $0 { event.emojis.isEmpty && event.id == nil } else { false }
            })
        #expect(bob.receive(reaction(["🎉"], by: carol, to: message)).isEmpty)
        #expect(bob.receive(carol.sign(.edit(target: kept.id, text: "ONE"))).isEmpty)
        let deleted = bob.receive(carol.sign(.delete(target: gone.id)))
        #expect(deleted.contains { if case .deleted(let view) = $0 { view.id == gone.id } else { false } })
        bob.receive(carol.signPublic("three"))
        #expect(bob.publicTexts.filter { $0 == "two" || $0 == "three" }.isEmpty)
        let shown = bob.router.setMuted(carol.id, false)
        #expect(counts(message, at: bob) == ["🎉": 1])
        #expect(shown.contains { if case .reacted(let event) = $0 { event.emojis == ["🎉"] } else { false } })
        #expect(bob.publicTexts.contains("ONE"))
        // The history that is handed on has the words of now.
        let dave = Person("dave", seed: 9)
        for id in bob.router.publicChat.offer {
            guard let payload = bob.router.publicChat.payload(id) else { continue }
            dave.receive(payload, via: bob, isHistory: true)
        }
        #expect(dave.publicTexts.sorted() == ["ONE", "lunch?"])
    }

    @Test func `changes by a blocked author have no event, and are right when it is blocked no more`() {
        let (kept, gone) = (carol.signPublic("one"), carol.signPublic("two"))
        let message = alice.signPublic("lunch?")
        for payload in [kept, gone, message] { bob.receive(payload) }
        _ = bob.router.setBlocked(carol.id, true)
        for payload in [
            carol.sign(.edit(target: kept.id, text: "ONE")), carol.sign(.delete(target: gone.id)),
            reaction(["🎉"], by: carol, to: message),
        ] { #expect(bob.receive(payload, via: alice).isEmpty) }
        _ = bob.router.setBlocked(carol.id, false)
        #expect(bob.publicTexts.sorted() == ["ONE", "lunch?"])
        #expect(counts(message, at: bob) == ["🎉": 1])
    }

    @Test
    func `a reaction that waits for its message is no news where it came as history, and none of a blocked author`() {
        let message = alice.signPublic("lunch?")
        bob.receive(reaction(["👍"], by: carol, to: message), via: alice, isHistory: true)
        let events = bob.receive(message, via: alice, isHistory: true)
        #expect(events.contains { if case .reacted(let event) = $0 { event.isHistory } else { false } })
        let other = alice.signPublic("dinner?")
        bob.receive(reaction(["👍"], by: carol, to: other), via: alice)
        _ = bob.router.setBlocked(carol.id, true)
        #expect(!bob.receive(other).contains { if case .reacted = $0 { true } else { false } })
    }

    @Test func `the reactions of one author to a hundred messages wait for them`() {
        let messages = (0..<100).map { alice.signPublic("\($0)") }
        for message in messages { bob.receive(reaction(["👍"], by: carol, to: message), via: alice, isHistory: true) }
        for message in messages { bob.receive(message, via: alice, isHistory: true) }
        #expect(messages.allSatisfy { counts($0, at: bob) == ["👍": 1] })
    }

    @Test func `the reactions that wait are bounded, and one giver loses its own`() {
        var pending = PendingReactions()
        let (flooder, other) = (Giver(bob.id), Giver(carol.id))
        let message = alice.signPublic("lunch?")
        func hold(_ seed: UInt64, from giver: Giver) {
            let source = reaction(["👍"], by: Person("author", seed: seed), to: message)
            pending.hold(source, from: giver, isHistory: false, now: bob.now)
        }
        for seed in 0..<10 as Range<UInt64> { hold(400 + seed, from: other) }
        for seed in 0..<UInt64(Limits.pendingReactions) { hold(500 + seed, from: flooder) }
        #expect(pending.count == Limits.pendingReactions)
        let taken = pending.takeReactions(to: message.id)
        #expect(taken.count { $0.giver == other } == 10)
        #expect(pending.count == 0)
    }

    @Test func `a giver has a share, and loses its own reactions first`() {
        var reactions = Reactions(isHistory: true)
        let message = alice.signPublic("lunch?")
        let (flooder, other) = (Giver(bob.id), Giver(carol.id))
        let honest = reaction(["🎉"], by: carol, to: message)
        #expect(reactions.keep(["🎉"], on: message.id, by: honest, from: other) == .kept(evicted: nil))
        let author = Person("author", seed: 77)
        func flood(_ count: Int) -> [Reactions.Placement] {
            (0..<count).map { number in
                let source = author.sign(.reaction(to: nil, target: .numbered(UInt64(number)), emojis: ["👍"]))
                return reactions.keep(["👍"], on: .numbered(UInt64(number)), by: source, from: flooder)
            }
        }
        #expect(flood(Limits.reactionsOfGiver).allSatisfy { $0 == .kept(evicted: nil) })
        let source = author.sign(.reaction(to: nil, target: .numbered(9_999), emojis: ["👍"]))
        let placement = reactions.keep(["👍"], on: .numbered(9_999), by: source, from: flooder)
        #expect(placement == .kept(evicted: Reactions.Evicted(message: .numbered(0), author: author.id)))
        #expect(reactions.emojis(of: carol.id, on: message.id) == ["🎉"])
    }

    @Test func `a message has the reactions of as many authors as a crowd has`() {
        var reactions = Reactions(isHistory: true)
        let message = alice.signPublic("lunch?")
        func keep(_ seed: Int) -> Reactions.Placement {
            let source = reaction(["👍"], by: Person("author", seed: UInt64(seed)), to: message)
            return reactions.keep(["👍"], on: message.id, by: source, from: Giver(source.author))
        }
        #expect((0..<Limits.reactorsOfMessage).allSatisfy { keep(1_000 + $0) == .kept(evicted: nil) })
        #expect(keep(9_000) == .refused(hadEarlier: false))
    }

    @Test func `a reaction that is replaced or dropped is not asked for again`() {
        var reactions = Reactions(isHistory: true)
        let message = alice.signPublic("lunch?")
        let source = reaction(["👍"], by: bob, to: message)
        let giver = Giver(bob.id)
        #expect(reactions.keep(["👍"], on: message.id, by: source, from: giver) == .kept(evicted: nil))
        #expect(reactions.keep(["🎉"], on: message.id, by: source, from: giver) == .old)
        #expect(reactions.count == 1 && reactions.knows(source.id.prefix))
        reactions.drop(message.id)
        #expect(reactions.isEmpty && reactions.knows(source.id.prefix))
        #expect(reactions.payload(source.id.prefix) == nil)
    }
}
