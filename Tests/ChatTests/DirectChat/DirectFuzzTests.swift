import Noise
import Testing
import Wire

@testable import Chat

/// Two users with random operations at random times, while earlier payloads are still under way in order.
private final class Encounter {
    let people = room("alice", "bob")
    var underWay: [[VerifiedPayload]] = [[], []]
    /// The messages of the other that each side was shown, in order.
    var received: [[String]] = [[], []]
    var requests: [[String]] = [[], []]
    var randomness: Randomness
    var count = 0

    init(seed: UInt64) { randomness = .seeded(seed) }

    func step() {
        let index = Int.random(in: 0...1, using: &randomness)
        let (me, other) = (people[index], people[1 - index])
        switch Int.random(in: 0..<12, using: &randomness) {
        case 0...2: attempt(index) { () throws(ChatError) in try me.direct(nextText(), to: other) }
        case 3: attempt(index) { () throws(ChatError) in try me.accept(other) }
        case 4: attempt(index) { () throws(ChatError) in try me.leave(other) }
        case 5: attempt(index) { () throws(ChatError) in try me.router.decline(other.id) }
        case 6: me.router.open(Bool.random(using: &randomness) ? .publicRoom : .direct(other.id))
        default: deliverOne(to: index)
        }
    }

    /// Delivers everything under way, and the answers.
    func exchangeUntilQuiet() {
        while !underWay.allSatisfy(\.isEmpty) {
            deliverOne(to: 0)
            deliverOne(to: 1)
        }
    }

    private func nextText() -> String {
        count += 1
        return "text \(count)"
    }

    private func attempt(_ index: Int, _ operation: () throws(ChatError) -> Outcome) {
        guard let outcome = try? operation() else { return }
        note(outcome.events, at: index)
        underWay[1 - index] += outcome.outgoing.map(\.payload)
    }

    private func deliverOne(to index: Int) {
        guard !underWay[index].isEmpty else { return }
        let me = people[index]
        note(me.receive(underWay[index].removeFirst()), at: index)
        underWay[1 - index] += me.replies().map(\.payload)
    }

    private func note(_ events: [NodeEvent], at index: Int) {
        for event in events {
            if case .message(let message) = event, message.conversation != .publicRoom, !message.isFromCurrentUser {
                received[index].append(message.text)
            }
            if case .request(_, let text) = event { requests[index].append(text) }
        }
    }

    /// True if one side may send where the other has left, or still waits.
    ///
    /// One case is left out: a side that leaves and asks again while an answer to the first request is under way takes
    /// it for the answer to the second, which stays open on the other side.
    var isTorn: Bool {
        let states = [people[0].state(with: people[1]), people[1].state(with: people[0])]
        guard states.contains(.accepted) else { return false }
        return states.contains { $0 == .none || $0 == .left || $0 == .requestedByUs }
    }
}

struct DirectFuzzTests {
    @Test(arguments: 1...1_000 as ClosedRange<UInt64>)
    func `two users agree in the end, whatever they do and whenever it is delivered`(seed: UInt64) {
        let encounter = Encounter(seed: seed)
        for _ in 0..<60 { encounter.step() }
        encounter.exchangeUntilQuiet()
        #expect(!encounter.isTorn)
        for (index, person) in encounter.people.enumerated() {
            let other = encounter.people[1 - index]
            let kept = person.texts(with: other)
            #expect(Set(kept).count == kept.count, "each text is kept once")
            let shown = encounter.received[index]
            #expect(Set(shown).count == shown.count, "each text is told once")
            #expect(Set(shown).isSubset(of: other.texts(with: person)), "nothing is told that was not said")
            #expect(Set(shown).isDisjoint(with: encounter.requests[index]), "a request is not told again as a message")
            #expect((person.router.directChats[other.id]?.unreadCount ?? 0) <= shown.count)
        }
    }
}
