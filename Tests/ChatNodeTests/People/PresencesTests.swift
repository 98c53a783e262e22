import Noise
import Testing
import Wire

@testable import Chat
@testable import ChatNode

/// The table of presences, and what is gathered about them (Protocol.md section 13).
struct PresencesTests {
    /// A member of the room that signs presences.
    private struct Member: ~Copyable {
        var session: UserSession
        var time = Timestamp(milliseconds: 1_800_000_000_000)

        init(_ seed: UInt64) {
            var randomness = Randomness.seeded(seed)
            session = UserSession(
                identity: Identity.generate(using: &randomness), room: Room.lobby.id, epoch: 1, nickname: "member")
        }

        mutating func presence() -> VerifiedPayload { session.signPresence(at: time) }
        mutating func departure() -> VerifiedPayload { session.signDeparture(at: time) }
    }

    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test func `the newest presence counts, whichever comes first`() {
        var member = Member(1)
        let (old, new) = (member.presence(), member.departure())
        var presences = Presences()
        #expect(presences.keep(new, age: .zero, now: start) == true)
        #expect(!presences.isHere(new.author))
        #expect(presences.count == 1)
        // One that left is not brought back by a presence from before, as a replay would try.
        #expect(presences.keep(old, age: .zero, now: start) == false)
        #expect(!presences.isHere(new.author))
        #expect(presences.keep(new, age: .zero, now: start) == false)
    }

    @Test func `a presence lapses after 900 s from its signature`() {
        var one = Member(1)
        var other = Member(2)
        let (fresh, old) = (one.presence(), other.presence())
        var presences = Presences()
        #expect(presences.keep(fresh, age: .zero, now: start) == true)
        #expect(presences.keep(old, age: .seconds(600), now: start) == true)
        #expect(presences.lapse(now: start + .seconds(299)).count == 0)
        #expect(presences.lapse(now: start + .seconds(316)) == [old.author])
        #expect(presences.lapse(now: start + .seconds(899)).count == 0)
        #expect(presences.lapse(now: start + .seconds(916)) == [fresh.author])
        #expect(presences.count == 0)
        #expect(presences.digests == RosterDigests())
        #expect(presences.nextDeadline == nil)
    }

    @Test func `one older than that is not taken`() {
        var member = Member(1)
        var presences = Presences()
        #expect(presences.keep(member.presence(), age: Limits.presenceLifetime, now: start) == false)
    }

    @Test func `new identities do not displace those that are known`() {
        var presences = Presences(capacity: 2)
        var one = Member(1)
        var other = Member(2)
        var third = Member(3)
        #expect(presences.keep(one.presence(), age: .zero, now: start) == true)
        #expect(presences.keep(other.presence(), age: .zero, now: start) == true)
        #expect(presences.keep(third.presence(), age: .zero, now: start) == false)
        #expect(presences.refused == 1)
        #expect(presences.keep(one.presence(), age: .zero, now: start) == true)
        #expect(presences.count == 2)
    }

    @Test func `the parts of an answer hold each presence of the buckets once`() {
        var presences = Presences()
        for seed in 0..<70 as Range<UInt64> {
            var member = Member(seed)
            #expect(presences.keep(member.presence(), age: .zero, now: start) == true)
        }
        var (next, answered): (Int?, [PeerID]) = (0, [])
        while let from = next {
            let part = presences.part(of: 0x00ff, from: from, most: 7)
            #expect(part.peers.count <= 7)
            answered += part.peers
            next = part.next
        }
        #expect(Set(answered).count == answered.count && answered.allSatisfy { $0.bytes[0] < 0x80 })
        #expect(answered.count > 20)
        #expect(answered.count < 50)
    }

    @Test func `presences of a rush are passed on together, each once and as the newest`() {
        var randomness = Randomness.seeded(5)
        var relay = PresenceRelay()
        let authors = (1...3 as ClosedRange<UInt64>).map { seed in
            var member = Member(seed)
            return member.presence().author
        }
        for (index, author) in (authors + authors.prefix(1)).enumerated() {
            relay.pass(author, from: ConnectionID(number: UInt64(index)), now: start, using: &randomness)
        }
        let deadline = relay.nextDeadline ?? start
        #expect(deadline >= start + Limits.presenceGathering / 2)
        #expect(deadline <= start + Limits.presenceGathering)
        #expect(relay.takeDue(now: start).count == 0)
        let due = relay.takeDue(now: deadline)
        #expect(due.map(\.author) == authors)
        #expect(due.first?.from == ConnectionID(number: 3))
        #expect(relay.nextDeadline == nil)
    }

    @Test func `the own presence is signed again after 540 to 660 s`() {
        var randomness = Randomness.seeded(6)
        var member = Member(1)
        for _ in 0..<50 {
            var relay = PresenceRelay()
            relay.recordSigned(member.presence(), now: start, using: &randomness)
            let pause = (relay.nextDeadline ?? start) - start
            #expect(pause >= .seconds(540))
            #expect(pause <= .seconds(660))
        }
    }

    @Test func `arrivals and departures of a crowd are counted soon, then every 30 s`() {
        var folding = CrowdFolding()
        folding.record(Movements(), now: start)
        #expect(folding.nextDeadline == nil)
        folding.record(Movements(came: 40), now: start)
        folding.record(Movements(left: 2), now: start + .seconds(1))
        #expect(folding.takeDue(now: start + .seconds(1)) == nil)
        #expect(folding.takeDue(now: start + .seconds(2)) == Movements(came: 40, left: 2))
        folding.record(Movements(came: 1), now: start + .seconds(3))
        #expect(folding.nextDeadline == start + .seconds(32))
        #expect(folding.takeDue(now: start + .seconds(32)) == Movements(came: 1))
    }

    @Test func `a table of paths is bounded and remembers the latest link`() {
        var paths = PresencePaths(capacity: 1)
        var one = Member(1)
        var other = Member(2)
        let (first, second) = (one.presence().author, other.presence().author)
        paths.record(first, by: ConnectionID(number: 1))
        paths.record(second, by: ConnectionID(number: 1))
        paths.record(first, by: ConnectionID(number: 2))
        #expect(paths.count == 1)
        #expect(paths[PresencePaths.key(of: second)] == nil)
        #expect(paths[PresencePaths.key(SealedMessage.address(of: first))] == ConnectionID(number: 2))
    }
}
