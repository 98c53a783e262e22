import ChatNode
import Noise
import Testing
import Wire

/// The graph that many choices of links make.
@Suite struct ChoiceTownTests {
    private func honestLinks(of node: Int, in town: ChoiceTown) -> Int {
        town.neighbours[node]?.subtracting(town.attackers).count ?? 0
    }

    private func degrees(_ town: ChoiceTown) -> [Int] { town.neighbours.values.map(\.count) }

    @Test(arguments: [34, 60, 200])
    func `each node chooses six, has about twelve links, and none more than 17`(nodes: Int) {
        var town = ChoiceTown(nodes: nodes, seed: UInt64(nodes))
        town.pass(60)
        let degrees = degrees(town)
        let mean = Double(degrees.reduce(0, +)) / Double(nodes)
        #expect(mean > 10.5 && mean <= 12, "\(mean)")
        #expect(degrees.max() ?? 0 <= 17 && degrees.min() ?? 0 >= 6, "\(degrees.sorted())")
        #expect(town.choices.values.allSatisfy { $0.chosenCount == Limits.chosenLinks })
        #expect(town.cutOff == 0)
    }

    @Test func `a graph at rest ends no link but one of each slot that is drawn anew`() {
        var town = ChoiceTown(nodes: 80, seed: 5)
        town.pass(400)
        let before = town.edges
        town.pass(300)
        let gone = before.subtracting(town.edges).count
        #expect(gone <= 80, "\(gone) of \(before.count) links ended within half a rotation")
        #expect(town.edges.count > 400)
    }

    @Test(arguments: [1, 2, 3]) func `a fifth of the nodes that fills all slots cuts no honest node off`(seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        let attackers = Set((0..<60).shuffled(using: &randomness).prefix(12))
        var town = ChoiceTown(nodes: 60, attackers: attackers, seed: seed)
        town.pass(60)
        #expect(town.cutOff == 0)
        let honest = town.choices.keys.filter { !attackers.contains($0) }
        let links = honest.map { honestLinks(of: $0, in: town) }
        #expect(links.min() ?? 0 >= 2, "\(links.sorted())")
        // Newcomers get in although each node has more links than it accepts.
        for number in 60..<72 {
            town.add(number)
            town.pass(1)
        }
        town.pass(30)
        #expect(town.cutOff == 0)
        let newcomers = (60..<72).map { honestLinks(of: $0, in: town) }
        #expect(newcomers.min() ?? 0 >= 1, "\(newcomers)")
        #expect(town.choices.filter { $0.key >= 60 }.values.allSatisfy { $0.chosenCount >= Limits.chosenLinks })
    }

    @Test(arguments: [1, 2, 3])
    func `where attackers fill all places, newcomers link with those that they draw all the same`(seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        let attackers = Set((0..<60).shuffled(using: &randomness).prefix(12))
        var town = ChoiceTown(nodes: 60, attackers: attackers, seed: seed)
        town.pass(60)
        for number in 60..<84 {
            town.add(number)
            town.pass(1)
        }
        town.pass(10)
        let chosen = (60..<84).flatMap { node in town.chosen(by: node) }
        let honest = chosen.count { !attackers.contains($0) }
        // Five sixths of what they draw.
        #expect(chosen.count >= 24 * Limits.chosenLinks)
        #expect(honest * 10 > chosen.count * 7, "\(honest) of \(chosen.count)")
    }

    @Test func `an established link never ends for a newcomer`() {
        // The fewest of one town is one draw: a single unlucky node of 60 decides it.
        let fewest = (1...4 as ClosedRange<UInt64>).map(fewestHonestLinks).sorted()
        #expect(fewest[0] >= 4 && fewest[2] >= 6, "\(fewest)")
    }

    /// The honest links of the node with the fewest, after 40 attackers came to a town of 60.
    private func fewestHonestLinks(seed: UInt64) -> Int {
        let attackers = Set(60..<100)
        var town = ChoiceTown(nodes: 60, attackers: attackers, seed: seed)
        town.pass(60)
        let before = town.chosenEdges
        for number in 60..<100 { town.add(number) }
        town.pass(25)
        // A link that is exchanged for a better draw ends by its own node's choice: one in 30 s.
        let ended = before.subtracting(town.edges).count
        #expect(ended <= 60, "\(ended) of \(before.count)")
        return (0..<60).map { honestLinks(of: $0, in: town) }.min() ?? 0
    }

    @Test func `after a third is gone each node has six links again, though the dead stay listed`() {
        var town = ChoiceTown(nodes: 150, seed: 9)
        town.pass(30)
        for number in 0..<50 { town.remove(number) }
        town.pass(30)
        #expect(town.cutOff == 0)
        #expect(town.choices.values.allSatisfy { $0.chosenCount == Limits.chosenLinks })
    }

    @Test func `a room that grows from 34 to 150 and shrinks again stays in one piece`() {
        var town = ChoiceTown(nodes: 34, seed: 10)
        town.pass(10)
        for number in 34..<150 {
            town.add(number)
            guard number % 4 == 0 else { continue }
            town.pass(4)
            #expect(town.cutOff == 0)
        }
        town.pass(60)
        let most = degrees(town).max() ?? 0
        #expect(most <= 18, "\(most)")
        for number in 0..<120 {
            town.remove(number)
            if number % 2 == 0 { town.pass(1) }
        }
        town.pass(30)
        #expect(town.cutOff == 0)
    }

    @Test func `one seed makes one graph`() {
        var (one, other) = (ChoiceTown(nodes: 50, seed: 4), ChoiceTown(nodes: 50, seed: 4))
        one.pass(60)
        other.pass(60)
        #expect(one.edges == other.edges)
    }
}
