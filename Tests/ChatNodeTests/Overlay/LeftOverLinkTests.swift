import ChatNode
import Noise
import Testing
import Wire

/// Links that a node opened while it linked with each peer, and that it has not chosen in the overlay.
@Suite struct LeftOverLinkTests {
    private var choice = LinkChoice(randomness: .seeded(22))
    private var now = Instant(nanoseconds: 1_000_000_000)
    private let chosen: Hello

    init() {
        var hello = Hello(isOverlay: true)
        hello.isChosen = true
        chosen = hello
    }

    private mutating func open(_ number: Int, isInitiator: Bool) -> [LinkChoice.Decision] {
        let peer = ChoiceTown.peer(number)
        choice.opened(peer, at: ChoiceTown.address(number), dialled: nil, isInitiator: isInitiator, now: now)
        return choice.heard(chosen, from: peer, now: now)
    }

    private mutating func enter() {
        for number in 0..<100 {
            choice.found(ChoiceTown.name(number), at: ChoiceTown.address(number), .proven, now: now)
        }
        _ = choice.enterOverlay(now: now)
        _ = choice.tick(now)
        for number in choice.wanted.map(ChoiceTown.number).sorted() {
            choice.opened(
                ChoiceTown.peer(number), at: ChoiceTown.address(number), dialled: ChoiceTown.name(number),
                isInitiator: true, now: now)
        }
    }

    @Test mutating func `peers that claim to have chosen links which were dialled take no room from newcomers`() {
        for number in 200..<212 { _ = open(number, isInitiator: true) }
        enter()
        for number in 220..<230 { #expect(open(number, isInitiator: false).isEmpty) }
        #expect(open(230, isInitiator: false) == [.refuse(ChoiceTown.peer(230))])
    }

    @Test mutating func `above sixteen links those that were dialled and not chosen end, whatever their peers claim`() {
        for number in 200..<210 { _ = open(number, isInitiator: true) }
        enter()
        #expect(choice.tick(now).isEmpty && choice.tick(now + .seconds(20)).isEmpty)
        for number in 220..<223 { _ = open(number, isInitiator: false) }
        // No more than these are left by the trees.
        let leaving = choice.tick(now)
        #expect(leaving.count == 3)
        #expect(Set(leaving).isSubset(of: (200..<210).map { .setLeaving(ChoiceTown.peer($0), true) }))
        let ended = choice.tick(now + .seconds(20))
        let peers = leaving.compactMap { if case .setLeaving(let peer, true) = $0 { peer } else { nil } }
        #expect(Set(ended) == Set(peers.map(LinkChoice.Decision.end)))
    }
}
