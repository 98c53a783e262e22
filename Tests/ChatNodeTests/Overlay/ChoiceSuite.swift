import ChatNode
import Noise
import Wire

/// A suite of tests of one choice of links, and its time.
protocol ChoiceSuite {
    var choice: LinkChoice { get set }
    var now: Instant { get set }
}

extension ChoiceSuite {
    var mesh: Hello { Hello(isOverlay: false) }
    var overlay: Hello { Hello(isOverlay: true) }
    var chosen: Hello { hello { $0.isChosen = true } }
    var insisting: Hello { hello { ($0.isChosen, $0.isInsisting) = (true, true) } }

    func hello(_ change: (inout Hello) -> Void) -> Hello {
        var hello = overlay
        change(&hello)
        return hello
    }

    /// Enters the overlay and dials.
    mutating func enter() -> [LinkChoice.Decision] {
        let effects = choice.enterOverlay(now: now)
        return effects + choice.tick(now)
    }

    func peer(_ number: Int) -> PeerID { ChoiceTown.peer(number) }
    func address(_ number: Int) -> Endpoint { ChoiceTown.address(number) }

    mutating func find(_ numbers: Range<Int>, _ proof: Samplers.Proof = .proven) {
        for number in numbers { choice.found(ChoiceTown.name(number), at: address(number), proof, now: now) }
    }

    /// Dials what is wanted, all of which is there; the numbers of the nodes.
    @discardableResult mutating func dialAll() -> [Int] {
        let numbers = choice.wanted.map(ChoiceTown.number).sorted()
        for number in numbers {
            choice.opened(
                peer(number), at: address(number), dialled: ChoiceTown.name(number), isInitiator: true, now: now)
        }
        return numbers
    }

    /// A peer opens a link and says hello.
    mutating func open(from number: Int, _ hello: Hello) -> [LinkChoice.Decision] {
        choice.opened(peer(number), at: address(number), dialled: nil, isInitiator: false, now: now)
        return choice.heard(hello, from: peer(number), now: now)
    }

    mutating func refuse(_ number: Int) -> [LinkChoice.Decision] {
        let effects = choice.refused(by: peer(number), now: now)
        choice.closed(peer(number), now: now)
        _ = choice.tick(now)
        return effects
    }
}
