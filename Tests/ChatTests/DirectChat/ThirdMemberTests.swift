import Noise
import Testing
import Wire

@testable import Chat

/// The payloads that one of eight members receives (Protocol.md section 6).
struct ThirdMemberTests {
    /// A payload as the third member receives it.
    private struct Sight: Equatable {
        let author: PeerID
        let isDirect: Bool
        let sequence: UInt64
        let frame: [UInt8]
    }

    private final class Meeting {
        let people = room("ann", "ben", "cas", "dan", "eva", "fay", "gus", "hal")
        private(set) var sights: [Sight] = []
        /// Direct payloads that the third member did not receive.
        private(set) var hidden = 0

        func act(_ kind: Int, by index: Int, toward other: Int, _ number: Int) {
            let (me, peer) = (people[index], people[other].id)
            let (text, conversation) = ("text \(number)", Conversation.direct(peer))
            let outcome = try? perform(kind, me, peer, conversation, text)
            send(outcome?.outgoing ?? [], by: index)
            pass()
        }

        /// Sends what routers send by themselves, and lets time go on.
        func pass() {
            for _ in 0..<8 { for member in people.indices { send(people[member].replies(), by: member) } }
            for person in people { person.pass(.milliseconds(700)) }
        }

        private func perform(
            _ kind: Int, _ me: Person, _ peer: PeerID, _ conversation: Conversation, _ text: String
        ) throws(ChatError) -> Outcome {
            switch kind {
            case 0: try me.say(text)
            case 1: try me.router.edit(nil, of: .publicRoom, text, at: me.moment)
            case 2: try me.router.delete(nil, of: .publicRoom, at: me.moment)
            case 3: me.router.setAway(me.session.state == .here, at: me.moment)
            case 4: typing(me, in: .publicRoom)
            case 5, 6, 7, 8: try me.router.send(text, to: conversation, at: me.moment)
            case 9, 10: try me.router.accept(peer, at: me.moment)
            case 11: try me.router.edit(nil, of: conversation, text, at: me.moment)
            case 12: try me.router.delete(nil, of: conversation, at: me.moment)
            case 13: typing(me, in: conversation)
            case 14: try me.router.invite(peer, to: .lobby, at: me.moment)
            default: try me.router.leave(peer, at: me.moment)
            }
        }

        private func typing(_ me: Person, in conversation: Conversation) -> Outcome {
            let outgoing = me.router.composeTyping(true, in: conversation, at: me.moment)
            return Outcome(outgoing: outgoing.map { [$0] } ?? [])
        }

        private func send(_ outgoing: [Outgoing], by index: Int) {
            for item in outgoing {
                let payload = item.payload.payload
                for other in people.indices
                where other != index && (payload.target == nil || payload.target == people[other].id) {
                    people[other].receive(item.payload)
                    guard other == ThirdMemberTests.third else {
                        hidden += payload.isDirect ? 1 : 0
                        continue
                    }
                    sights.append(
                        Sight(
                            author: payload.author, isDirect: payload.isDirect, sequence: payload.sequence,
                            frame: item.payload.signed.frameBody()))
                }
            }
        }
    }

    private static let third = 2

    /// A random conversation.
    ///
    /// - Parameter isPrivate: whether the first two say anything to each other.
    private func converse(_ acts: Int, isPrivate: Bool) -> Meeting {
        var randomness = Randomness.seeded(37)
        let meeting = Meeting()
        for number in 0..<acts {
            let kind = Int.random(in: 0..<16, using: &randomness)
            let one = Int.random(in: 0..<8, using: &randomness)
            // Half of what is private is between the first two.
            let isBetweenThem = one < 2 && Bool.random(using: &randomness)
            let step = Int.random(in: 1..<8, using: &randomness)
            let other = isBetweenThem ? 1 - one : (one + step) % 8
            let isLeftOut = kind > 4 && !isPrivate && Set([one, other]) == [0, 1]
            if isLeftOut { meeting.pass() } else { meeting.act(kind, by: one, toward: other, number) }
        }
        return meeting
    }

    @Test func `a third member receives the same payloads whether or not two others converse`() {
        let (with, without) = (converse(10_000, isPrivate: true), converse(10_000, isPrivate: false))
        #expect(with.hidden > without.hidden + 500)
        #expect(with.sights.count > 3_000 && with.sights.contains(where: \.isDirect))
        let first = zip(with.sights, without.sights).enumerated().first { $1.0 != $1.1 }
        #expect(first == nil && with.sights.count == without.sights.count)
    }

    @Test func `of each author a member sees two streams of numbers without a gap`() {
        let meeting = converse(2_000, isPrivate: true)
        for author in meeting.people where author.id != meeting.people[Self.third].id {
            for isDirect in [false, true] {
                let stream = meeting.sights.filter { $0.author == author.id && $0.isDirect == isDirect }
                let numbers = stream.map(\.sequence)
                let unique = Set(numbers).sorted()
                // A text that waits for its receipt is sent again under its number. Seven presences came before.
                let start: UInt64 = isDirect ? 1 : 8
                #expect(unique == Array(start..<start + UInt64(unique.count)))
            }
        }
    }

    @Test func `receivers are numbered apart, and one that was forgotten goes on behind all`() {
        var numbers = ReceiverNumbers(capacity: 2)
        let (one, two, three) = (PeerID.numbered(1), PeerID.numbered(2), PeerID.numbered(3))
        #expect([one, two, one, one, two].map { numbers.takeNext(for: $0) } == [1, 1, 2, 3, 2])
        #expect(numbers.takeNext(for: three) == 4)
        #expect([one, three].map { numbers.takeNext(for: $0) } == [4, 5])
    }
}
