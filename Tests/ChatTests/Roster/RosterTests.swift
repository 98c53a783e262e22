import Testing
import Wire

@testable import Chat

struct RosterTests {
    private let people = room("alice", "bob")
    private var alice: Person { people[0] }
    private var bob: Person { people[1] }

    /// Keys with the same number and different suffixes.
    static let twins: (PeerID, PeerID) = {
        var holders: [Int: PeerID] = [:]
        for seed in UInt64(0)... {
            let peer = RosterTests.peer(seed)
            let number = SenderNumber(of: peer).number
            if let twin = holders[number] { return (twin, peer) }
            holders[number] = peer
        }
        preconditionFailure("no two of all keys share a number")
    }()

    static func peer(_ number: UInt64) -> PeerID {
        var writer = ByteWriter(capacity: 32)
        for _ in 0..<4 { writer.write(number) }
        guard let peer = PeerID(writer.bytes) else { preconditionFailure("32 bytes are a key") }
        return peer
    }

    private static func roster(_ names: [(PeerID, String)]) -> Roster {
        var roster = Roster(me: peer(999_999))
        for (peer, name) in names {
            _ = roster.recordName(peer, nickname: name, stage: .newcomer, as: AuthorClock(epoch: 1, sequence: 1))
        }
        return roster
    }

    @Test func `a new peer is announced with its nickname, once`() {
        let carol = Person("carol", seed: 9)
        #expect(bob.link(to: carol).isEmpty)
        #expect(bob.router.roster.online == 2)
        let introduction = carol.session.signPresence(at: carol.wallClock)
        #expect(bob.receive(introduction) == [.peer(.here, bob.name(of: carol), online: 2)])
        #expect(bob.receive(introduction).isEmpty)
        #expect(bob.router.roster.who(carol.id).nickname == "carol")
    }

    @Test func `a peer that never sends its nickname is announced after a second`() {
        let carol = Person("carol", seed: 9)
        _ = bob.link(to: carol)
        #expect(bob.router.nextDeadline == bob.now + .seconds(1))
        bob.pass(.milliseconds(999))
        #expect(bob.tick().isEmpty)
        bob.pass(.milliseconds(1))
        #expect(bob.tick() == [.peer(.here, bob.name(of: carol), online: 2)])
        #expect(bob.router.nextDeadline == nil)
    }

    @Test func `a message announces its author first`() {
        let carol = Person("carol", seed: 9)
        _ = bob.link(to: carol)
        let events = bob.receive(carol.signPublic("hi"))
        #expect(events.count == 2)
        #expect(events.first == .peer(.here, bob.name(of: carol), online: 2))
    }

    @Test func `away, back, a new nickname and a new stage are reported`() {
        let named = bob.router.roster.who(alice.id)
        alice.session.state = .away
        let away = NodeEvent.peer(.away, bob.name(of: alice), was: PeerSighting(named, .here), online: 1)
        #expect(bob.receive(alice.session.signPresence(at: alice.wallClock)) == [away])
        alice.session.state = .here
        let back = NodeEvent.peer(.here, bob.name(of: alice), was: PeerSighting(named, .away), online: 1)
        #expect(bob.receive(alice.session.signPresence(at: alice.wallClock)) == [back])
        alice.session.nickname = "alicia"
        let rename = bob.receive(alice.signPublic("me"))
        let alicia = bob.router.roster.who(alice.id)
        #expect(rename.first == .peer(.here, alicia, was: PeerSighting(named, .here), online: 1))
        #expect(bob.router.roster.who(alice.id).displayName.hasPrefix("alicia#"))
        for _ in 0..<9 { bob.receive(alice.signPublic("on")) }
        let growth = bob.receive(alice.signPublic("regular now"))
        #expect(growth.first == .peer(.here, bob.name(of: alice), was: PeerSighting(alicia, .here), online: 1))
        #expect(bob.router.roster.who(alice.id).stage == .regular)
    }

    @Test func `an older payload or history changes no nickname`() {
        let old = alice.session.signPresence(at: alice.wallClock)
        let past = alice.signPublic("past")
        alice.session.nickname = "alicia"
        bob.receive(alice.session.signPresence(at: alice.wallClock))
        bob.receive(old)
        bob.receive(past, via: alice, isHistory: true)
        #expect(bob.router.roster.who(alice.id).nickname == "alicia")
        #expect(bob.router.publicChat.messages.map { bob.router.roster.who(of: $0).nickname } == ["alice"])
    }

    @Test func `only a link makes a peer online`() {
        let carol = Person("carol", seed: 9)
        #expect(bob.receive(carol.session.signPresence(at: carol.wallClock), via: alice).isEmpty)
        #expect(bob.router.roster.isOnline(carol.id) == false)
        #expect(bob.router.roster.who(carol.id).nickname == "carol")
        #expect(bob.router.roster.rows.map(\.who.nickname) == ["alice"])
    }

    @Test(arguments: [(LinkEnd.closed, 1_500), (.lost, 10_000)])
    func `a peer that is soon back was never reported as gone`(end: LinkEnd, patience: Int) {
        #expect(bob.unlink(from: alice, end).isEmpty)
        #expect(bob.router.roster.online == 0)
        bob.pass(.milliseconds(patience - 1))
        #expect(bob.tick().isEmpty)
        // A list shows what was reported.
        #expect(bob.router.roster.shownOnline == 1)
        #expect(bob.router.roster.rows.map(\.state) == [.here])
        #expect(bob.router.roster.rows.map(\.since) == [Timestamp(milliseconds: 1_800_000_000_000)])
        #expect(bob.link(to: alice).isEmpty)
        bob.pass(.seconds(20))
        #expect(bob.tick().isEmpty)
        #expect(bob.router.roster.online == 1)
        #expect(bob.router.roster.rows.map(\.since) == [Timestamp(milliseconds: 1_800_000_000_000)])
    }

    @Test(arguments: [(LinkEnd.closed, 1_500), (.lost, 10_000)])
    func `a peer that stays away is reported as left, and as here when it returns`(end: LinkEnd, patience: Int) {
        _ = bob.unlink(from: alice, end)
        bob.pass(.milliseconds(patience))
        #expect(bob.tick() == [.peer(.left, bob.name(of: alice), online: 0)])
        #expect(bob.router.roster.rows.map(\.state) == [.left])
        #expect(bob.link(to: alice).isEmpty)
        #expect(
            bob.receive(alice.session.signPresence(at: alice.wallClock)) == [
                .peer(.here, bob.name(of: alice), online: 1)
            ])
    }

    @Test func `a link that ends before its first payload is not reported`() {
        _ = bob.unlink(from: alice, .goodbye)
        let gone = bob.router.roster.rows
        bob.pass(.seconds(5))
        #expect(bob.link(to: alice).isEmpty)
        #expect(bob.router.roster.online == 1)
        bob.pass(.milliseconds(500))
        #expect(bob.unlink(from: alice, .closed).isEmpty)
        #expect(bob.router.roster.rows == gone)
        #expect(bob.router.nextDeadline == nil)
        let stranger = Person("carol", seed: 9)
        _ = bob.link(to: stranger)
        _ = bob.unlink(from: stranger, .closed)
        #expect(bob.router.roster.rows == gone)
    }

    @Test func `a peer that says goodbye is reported as left at once`() {
        #expect(bob.unlink(from: alice, .goodbye) == [.peer(.left, bob.name(of: alice), online: 0)])
        _ = bob.link(to: alice)
        bob.receive(alice.session.signPresence(at: alice.wallClock))
        #expect(bob.receive(alice.session.signDeparture(at: alice.wallClock)).isEmpty)
        #expect(bob.unlink(from: alice, .closed) == [.peer(.left, bob.name(of: alice), online: 0)])
        #expect(bob.router.nextDeadline == nil)
    }

    @Test func `a peer that only says goodbye is never reported as here`() {
        let carol = Person("carol", seed: 9)
        _ = bob.link(to: carol)
        #expect(bob.receive(carol.session.signDeparture(at: carol.wallClock)).isEmpty)
        #expect(bob.unlink(from: carol, .goodbye).isEmpty)
        #expect(bob.router.nextDeadline == nil)
    }

    @Test func `two peers with one number are both suffixed for the rest of the run`() {
        let (first, second) = RosterTests.twins
        var roster = RosterTests.roster([(first, "ann")])
        #expect(roster.who(first).suffix == nil)
        _ = roster.recordName(second, nickname: "ben", stage: .newcomer, as: AuthorClock(epoch: 1, sequence: 1))
        #expect(roster.who(first).suffix == SenderNumber(of: first).suffix)
        #expect(roster.who(second).suffix == SenderNumber(of: second).suffix)
        #expect(roster.who(first).numberText != roster.who(second).numberText)
    }

    @Test func `a number that is not unique is refused with the choices, with its suffix it is found`() {
        let (first, second) = RosterTests.twins
        let roster = RosterTests.roster([(first, "ann"), (second, "ben")])
        let number = SenderNumber(of: first).number
        let choices = [first, second].sorted().map { roster.who($0) }
        #expect(roster.find("\(number)") == .ambiguous(choices))
        #expect(roster.find("#\(number)") == .ambiguous(choices))
        for peer in [first, second] {
            #expect(roster.find("#\(number)-\(SenderNumber(of: peer).suffix)") == .one(peer))
            #expect(roster.find(roster.who(peer).displayName) == .one(peer))
        }
        #expect(roster.find("#\(number)-9999999") == .none)
    }

    @Test func `peers are found by number and by nickname, without regard to case only if none is equal`() {
        let (ann, otherAnn, ben) = (RosterTests.peer(1), RosterTests.peer(2), RosterTests.peer(3))
        let roster = RosterTests.roster([(ann, "Ann"), (otherAnn, "ann"), (ben, "Béla")])
        #expect(roster.find("Ann") == .one(ann))
        #expect(roster.find("ann") == .one(otherAnn))
        #expect(roster.find("ANN") == .ambiguous([ann, otherAnn].sorted().map { roster.who($0) }))
        #expect(roster.find("bela") == .none)
        #expect(roster.find("bÉLA") == .one(ben))
        #expect(roster.find("Be\u{301}la") == .one(ben))
        #expect(roster.find("\(SenderNumber(of: ben).number)") == .one(ben))
        #expect(roster.find("") == .none)
        #expect(roster.find("#") == .none)
    }

    @Test func `of peers with one nickname those that are meant or here come first`() {
        let (gone, here, third) = (RosterTests.peer(1), RosterTests.peer(2), RosterTests.peer(3))
        var roster = RosterTests.roster([(gone, "fox"), (here, "fox"), (third, "fox")])
        #expect(roster.find("fox") == .ambiguous([gone, here, third].sorted().map { roster.who($0) }))
        let now = Timestamp(milliseconds: 1)
        _ = roster.linkOpened(here, at: Moment(instant: Instant(nanoseconds: 1), wallClock: now))
        #expect(roster.find("fox") == .one(here) && roster.find("FOX") == .one(here))
        #expect(roster.find("fox", where: { $0 == gone }) == .one(gone))
        _ = roster.linkOpened(third, at: Moment(instant: Instant(nanoseconds: 1), wallClock: now))
        #expect(roster.find("fox") == .ambiguous([here, third].sorted().map { roster.who($0) }))
    }

    @Test func `a contact is found by the user's own name as it is shown, before peers that call themselves so`() {
        let (bob, liar) = (RosterTests.peer(1), RosterTests.peer(2))
        var roster = RosterTests.roster([(bob, "small-fox"), (liar, "bob")])
        roster.setContacts([bob: "Bob"])
        for text in ["Bob", "★Bob", "bob", "★bob", roster.who(bob).displayName, "Bob\(roster.who(bob).numberText)"] {
            #expect(roster.find(text) == .one(bob), "\(text)")
        }
        #expect(roster.find("bob\(roster.who(liar).numberText)") == .one(liar))
        #expect(roster.find("★small-fox") == .none && roster.find("★") == .none)
    }

    @Test func `a nickname in the form of a number does not match that number`() {
        let impostor = RosterTests.peer(1)
        let (number, other) = (SenderNumber(of: RosterTests.peer(2)).number, RosterTests.peer(2))
        var roster = RosterTests.roster([(impostor, "\(number)")])
        #expect(roster.find("\(number)") == .none)
        _ = roster.recordName(other, nickname: "real", stage: .newcomer, as: AuthorClock(epoch: 1, sequence: 1))
        #expect(roster.find("\(number)") == .one(other))
    }

    @Test func `of the peers without a link the last 64 are listed`() {
        var roster = Roster(me: RosterTests.peer(0))
        for number in 1...70 as ClosedRange<UInt64> {
            let (now, time) = (Instant(nanoseconds: 0), Timestamp(milliseconds: number))
            _ = roster.linkOpened(RosterTests.peer(number), at: Moment(instant: now, wallClock: time))
            let authorClock = AuthorClock(epoch: 1, sequence: 1)
            _ = roster.recordName(RosterTests.peer(number), nickname: "\(number)", stage: .newcomer, as: authorClock)
            _ = roster.linkClosed(RosterTests.peer(number), .goodbye, at: Moment(instant: now, wallClock: time))
        }
        #expect(roster.rows.map(\.since.milliseconds) == (7...70).reversed())
        #expect(roster.count == 71)
    }

    @Test func `the table of known peers is bounded, and no linked peer is forgotten`() {
        var roster = Roster(me: RosterTests.peer(0), capacity: 10)
        _ = roster.linkOpened(
            RosterTests.peer(1), at: Moment(instant: Instant(nanoseconds: 0), wallClock: Timestamp(milliseconds: 0)))
        for number in 2...50 as ClosedRange<UInt64> {
            let authorClock = AuthorClock(epoch: 1, sequence: 1)
            _ = roster.recordName(RosterTests.peer(number), nickname: "n\(number)", stage: .newcomer, as: authorClock)
        }
        #expect(roster.count == 10)
        #expect(roster.isOnline(RosterTests.peer(1)) == true)
        #expect(roster.find("n42") == .none)
        #expect(roster.find("n43") == .one(RosterTests.peer(43)))
    }

    @Test func `each peer has its own nickname, whichever was noted before`() {
        var roster = Roster(me: RosterTests.peer(0), capacity: 10)
        // Each twice in a row, while those without payloads for long are forgotten.
        for step in 1...500 as ClosedRange<UInt64> {
            let number = step / 2 % 30 + 1
            let authorClock = AuthorClock(epoch: 1, sequence: step)
            _ = roster.recordName(
                RosterTests.peer(number), nickname: "n\(number)-\(step)", stage: .regular, as: authorClock)
            #expect(roster.who(RosterTests.peer(number)).nickname == "n\(number)-\(step)")
            #expect(roster.count <= 10)
        }
    }

    @Test func `own mute, block and link are refused`() {
        var roster = Roster(me: RosterTests.peer(0))
        roster.setMuted(RosterTests.peer(0), true)
        roster.setBlocked(RosterTests.peer(0), true)
        let events = roster.linkOpened(
            RosterTests.peer(0), at: Moment(instant: Instant(nanoseconds: 0), wallClock: Timestamp(milliseconds: 0)))
        #expect(events.isEmpty)
        #expect(roster.isHidden(RosterTests.peer(0)) == false)
        #expect(roster.online == 0)
    }
}

extension Roster {
    fileprivate mutating func recordName(
        _ author: PeerID, nickname: String, stage: SenderStage?, as authorClock: AuthorClock
    ) -> [NodeEvent] {
        var events: [NodeEvent] = []
        recordName(author, nickname: nickname, stage: stage, as: authorClock, into: &events)
        return events
    }
}
