import ChatNode
import Noise
import Testing
import Wire

/// Many choices of links against each other, without a network: a dial succeeds at once, and a hello arrives at once.
struct ChoiceTown {
    struct Edge: Hashable {
        let initiator: Int
        let responder: Int
    }

    private(set) var choices: [Int: LinkChoice] = [:]
    private(set) var edges: Set<Edge> = []
    /// By node, for all that are there.
    private(set) var neighbours: [Int: Set<Int>] = [:]
    /// Nodes that accept each link, and dial all honest nodes again and again, insisting.
    let attackers: Set<Int>
    private(set) var refusals = 0
    private var randomness: Randomness
    private(set) var now = Instant(nanoseconds: 0)

    init(nodes: Int, attackers: Set<Int> = [], seed: UInt64) {
        randomness = .seeded(seed)
        self.attackers = attackers
        for number in 0..<nodes { add(number) }
    }

    static func name(_ number: Int) -> String { "node-\(number)" }

    static func number(_ instance: String) -> Int { Int(instance.dropFirst(5)) ?? 0 }

    static func peer(_ number: Int) -> PeerID {
        let digits = [UInt8(number >> 8 & 255), UInt8(number & 255)]
        guard let peer = PeerID([UInt8](repeating: 1, count: 30) + digits) else { preconditionFailure("32 bytes") }
        return peer
    }

    static func number(_ peer: PeerID) -> Int { Int(peer.bytes[30]) << 8 | Int(peer.bytes[31]) }

    static func address(_ number: Int) -> Endpoint {
        Endpoint(address: [10, 0, UInt8(number >> 8 & 255), UInt8(number & 255)], port: 4_000)
    }

    /// A node comes: all others see it, and it sees them.
    mutating func add(_ number: Int) {
        var choice = LinkChoice(randomness: .seeded(randomness.next()))
        for other in choices.keys.sorted() {
            choice.found(ChoiceTown.name(other), at: ChoiceTown.address(other), .proven, now: now)
            choices[other]?.found(ChoiceTown.name(number), at: ChoiceTown.address(number), .proven, now: now)
        }
        let effects = choice.enterOverlay(now: now)
        choices[number] = choice
        neighbours[number] = []
        apply(effects, of: number)
    }

    /// A node is gone: its links end, and it stays listed.
    mutating func remove(_ number: Int) {
        choices[number] = nil
        for other in neighbours.removeValue(forKey: number)?.sorted() ?? [] {
            cut(Edge(initiator: number, responder: other))
            cut(Edge(initiator: other, responder: number))
        }
    }

    private mutating func cut(_ edge: Edge) {
        guard edges.remove(edge) != nil else { return }
        neighbours[edge.initiator]?.remove(edge.responder)
        neighbours[edge.responder]?.remove(edge.initiator)
        choices[edge.initiator]?.closed(ChoiceTown.peer(edge.responder), now: now)
        choices[edge.responder]?.closed(ChoiceTown.peer(edge.initiator), now: now)
    }

    private func isLinked(_ number: Int, _ other: Int) -> Bool { neighbours[number]?.contains(other) ?? false }

    private mutating func apply(_ effects: [LinkChoice.Decision], of number: Int) {
        for effect in effects {
            switch effect {
            case .greet(let peer): greet(ChoiceTown.number(peer), from: number)
            case .refuse(let peer):
                refusals += 1
                let other = ChoiceTown.number(peer)
                apply(choices[other]?.refused(by: ChoiceTown.peer(number), now: now) ?? [], of: other)
            case .setLeaving: break
            case .end(let peer):
                let other = ChoiceTown.number(peer)
                cut(Edge(initiator: number, responder: other))
                cut(Edge(initiator: other, responder: number))
            }
        }
    }

    private mutating func greet(_ other: Int, from number: Int) {
        guard var hello = choices[number]?.hello(for: ChoiceTown.peer(other)) else { return }
        if attackers.contains(number) { (hello.isChosen, hello.isInsisting) = (true, true) }
        apply(choices[other]?.heard(hello, from: ChoiceTown.peer(number), now: now) ?? [], of: other)
    }

    /// One side dials; whether the other is there.
    private mutating func dial(_ other: Int, from number: Int, as instance: String?) {
        let (me, peer) = (ChoiceTown.peer(number), ChoiceTown.peer(other))
        if isLinked(number, other) {
            guard let instance, let effects = choices[number]?.joined(instance, peer, now: now) else { return }
            return apply(effects, of: number)
        }
        guard choices[other] != nil else {
            if let instance { choices[number]?.failed(instance, now: now) }
            return
        }
        edges.insert(Edge(initiator: number, responder: other))
        neighbours[number]?.insert(other)
        neighbours[other]?.insert(number)
        choices[number]?.opened(peer, at: ChoiceTown.address(other), dialled: instance, isInitiator: true, now: now)
        choices[other]?.opened(me, at: ChoiceTown.address(number), dialled: nil, isInitiator: false, now: now)
        greet(other, from: number)
        if isLinked(number, other) { greet(number, from: other) }
    }

    /// Lets seconds pass; in each all nodes dial what they want, and attackers some honest nodes more.
    mutating func pass(_ seconds: Int) {
        for _ in 0..<seconds {
            now = now + .seconds(1)
            for number in choices.keys.sorted().shuffled(using: &randomness) {
                if attackers.contains(number) { attack(from: number) }
                apply(choices[number]?.tick(now) ?? [], of: number)
                for instance in (choices[number]?.wanted ?? []).sorted() {
                    dial(ChoiceTown.number(instance), from: number, as: instance)
                }
            }
        }
    }

    private mutating func attack(from number: Int) {
        let honest = choices.keys.filter { !attackers.contains($0) }.sorted()
        for victim in honest.shuffled(using: &randomness).prefix(10) { dial(victim, from: number, as: nil) }
    }

    /// The nodes that one has chosen links with.
    func chosen(by number: Int) -> [Int] {
        (neighbours[number] ?? []).filter { choices[number]?.hello(for: ChoiceTown.peer($0)).isChosen ?? false }
    }

    /// Those that one of their ends has chosen.
    var chosenEdges: Set<Edge> {
        edges.filter {
            chosen(by: $0.initiator).contains($0.responder) || chosen(by: $0.responder).contains($0.initiator)
        }
    }

    /// Honest nodes that no path over honest nodes joins with the largest part.
    var cutOff: Int {
        var unseen = Set(neighbours.keys).subtracting(attackers)
        let count = unseen.count
        var largest = 0
        while let first = unseen.popFirst() {
            var (part, open) = (1, [first])
            while let next = open.popLast() {
                for other in neighbours[next] ?? [] where unseen.remove(other) != nil {
                    part += 1
                    open.append(other)
                }
            }
            largest = max(largest, part)
        }
        return count - largest
    }
}
