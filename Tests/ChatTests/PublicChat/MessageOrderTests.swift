import Noise
import Testing
import Wire

@testable import Chat

/// The order in which a late joiner shows messages (Protocol.md section 7).
struct MessageOrderTests {
    private let people = room("alice", "bob", "carol")
    private var alice: Person { people[0] }
    private var bob: Person { people[1] }
    private var carol: Person { people[2] }

    /// Moves a person's wall clock by a number of milliseconds.
    private func shift(_ person: Person, by milliseconds: Int64) {
        person.wallClock = Timestamp(milliseconds: UInt64(Int64(person.wallClock.milliseconds) + milliseconds))
    }

    /// The author says a text, which the listeners receive at once.
    private func say(_ text: String, by author: Person, to listeners: Person...) throws -> VerifiedPayload {
        let outcome = try author.say(text)
        author.note(outcome.events)
        let payload = try #require(outcome.outgoing.first?.payload)
        for listener in listeners { listener.receive(payload) }
        return payload
    }

    /// The texts as a late joiner shows them that receives the payloads as history, in a random order.
    private func history(_ payloads: [VerifiedPayload], seed: UInt64) -> [String] {
        var randomness = Randomness.seeded(seed)
        for payload in payloads.shuffled(using: &randomness) { carol.receive(payload, via: alice, isHistory: true) }
        return carol.publicTexts
    }

    @Test(arguments: [0, 1, 1_999, -1_999, 59_999, -59_999] as [Int64])
    func `history shows an answer behind the message that it answers while clocks differ by less than a minute`(
        skew: Int64
    ) throws {
        shift(bob, by: skew)
        let payloads = try (0..<60).map { number in
            for person in people { person.pass(.milliseconds(1)) }
            return number.isMultiple(of: 2)
                ? try say("\(number)", by: alice, to: bob) : try say("\(number)", by: bob, to: alice)
        }
        #expect(history(payloads, seed: 3) == (0..<60).map(String.init))
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `history shows sixty lines that two authors said in turn in one millisecond in their order`(
        seed: UInt64
    ) throws {
        let payloads = try (0..<60).map { number in
            number.isMultiple(of: 2)
                ? try say("\(number)", by: alice, to: bob) : try say("\(number)", by: bob, to: alice)
        }
        #expect(history(payloads, seed: seed) == (0..<60).map(String.init))
    }

    @Test func `history shows what is said more than a second later behind it, whatever the clocks' offsets`() throws {
        var payloads: [VerifiedPayload] = []
        for seed in 1...40 as ClosedRange<UInt64> {
            alice.session.clock = SigningClock(randomness: .seeded(seed))
            bob.session.clock = SigningClock(randomness: .seeded(seed + 100))
            for author in [alice, bob] {
                payloads.append(try say("\(payloads.count)", by: author))
                for person in people { person.pass(.milliseconds(Limits.clockShiftMilliseconds + 1)) }
            }
        }
        #expect(history(payloads, seed: 9) == payloads.indices.map(String.init))
    }

    @Test(arguments: [0, -1, -1_500, -59_000] as [Int64])
    func `history shows an author's lines in the author's order when its clock steps back`(step: Int64) throws {
        var payloads = [try say("before", by: alice)]
        shift(alice, by: step)
        for number in 1...3 {
            payloads.append(try say("\(number)", by: alice))
            alice.pass(.milliseconds(10))
        }
        #expect(history(payloads, seed: 5) == ["before", "1", "2", "3"])
    }

    @Test(arguments: [0, 59_999, 60_000, 60_001, 299_000, 1 << 50, .max] as [UInt64])
    func `a clock ahead moves no other clock by more than a minute and 1 ms`(lead: UInt64) throws {
        let clock = bob.wallClock.milliseconds
        let sum = clock.addingReportingOverflow(lead)
        alice.wallClock = Timestamp(milliseconds: sum.overflow ? .max : sum.partialValue)
        bob.receive(alice.signPublic("from the future"))
        let time = try say("now", by: bob).payload.timestamp.milliseconds
        #expect(time == (lead <= 60_000 ? clock + lead + 1 : clock))
        bob.pass(.seconds(70))
        #expect(try say("later", by: bob).payload.timestamp == bob.wallClock)
    }

    @Test func `a chain of clocks that run ahead moves no clock by more than a minute and 1 ms`() throws {
        shift(bob, by: 45_000)
        shift(alice, by: 90_000)
        _ = try say("ahead by 90 s", by: alice, to: bob, carol)
        let answer = try say("ahead by 45 s", by: bob, to: carol).payload.timestamp
        #expect(answer.milliseconds == bob.wallClock.milliseconds + 45_001)
        #expect(try say("right", by: carol).payload.timestamp == carol.wallClock)
    }

    @Test func `a clock follows again what it shows after it was set back`() throws {
        shift(alice, by: 3_600_000)
        shift(bob, by: 3_600_000)
        _ = try say("an hour ahead", by: alice, to: bob)
        shift(alice, by: -3_599_500)
        shift(bob, by: -3_600_000)
        let message = try say("half a second ahead", by: alice, to: bob)
        let answer = try say("answer", by: bob)
        #expect(answer.payload.timestamp.milliseconds == message.payload.timestamp.milliseconds + 1)
    }

    @Test func `a message that is not shown moves no clock`() throws {
        shift(alice, by: 1_000)
        _ = bob.router.setMuted(alice.id, true)
        _ = try say("unheard", by: alice, to: bob)
        #expect(try say("now", by: bob).payload.timestamp == bob.wallClock)
    }
}
