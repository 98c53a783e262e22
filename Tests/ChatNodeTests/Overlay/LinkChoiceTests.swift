import ChatNode
import Noise
import Testing
import Wire

@Suite struct LinkChoiceTests: ChoiceSuite {
    var choice = LinkChoice(randomness: .seeded(21))
    var now = Instant(nanoseconds: 1_000_000_000)

    @Test mutating func `in a mesh nothing is chosen, refused or ended`() {
        find(0..<30)
        #expect(choice.wanted.isEmpty && choice.nextDeadline == nil)
        for number in 0..<30 { #expect(open(from: number, chosen).isEmpty) }
        #expect(choice.tick(now + .seconds(1_000)).isEmpty && choice.chosenCount == 0)
        #expect(choice.hello(for: peer(3)) == mesh)
    }

    @Test mutating func `six drawn candidates are dialled at once, and no more`() {
        find(0..<100)
        #expect(enter().isEmpty)
        #expect(choice.wanted == Set(choice.samplers.drawn(from: 6)) && choice.wanted.count == 6)
        let numbers = dialAll()
        #expect(choice.tick(now).isEmpty && choice.wanted.isEmpty && choice.chosenCount == 6)
        #expect(numbers.allSatisfy { choice.hello(for: peer($0)) == chosen })
    }

    @Test mutating func `a link that is there already is chosen without a dial`() {
        find(0..<40)
        for number in 0..<40 { _ = open(from: number, overlay) }
        _ = enter()
        for instance in choice.wanted.sorted() {
            let number = ChoiceTown.number(instance)
            // It was about to end.
            let decisions = choice.joined(instance, peer(number), now: now)
            #expect(decisions == [.greet(peer(number)), .setLeaving(peer(number), false)])
        }
        #expect(choice.chosenCount == 6 && choice.wanted.isEmpty)
    }

    @Test mutating func `two names of one peer make one chosen link, and another candidate takes the second place`() {
        find(0..<40)
        _ = enter()
        let names = choice.wanted.sorted()
        choice.opened(peer(0), at: address(0), dialled: names[0], isInitiator: true, now: now)
        #expect(choice.joined(names[1], peer(0), now: now).isEmpty && choice.chosenCount == 1)
        _ = choice.tick(now)
        #expect(choice.wanted.count == 5 && choice.wanted.isDisjoint(with: names.prefix(2)))
    }

    @Test mutating func `ten links of others are accepted, then the next hears busy, unless it insists`() {
        find(0..<100)
        _ = enter()
        dialAll()
        for number in 200..<210 { #expect(open(from: number, chosen).isEmpty) }
        #expect(choice.acceptedCount == 10)
        #expect(open(from: 210, chosen) == [.refuse(peer(210))])
        choice.closed(peer(210), now: now)
        #expect(open(from: 211, insisting).isEmpty && choice.acceptedCount == 11)
        #expect(open(from: 212, mesh).isEmpty)
    }

    @Test mutating func `the links of a mesh are established: none is refused when its first hello comes`() {
        find(0..<40)
        for number in 0..<40 {
            choice.opened(peer(number), at: address(number), dialled: nil, isInitiator: false, now: now)
        }
        _ = enter()
        for number in 0..<40 { #expect(choice.heard(chosen, from: peer(number), now: now).isEmpty) }
        // Nor is one that a mesh node has opened since, unless it chooses it soon.
        for number in [50, 51, 52] {
            choice.opened(peer(number), at: address(number), dialled: nil, isInitiator: false, now: now)
        }
        #expect(choice.heard(chosen, from: peer(50), now: now) == [.refuse(peer(50))])
        #expect(choice.heard(overlay, from: peer(51), now: now).isEmpty)
        #expect(choice.heard(chosen, from: peer(51), now: now + .milliseconds(14_999)) == [.refuse(peer(51))])
        #expect(choice.heard(chosen, from: peer(52), now: now + .seconds(15)).isEmpty)
    }

    @Test mutating func `a later hello of an accepted link is never refused`() {
        find(0..<100)
        _ = enter()
        dialAll()
        for number in 200..<230 { _ = open(from: number, insisting) }
        for number in 200..<230 { #expect(choice.heard(chosen, from: peer(number), now: now).isEmpty) }
    }

    @Test mutating func `a dead candidate is replaced at once, and a dial without an answer after 15 s`() {
        find(0..<100)
        _ = enter()
        let first = choice.wanted
        for instance in first { choice.failed(instance, now: now) }
        _ = choice.tick(now)
        #expect(choice.wanted.count == 6 && choice.wanted.isDisjoint(with: first))
        let second = choice.wanted
        #expect(choice.nextDeadline ?? now <= now + .seconds(15))
        _ = choice.tick(now + .seconds(15))
        #expect(choice.wanted.count == 6 && choice.wanted.isDisjoint(with: second))
    }

    @Test mutating func `a chosen peer that is gone is replaced at once`() {
        find(0..<100)
        _ = enter()
        let numbers = dialAll()
        choice.closed(peer(numbers[0]), now: now)
        _ = choice.tick(now)
        #expect(choice.wanted.count == 1 && choice.wanted != [ChoiceTown.name(numbers[0])])
    }

    @Test mutating func `the only candidate is dialled again and again`() {
        find(0..<1)
        _ = enter()
        for _ in 0..<5 {
            #expect(choice.wanted == [ChoiceTown.name(0)])
            choice.failed(ChoiceTown.name(0), now: now)
            _ = choice.tick(now)
            #expect(choice.wanted.isEmpty)
            now = choice.samplers.nextDeadline ?? now
            _ = choice.tick(now)
        }
    }

    @Test mutating func `a link that neither end has chosen ends after 2 to 5 s, by its initiator`() throws {
        choice.hasNamedPeers = true
        find(0..<16)
        for number in 0..<16 {
            choice.opened(peer(number), at: address(number), dialled: nil, isInitiator: number != 1, now: now)
        }
        _ = enter()
        for instance in choice.wanted.sorted() {
            _ = choice.joined(instance, peer(ChoiceTown.number(instance)), now: now)
        }
        // Half of the peers have not chosen it either, and a quarter are no overlay nodes yet.
        var leftOver: Set<PeerID> = []
        for number in 0..<16 {
            let hello = number % 4 == 0 ? mesh : number % 2 == 0 ? chosen : overlay
            #expect(choice.heard(hello, from: peer(number), now: now).isEmpty)
            let isChosen = choice.hello(for: peer(number)).isChosen
            if hello == overlay, !isChosen { leftOver.insert(peer(number)) }
        }
        // Both ends tell their trees.
        #expect(Set(choice.tick(now)) == Set(leftOver.map { .setLeaving($0, true) }))
        leftOver.remove(peer(1))
        try #require(!leftOver.isEmpty)
        #expect(choice.tick(now + .milliseconds(1_999)).isEmpty)
        let ended = choice.tick(now + .seconds(5))
        #expect(ended.count == leftOver.count && Set(ended) == Set(leftOver.map(LinkChoice.Decision.end)))
    }

    @Test mutating func `of more than 16 links those that neither end has chosen end after 2 s by either end`() {
        _ = enter()
        for number in 0..<20 {
            choice.opened(peer(number), at: address(number), dialled: nil, isInitiator: false, now: now)
            let effects = choice.heard(number < 10 ? chosen : overlay, from: peer(number), now: now)
            #expect(effects.isEmpty && choice.tick(now) == (number < 10 ? [] : [.setLeaving(peer(number), true)]))
        }
        #expect(choice.tick(now + .milliseconds(1_999)).isEmpty)
        let ended = choice.tick(now + .seconds(2))
        #expect(ended == (10..<14).map { LinkChoice.Decision.end(peer($0)) })
    }

    @Test mutating func `a link that is chosen in time stays`() {
        find(0..<40)
        choice.opened(peer(99), at: address(99), dialled: nil, isInitiator: true, now: now)
        _ = enter()
        _ = choice.heard(overlay, from: peer(99), now: now)
        #expect(choice.tick(now) == [.setLeaving(peer(99), true)])
        let instance = choice.wanted.first ?? ""
        choice.opened(peer(98), at: address(98), dialled: nil, isInitiator: true, now: now)
        _ = choice.heard(overlay, from: peer(98), now: now)
        #expect(choice.tick(now) == [.setLeaving(peer(98), true)])
        // A candidate that turns out to be this peer is chosen, and its link stays.
        #expect(choice.joined(instance, peer(98), now: now) == [.greet(peer(98)), .setLeaving(peer(98), false)])
        #expect(choice.heard(chosen, from: peer(99), now: now + .seconds(1)).isEmpty)
        #expect(choice.tick(now + .seconds(20)) == [.setLeaving(peer(99), false)])
        #expect(choice.tick(now + .seconds(40)).isEmpty)
    }

    @Test mutating func `a better draw is exchanged 30 s after the last, the new link first`() {
        choice.hasNamedPeers = true
        find(0..<20)
        _ = enter()
        let old = Set(dialAll())
        find(100..<1_100)
        _ = choice.tick(now + .milliseconds(29_900))
        #expect(choice.wanted.isEmpty)
        now = now + .seconds(30)
        _ = choice.tick(now)
        #expect(choice.wanted.count == 1)
        let new = dialAll()
        #expect(choice.chosenCount == 7)
        let effects = choice.tick(now)
        #expect(effects.count == 1 && choice.chosenCount == 6)
        let dropped = old.filter { !choice.hello(for: peer($0)).isChosen }
        #expect(dropped.count == 1 && effects == dropped.map { .greet(peer($0)) })
        #expect(new.allSatisfy { choice.hello(for: peer($0)).isChosen })
        #expect(choice.tick(now + .seconds(29)).isEmpty && choice.wanted.isEmpty)
    }

    @Test mutating func `a chosen peer is replaced when it is silent for 60 s while 8 payloads come from others`() {
        find(0..<100)
        _ = enter()
        let numbers = dialAll()
        let others = numbers.dropFirst()
        for _ in 0..<7 { choice.recordSign(of: peer(numbers[1]), isNew: true, now: now) }
        now = now + .seconds(60)
        for number in others { choice.recordSign(of: peer(number), isNew: false, now: now) }
        #expect(choice.tick(now).isEmpty && choice.chosenCount == 6)
        choice.recordSign(of: peer(numbers[1]), isNew: true, now: now)
        #expect(choice.tick(now) == [.greet(peer(numbers[0]))])
        #expect(choice.wanted.count == 1 && !choice.wanted.contains(ChoiceTown.name(numbers[0])))
    }

    @Test mutating func `a peer that is struck out loses its link, and its source is neither dialled nor accepted`() {
        find(0..<100)
        _ = enter()
        let number = dialAll()[0]
        #expect(choice.struckOut(peer(number), now: now) == [.end(peer(number))])
        choice.closed(peer(number), now: now)
        choice.found("renamed", at: address(number), .proven, now: now)
        #expect(!choice.samplers.isRested("renamed") && !choice.samplers.isRested(ChoiceTown.name(number)))
        #expect(open(from: number, insisting) == [.refuse(peer(number))])
        choice.closed(peer(number), now: now)
        now = now + .seconds(600)
        #expect(open(from: number, insisting).isEmpty)
    }

    @Test mutating func `contacts fill two of six links at most, and only where proven candidates lack`() {
        choice.hasNamedPeers = true
        find(0..<3)
        find(100..<150, .told)
        _ = enter()
        let wanted = choice.wanted.map(ChoiceTown.number).sorted()
        #expect(wanted.prefix(3) == [0, 1, 2] && wanted.count == 5 && wanted.dropFirst(3).allSatisfy { $0 >= 100 })
        dialAll()
        _ = choice.tick(now)
        #expect(choice.wanted.isEmpty && choice.chosenCount == 5)
        find(3..<10)
        _ = choice.tick(now)
        #expect(choice.wanted.count == 1 && choice.wanted.allSatisfy { ChoiceTown.number($0) < 10 })
    }

    @Test mutating func `guests are beside the overlay: none counts as a link of others, and all may stay`() {
        find(0..<100)
        _ = enter()
        dialAll()
        choice.opened(peer(300), at: address(300), dialled: nil, isInitiator: true, isGuest: true, now: now)
        #expect(choice.hello(for: peer(300)).isGuest)
        let guest = hello { $0.isGuest = true }
        for number in 310..<320 { #expect(open(from: number, guest).isEmpty) }
        #expect(choice.acceptedCount == 0 && choice.tick(now + .seconds(20)).isEmpty)
    }

    @Test mutating func `when the room is small again all is unchosen and nothing more ends`() {
        find(0..<40)
        _ = enter()
        let numbers = dialAll()
        let effects = choice.leaveOverlay()
        #expect(Set(effects) == Set(numbers.map { .greet(peer($0)) }))
        #expect(choice.chosenCount == 0 && choice.wanted.isEmpty && choice.nextDeadline == nil)
        for number in numbers { _ = choice.heard(overlay, from: peer(number), now: now) }
        #expect(choice.tick(now + .seconds(100)).isEmpty)
        #expect(choice.hello(for: peer(numbers[0])) == mesh)
    }
}
