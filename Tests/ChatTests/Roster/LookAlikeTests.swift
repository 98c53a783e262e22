import Testing
import Wire

@testable import Chat

/// Names and numbers that are made to be taken for another's (Protocol.md section 2).
struct LookAlikeTests {
    private static func key(_ number: UInt64) -> PeerID {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        guard let key = PeerID(bytes + [UInt8](repeating: 5, count: 24)) else {
            preconditionFailure("32 bytes are a key")
        }
        return key
    }

    /// The first two keys of a series with the same eight digits.
    private static let twins: (PeerID, PeerID) = {
        var holders: [SenderNumber: PeerID] = [:]
        for number in UInt64(1)... {
            let key = key(number &* 0x9e37_79b9_7f4a_7c15)
            if let first = holders.updateValue(key, forKey: SenderNumber(of: key)) { return (first, key) }
        }
        preconditionFailure("no two keys have the same eight digits")
    }()

    private let time = Timestamp(milliseconds: 1_800_000_000_000)
    private let now = Instant(nanoseconds: 0)

    @Test func `of two peers with the same eight digits more of the key is shown, and names each`() {
        let (one, two) = LookAlikeTests.twins
        var roster = Roster(me: LookAlikeTests.key(1))
        _ = roster.linkOpened(one, at: Moment(instant: now, wallClock: time))
        _ = roster.tick(now + .seconds(2))
        let number = SenderNumber(of: one)
        #expect(roster.who(one).numberText == "#\(number.number)")
        let events = roster.linkOpened(two, at: Moment(instant: now, wallClock: time))
        #expect(events.count == 1, "the first one's new name is reported")
        let whole = "#\(number.number)-\(number.suffix)"
        for key in [one, two] {
            let label = roster.who(key).numberText
            #expect(label == "\(whole)-\(key.hexadecimal.prefix(8))")
            #expect(roster.find(label) == .one(key) && roster.find(String(label.dropFirst())) == .one(key))
        }
        #expect(roster.who(one).displayName != roster.who(two).displayName)
        guard case .ambiguous(let choices) = roster.find(whole) else {
            Issue.record("a number of two peers names one")
            return
        }
        #expect(choices.map(\.key).sorted() == [one, two].sorted())
    }

    @Test func `a key, or its first eight digits, names a peer, and no nickname does instead`() {
        let people = room("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        let digits = String(bob.id.hexadecimal.prefix(8))
        let roster = { alice.router.roster.find($0) }
        #expect(roster(digits) == .one(bob.id) && roster(digits.uppercased()) == .one(bob.id))
        #expect(roster(String(bob.id.hexadecimal.prefix(20))) == .one(bob.id))
        #expect(roster(bob.id.hexadecimal) == .one(bob.id))
        #expect(roster(String(digits.prefix(7))) == .none)
        carol.session.nickname = digits
        alice.receive(carol.session.signPresence(at: carol.wallClock))
        guard case .ambiguous = roster(digits) else {
            Issue.record("the nickname hides the key, or the key the nickname")
            return
        }
    }

    @Test(arguments: [
        ("bob", "b\u{43e}b"), ("Ilya", "llya"), ("Ilya", "1lya"), ("rOOt", "r00t"),
        ("alice", "\u{ff41}lice"), ("PAYPAL", "\u{420}\u{410}\u{423}\u{420}\u{410}L"), ("moose", "rnoose"),
        ("nikos", "n\u{131}kos"), ("Alice", "\u{391}lice"), ("zoe\u{301}", "zo\u{435}\u{301}"),
        ("carol", "c\u{200d}arol"), ("bob", "\u{1d41b}\u{1d428}\u{1d41b}"),
    ])
    func `names that look alike have one skeleton`(name: String, other: String) {
        #expect(name != other && Skeleton.of(name) == Skeleton.of(other))
    }

    @Test(arguments: [
        ("bob", "Bob"), ("bob", "rob"), ("ann", "anna"), ("민수", "민주"), ("zoe", "zoe\u{301}"), ("Вова", "Вера"),
        ("quiet-otter", "quick-otter"), ("o", "0"),
    ])
    func `names that look different have different skeletons`(name: String, other: String) {
        #expect(Skeleton.of(name) != Skeleton.of(other))
    }

    private func rename(_ person: Person, _ nickname: String, before other: Person) {
        person.session.nickname = nickname
        other.receive(person.session.signPresence(at: person.wallClock))
    }

    @Test func `a nickname that looks like the user's own is marked, though no other peer has it`() throws {
        let people = room("alice", "carol")
        let (alice, carol) = (people[0], people[1])
        func name() -> String? { alice.router.roster.who(carol.id).displayWord }
        rename(carol, "\u{430}lice", before: alice)
        #expect(name() == "≈\u{430}lice")
        rename(carol, "alice", before: alice)
        #expect(name() == "alice", "the same nickname: the numbers tell them apart")
        rename(carol, "b\u{43e}b", before: alice)
        #expect(name() == "b\u{43e}b")
        let outcome = try alice.router.rename("bob", at: alice.moment)
        #expect(name() == "≈b\u{43e}b", "the user may take the name later")
        let told = outcome.events.compactMap { if case .person(let row) = $0 { row.who.displayWord } else { nil } }
        #expect(told == ["≈b\u{43e}b"], "faces hear of the mark")
    }

    @Test func `a nickname that looks like a present peer's is marked, and that one too`() {
        let people = room("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        func name(_ person: Person) -> String? { alice.router.roster.who(person.id).displayWord }
        rename(carol, "bob", before: alice)
        #expect(name(bob) == "bob" && name(carol) == "bob", "the same nickname: the numbers tell them apart")
        let before = alice.events.count
        rename(carol, "b\u{43e}b", before: alice)
        #expect(name(bob) == "≈bob" && name(carol) == "≈b\u{43e}b")
        #expect(alice.events.count == before + 2, "the new name of each")
        let shown = alice.router.roster.who(carol.id).displayName
        #expect(alice.router.roster.find(shown) == .one(carol.id))
        rename(carol, "carol", before: alice)
        #expect(name(carol) == "carol" && name(bob) == "bob", "nobody has a name like bob's any more")
        #expect(alice.events.count == before + 4, "both are told again")
        rename(carol, "berta", before: alice)
        rename(carol, "carol", before: alice)
        rename(bob, "bert\u{430}", before: alice)
        #expect(name(carol) == "carol" && name(bob) == "bert\u{430}", "a former name is like nothing")
        // A message keeps the mark of the name that it was sent under.
        rename(bob, "bob", before: alice)
        carol.session.nickname = "b\u{43e}b"
        alice.receive(carol.signPublic("send me the key"))
        rename(carol, "carol", before: alice)
        let author = alice.router.publicChat.last.map { alice.router.roster.who(of: $0).displayWord }
        #expect(author == "≈b\u{43e}b")
        #expect(name(bob) == "bob")
    }

    @Test func `the mark stays while one of several look-alikes is here, and a crowd of one name is not kept whole`() {
        let people = room("alice", "bob", "carol", "dave", "erin")
        let (alice, bob, carol, dave) = (people[0], people[1], people[2], people[3])
        func name(_ person: Person) -> String? { alice.router.roster.who(person.id).displayWord }
        for person in [carol, dave] { rename(person, "b\u{43e}b", before: alice) }
        rename(carol, "carol", before: alice)
        #expect(name(bob) == "≈bob" && name(dave) == "≈b\u{43e}b")
        rename(dave, "dave", before: alice)
        #expect(name(bob) == "bob")
        var names = LookAlikes()
        for number in UInt64(2)..<40 {
            _ = names.move(LookAlikeTests.key(number), from: "", to: "bob") { _ in true }
        }
        let others = names.move(LookAlikeTests.key(1), from: "", to: "b\u{43e}b") { _ in true }
        #expect(others.count == 8 && others[0] == LookAlikeTests.key(2))
        #expect(names.isAlike("bob", of: LookAlikeTests.key(2)) && names.isAlike("bob", of: LookAlikeTests.key(30)))
    }

    @Test func `a nickname that looks like a contact's name is marked, also if it is the same`() {
        let people = room("alice", "bob", "carol")
        let (alice, bob, carol) = (people[0], people[1], people[2])
        alice.router.setContacts([bob.id: "Robert"])
        for nickname in ["Robert", "R\u{43e}bert"] {
            rename(carol, nickname, before: alice)
            #expect(alice.router.roster.who(carol.id).displayWord == "≈" + nickname)
            #expect(alice.router.roster.who(bob.id).displayWord == "★Robert")
        }
        alice.router.setContacts([:])
        #expect(alice.router.roster.who(carol.id).displayWord == "R\u{43e}bert")
        #expect(
            PeerName(
                number: 1_234, suffix: nil, nickname: "≈bob", stage: .newcomer, key: bob.id
            ).displayName == "\u{fffd}bob#1234", "no nickname has the mark itself")
    }

    @Test func `a name like one's own is marked, and one's own is not`() {
        let people = room("alice", "bob")
        let (alice, bob) = (people[0], people[1])
        _ = try? alice.say("hello")
        rename(bob, "\u{430}lice", before: alice)
        #expect(alice.router.roster.who(bob.id).isAlike && !alice.router.roster.who(alice.id).isAlike)
    }
}
