import Noise
import Testing
import Wire

@testable import Chat
@testable import ChatNode

/// The digests of two rosters, and who asks and answers (Protocol.md section 13).
struct RosterDigestTests {
    private static func peer(_ first: UInt8, _ last: UInt8 = 0) -> PeerID {
        var bytes = [UInt8](repeating: 0, count: PeerID.byteCount)
        (bytes[0], bytes[31]) = (first, last)
        guard let peer = PeerID(bytes) else { preconditionFailure("32 bytes are a key") }
        return peer
    }

    private static func clock(_ sequence: UInt64) -> AuthorClock { AuthorClock(epoch: 7, sequence: sequence) }

    @Test func `rosters with the same presences have the same digests, in whichever order they came`() {
        let people = (0..<60).map { RosterDigestTests.peer(UInt8($0 * 4), UInt8($0)) }
        var (one, other) = (RosterDigests(), RosterDigests())
        for peer in people { one.insert(peer, RosterDigestTests.clock(1)) }
        for peer in people.reversed() { other.insert(peer, RosterDigestTests.clock(1)) }
        #expect(one == other)
        #expect(one.count == 60)
        #expect(one.differences(from: other) == 0)
    }

    @Test func `a newer presence changes the digest of its bucket alone, and the older one back again`() {
        var roster = RosterDigests()
        for first in stride(from: UInt8(0), through: 240, by: 16) {
            roster.insert(RosterDigestTests.peer(first), RosterDigestTests.clock(1))
        }
        let before = roster
        let changed = RosterDigestTests.peer(0x53, 9)
        roster.insert(changed, RosterDigestTests.clock(4))
        #expect(roster.differences(from: before) == 1 << 5)
        roster.remove(changed, RosterDigestTests.clock(4))
        #expect(roster == before)
    }

    @Test func `they go through a frame, and nothing of another length is taken for them`() {
        var roster = RosterDigests()
        roster.insert(RosterDigestTests.peer(0xff), RosterDigestTests.clock(3))
        let frame = roster.frame
        let body = Array(frame.dropFirst())
        let (shorter, longer) = (Array(body.dropLast()), body + [0])
        let read = [body, shorter, longer].map { RosterDigests($0.span) }
        #expect(frame.first == FrameType.roster.rawValue)
        #expect(read == [roster, nil, nil])
    }

    private static let link = ConnectionID(number: 1)
    private static let start = Instant(nanoseconds: 1_000_000_000)

    @Test func `a newcomer asks at once, then after 2, 4 and 8 s, at last each minute, never at a fixed phase`() throws
    {
        var exchange = RosterExchange()
        var now = RosterDigestTests.start
        var randomness = Randomness.seeded(1)
        var pauses: [Duration] = []
        exchange.begin(now: now)
        for _ in 0..<38 {
            guard let deadline = exchange.nextDeadline else { break }
            pauses.append(deadline - now)
            now = deadline
            #expect(exchange.isQuestionDue(now: now, using: &randomness) == true)
            #expect(exchange.isQuestionDue(now: now, using: &randomness) == false)
        }
        #expect(pauses.first == .zero)
        for (pause, mean) in zip(pauses.dropFirst(), [2, 4, 8, 16, 32].map { Duration.seconds($0) }) {
            #expect((mean * 0.8...mean * 1.2).contains(pause))
        }
        // No phase stays: 32 even draws of 48 to 72 s.
        let long = pauses.dropFirst(6)
        #expect(long.count == 32 && long.allSatisfy { (.seconds(48)...(.seconds(72))).contains($0) })
        let (shortest, longest) = (try #require(long.min()), try #require(long.max()))
        #expect(longest - shortest > .seconds(12))
    }

    @Test func `only a neighbour that was asked brings old presences, and not for ever`() {
        let (link, now) = (RosterDigestTests.link, RosterDigestTests.start)
        var exchange = RosterExchange()
        #expect(exchange.takeBytes(200, on: link, now: now) == false)
        exchange.recordQuestion(link, now: now)
        #expect(exchange.takeBytes(200, on: link, now: now) == true)
        #expect(exchange.takeBytes(200, on: ConnectionID(number: 2), now: now) == false)
        #expect(exchange.takeBytes(200, on: link, now: now + Limits.rosterAnswerTime) == false)
        exchange.recordQuestion(link, now: now)
        let taken = (0...Limits.knownPeers).count { _ in exchange.takeBytes(256, on: link, now: now) }
        #expect(taken == Limits.rosterAnswerBytes / 256)
    }

    @Test func `where an answer brought an author that was not known the same neighbour is asked again after a second`()
    {
        let (link, now) = (RosterDigestTests.link, RosterDigestTests.start)
        var exchange = RosterExchange()
        exchange.begin(now: now)
        var randomness = Randomness.seeded(1)
        for time in [0, 4, 9] {
            #expect(exchange.isQuestionDue(now: now + .seconds(time), using: &randomness) == true)
        }
        exchange.recordQuestion(link, now: now + .seconds(9))
        #expect(exchange.continuation == nil)
        exchange.recordUseful(on: link, now: now + .seconds(9))
        #expect(exchange.continuation == link && exchange.nextDeadline == now + .seconds(10))
        exchange.recordQuestion(link, now: now + .seconds(10))
        #expect(exchange.continuation == nil)
        exchange.linkClosed(link)
        #expect(exchange.continuation == nil)
    }

    @Test func `a neighbour's questions are answered within their rate, part by part`() {
        let (link, now) = (RosterDigestTests.link, RosterDigestTests.start)
        var exchange = RosterExchange()
        let answered = (0..<100).count { _ in exchange.answer(0xffff, on: link, now: now) }
        #expect(Double(answered) == Limits.rosterAnswersBurst)
        #expect(exchange.parts(now: now).map(\.start) == [0])
        exchange.recordAnswer(link, next: 20, bytes: 8_000)
        #expect(exchange.parts(now: now).count == 0)
        #expect(exchange.parts(now: now + Limits.rosterPortionInterval).map(\.start) == [20])
        // An answer ends after 64 kB, and the next one goes on there.
        exchange.recordAnswer(link, next: 160, bytes: 57_000)
        #expect(exchange.nextDeadline == nil && exchange.space(for: link) == 0)
        let later = now + .seconds(2)
        let isAnswered = exchange.answer(0xffff, on: link, now: later)
        #expect(isAnswered && exchange.parts(now: later).map(\.start) == [160])
        exchange.recordAnswer(link, next: nil, bytes: 1_000)
        #expect(exchange.nextDeadline == nil)
    }

    @Test func `an answer ends with its link`() {
        let (link, now) = (RosterDigestTests.link, RosterDigestTests.start)
        var exchange = RosterExchange()
        #expect(exchange.answer(1, on: link, now: now) == true)
        exchange.linkClosed(link)
        #expect(exchange.nextDeadline == nil)
        #expect(exchange.parts(now: now).count == 0)
    }
}
