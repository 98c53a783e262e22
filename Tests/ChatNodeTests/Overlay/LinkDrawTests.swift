import ChatNode
import Noise
import Testing
import Wire

/// Which candidates become the links of a node in overlay mode.
@Suite struct LinkDrawTests {
    private var choice = LinkChoice(randomness: .seeded(22))
    private let start = Instant(nanoseconds: 1_000_000_000)

    private mutating func enter(_ count: Int, _ proof: Samplers.Proof) {
        for number in 0..<count {
            choice.found(ChoiceTown.name(number), at: ChoiceTown.address(number), proof, now: start)
        }
        choice.enterOverlay(now: start)
        _ = choice.tick(start)
    }

    @Test mutating func `where nothing is proven, candidates that mDNS lists are dialled`() {
        enter(50, .announced)
        #expect(choice.wanted.count == 6)
    }

    @Test mutating func `one slot is drawn anew every 8 to 12 minutes`() {
        enter(1_000, .proven)
        for instance in choice.wanted.sorted() {
            let number = ChoiceTown.number(instance)
            choice.opened(
                ChoiceTown.peer(number), at: ChoiceTown.address(number), dialled: instance, isInitiator: true,
                now: start)
        }
        let before = choice.samplers.drawn(from: 6)
        _ = choice.tick(start + .seconds(479))
        #expect(choice.samplers.drawn(from: 6) == before && choice.wanted.isEmpty)
        _ = choice.tick(start + .seconds(720))
        #expect(Set(choice.samplers.drawn(from: 6)).subtracting(before).count == 1 && choice.wanted.count == 1)
    }
}
