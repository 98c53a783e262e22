import ChatNode
import Noise
import Testing
import Wire

/// The links of a node where others have no room, say nothing, or overrun it.
@Suite struct InsistenceTests: ChoiceSuite {
    var choice = LinkChoice(randomness: .seeded(23))
    var now = Instant(nanoseconds: 1_000_000_000)

    @Test mutating func `a refused node dials its next spare, and insists where most refuse, for ten minutes`() {
        find(0..<100)
        _ = enter()
        var tried: Set<Int> = []
        var refused: [Int] = []
        for attempt in 1...4 {
            let numbers = dialAll()
            #expect(numbers.count == (attempt == 1 ? 6 : 1) && tried.isDisjoint(with: numbers))
            #expect(numbers.allSatisfy { !choice.hello(for: peer($0)).isInsisting })
            tried.formUnion(numbers)
            guard let first = numbers.first else { continue }
            // Three of the first six accept.
            for number in attempt == 1 ? numbers.suffix(3) : [] {
                _ = choice.heard(overlay, from: peer(number), now: now)
            }
            #expect(refuse(first).first == .end(peer(first)))
            refused.append(first)
        }
        // Now also those of the first six draws are dialled that have refused.
        let last = dialAll()
        #expect(last.count >= 1 && last.contains(where: refused.contains))
        #expect(last.allSatisfy { choice.hello(for: peer($0)).isInsisting })
        for number in last { _ = choice.heard(overlay, from: peer(number), now: now) }
        _ = choice.tick(now)
        #expect(choice.chosenCount == 6)
        now = now + .seconds(599)
        _ = choice.tick(now)
        let kept = last.map(peer).filter { choice.hello(for: $0).isChosen }
        #expect(!kept.isEmpty && kept.allSatisfy { choice.hello(for: $0).isInsisting })
        now = now + .seconds(1)
        _ = choice.tick(now)
        #expect(kept.allSatisfy { !choice.hello(for: $0).isInsisting })
    }

    @Test mutating func `refusals that are as few as acceptances, or long apart, make no node insist`() {
        find(0..<100)
        _ = enter()
        var accepted = 0
        for _ in 0..<20 {
            let numbers = dialAll()
            guard let first = numbers.first else { break }
            for number in numbers.dropFirst() {
                _ = choice.heard(overlay, from: peer(number), now: now)
                accepted += 1
            }
            if accepted < 5 { break }
            _ = refuse(first)
            now = now + .seconds(25)
            _ = choice.tick(now)
        }
        let numbers = dialAll()
        #expect(accepted == 5 && numbers.count == 1)
        #expect(numbers.allSatisfy { choice.hello(for: peer($0)).isChosen && !choice.hello(for: peer($0)).isInsisting })
    }

    @Test mutating func `a node that others overrun insists itself, and chooses eight for ten minutes`() {
        find(0..<100)
        _ = enter()
        let numbers = dialAll()
        for number in 200..<220 { _ = open(from: number, insisting) }
        _ = choice.tick(now)
        #expect(numbers.allSatisfy { !choice.hello(for: peer($0)).isInsisting })
        _ = open(from: 220, insisting)
        // Twenty-one may be open for a moment where a room grows.
        now = now + .milliseconds(14_999)
        _ = choice.tick(now)
        #expect(numbers.allSatisfy { !choice.hello(for: peer($0)).isInsisting })
        now = now + .milliseconds(1)
        _ = choice.tick(now)
        #expect(numbers.allSatisfy { choice.hello(for: peer($0)).isInsisting } && choice.wanted.count == 2)
        dialAll()
        _ = choice.tick(now)
        #expect(choice.chosenCount == 8)
        // Attackers that end their links and overrun it again move no link that it has chosen.
        for number in 200..<220 { choice.closed(peer(number), now: now) }
        _ = choice.tick(now + .milliseconds(599_999))
        #expect(choice.chosenCount == 8)
        _ = choice.tick(now + .seconds(600))
        #expect(choice.chosenCount == 6)
    }

    @Test mutating func `a node that is alone gives silent peers up after 20 s, all at once, and insists`() {
        find(0..<100)
        _ = enter()
        let first = dialAll()
        now = now + .milliseconds(19_900)
        choice.recordSign(of: peer(first[0]), isNew: false, now: now)
        #expect(choice.tick(now, isAlone: true).isEmpty)
        now = now + .milliseconds(100)
        #expect(choice.tick(now, isAlone: false).isEmpty)
        let effects = choice.tick(now, isAlone: true)
        #expect(Set(effects) == Set(first.dropFirst().map { .greet(peer($0)) }))
        let second = dialAll()
        #expect(second.count == 5 && Set(second).isDisjoint(with: first))
        #expect(second.allSatisfy { choice.hello(for: peer($0)).isInsisting })
    }

    @Test mutating func `a node that is alone replaces silent peers between two exchanges, which stay 30 s apart`() {
        choice.hasNamedPeers = true
        find(0..<20)
        _ = enter()
        dialAll()
        find(100..<1_100)
        now = now + .seconds(30)
        _ = choice.tick(now)
        #expect(dialAll().count == 1)
        _ = choice.tick(now)
        now = now + .seconds(10)
        #expect(choice.tick(now, isAlone: true).count == 5)
        #expect(dialAll().count == 5 && choice.chosenCount == 6)
        find(2_000..<9_000)
        now = now + .milliseconds(19_900)
        #expect(choice.tick(now).isEmpty && choice.wanted.isEmpty)
        now = now + .milliseconds(100)
        #expect(choice.tick(now).isEmpty && choice.wanted.count == 1)
    }

    @Test mutating func `where discovery shows no crowd all sources are chosen, each once`() {
        find(0..<8)
        // A thousand names at one address are one source.
        for number in 0..<1_000 {
            choice.found("name-\(number)", at: Endpoint(address: [10, 9, 9, 9], port: 4_000), .proven, now: now)
        }
        for number in 200..<420 {
            choice.opened(peer(number), at: address(number), dialled: nil, isInitiator: false, now: now)
        }
        _ = enter()
        #expect(choice.wanted.count == 9 && choice.wanted.count { $0.hasPrefix("node") } == 8)
        for number in 0..<8 {
            choice.opened(
                peer(number), at: address(number), dialled: ChoiceTown.name(number), isInitiator: true, now: now)
        }
        // A newcomer is dialled at once.
        find(8..<9)
        _ = choice.tick(now)
        #expect(choice.wanted.contains(ChoiceTown.name(8)))
        // In a crowd there are few again.
        now = now + .seconds(15)
        _ = choice.tick(now)
        find(9..<40)
        _ = choice.tick(now)
        #expect(choice.chosenCount == 8)
    }
}
