import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Floods of invented authors in a large room: they part no honest node from the others (Threats.md).
@Suite struct HostileFloodTests {
    private let simulation = Simulation(seed: 48)
    private let nodes: [SimulatedPeer]
    private let attackers: [RudeMember]

    init() throws {
        let simulation = simulation
        nodes = (0..<6).map { simulation.node("node-\($0)") }
        simulation.advance(by: .seconds(2))
        for node in nodes { node.with { node in node.setMode(.overlay) } }
        simulation.advance(by: .seconds(5))
        attackers = (0..<3 as Range<UInt64>).map { RudeMember(simulation: simulation, seed: 700 + $0) }
        for attacker in attackers { try #require(attacker.enter(by: nodes[0], in: simulation)) }
        simulation.timeline.perform { [attackers] in
            for attacker in attackers { attacker.send(TreeFrame.hello(Hello(isOverlay: true)).bytes) }
        }
        simulation.advance(by: .seconds(1))
    }

    /// How many links each node has with the other honest ones.
    private var honestLinks: [Int] { nodes.map { node in nodes.count { $0 !== node && node.isOnline($0) } } }

    /// The attackers send a message of each of `people` in 8 s.
    ///
    /// - Parameter step: called every 100 ms with the number of the step, from 1 to 80.
    private func flood(_ people: InventedPeople, during step: (Int) throws -> Void) rethrows {
        var sent = 0
        for number in 1...80 {
            try step(number)
            let due = people.count * number / 80
            let frames = (sent..<due).map {
                people.say("flood \($0)", by: $0, at: simulation.timeline.wallClock).frame(hops: 2)
            }
            simulation.timeline.perform {
                for (number, attacker) in attackers.enumerated() {
                    attacker.send(together: frames.indices.filter { $0 % 3 == number }.map { frames[$0] })
                }
            }
            sent = due
            simulation.advance(by: .milliseconds(100))
        }
    }

    private func hearers(of text: String) -> Int { nodes.dropFirst().count { $0.texts().contains(text) } }

    @Test func `5,100 messages of invented authors over three links part no node from the others`() throws {
        #expect(honestLinks == [5, 5, 5, 5, 5, 5])
        flood(InventedPeople(5_100, seed: 900)) { _ in }
        simulation.advance(by: .seconds(3))
        #expect(honestLinks == [5, 5, 5, 5, 5, 5])
        try nodes[0].say("still here")
        simulation.advance(by: .seconds(2))
        #expect(hearers(of: "still here") == 5)
        simulation.advance(by: .seconds(60))
        try nodes[0].say("and here")
        simulation.advance(by: .seconds(2))
        #expect(hearers(of: "and here") == 5 && honestLinks == [5, 5, 5, 5, 5, 5])
    }

    @Test func `nor do authors whose presences came a minute before`() throws {
        let people = InventedPeople(5_100, seed: 901)
        for part in stride(from: 0, to: people.count, by: 85) {
            let frames = (part..<part + 85).map {
                people.presence(of: $0, at: simulation.timeline.wallClock).frame(hops: 2)
            }
            simulation.timeline.perform {
                for (number, attacker) in attackers.enumerated() {
                    attacker.send(together: frames.indices.filter { $0 % 3 == number }.map { frames[$0] })
                }
            }
            simulation.advance(by: .seconds(1))
        }
        simulation.advance(by: .seconds(60))
        flood(people) { _ in }
        simulation.advance(by: .seconds(3))
        try nodes[0].say("still here")
        simulation.advance(by: .seconds(2))
        #expect(honestLinks == [5, 5, 5, 5, 5, 5] && hearers(of: "still here") == 5)
    }

    @Test func `a newcomer behind the flooded node is heard by all`() throws {
        simulation.advance(by: .seconds(65))
        var newcomer: SimulatedPeer?
        try flood(InventedPeople(5_100, seed: 902)) { step in
            if step == 30 {
                let peer = simulation.node("newcomer")
                for node in nodes.dropFirst() { simulation.part(peer, node) }
                peer.with { node in node.setMode(.overlay) }
                newcomer = peer
            }
            if step >= 60, step % 10 == 0 { try newcomer?.say("words \(step)") }
        }
        simulation.advance(by: .seconds(5))
        #expect([60, 70, 80].map { hearers(of: "words \($0)") } == [5, 5, 5])
    }

    @Test func `a neighbour that gives all that is asked of it keeps its link, though most is dropped`() {
        let people = InventedPeople(480, seed: 903)
        let frames = (0..<480).map { people.say("\($0)", by: $0, at: simulation.timeline.wallClock).frame(hops: 2) }
        var places: [UInt64: Int] = [:]
        for (place, frame) in frames.enumerated() {
            if let id = PayloadFrame.id(of: frame.span.extracting(1...)) { places[id.prefix] = place }
        }
        let giver = attackers[0]
        let ids = places.keys.sorted()
        simulation.timeline.perform {
            giver.send(
                together: stride(from: 0, to: 480, by: 60).map { NewsFrame(ids: Array(ids[$0..<$0 + 60])).bytes })
        }
        var (answered, given) = (0, 0)
        for _ in 0..<100 {
            let grafts = giver.frames(.tree)
            let wanted = grafts.dropFirst(answered).compactMap { TreeFrame($0.span) }.flatMap { frame in
                if case .graft(_, let ids) = frame { ids.compactMap { places[$0] } } else { [Int]() }
            }
            answered = grafts.count
            given += wanted.count
            simulation.timeline.perform { giver.send(together: wanted.map { frames[$0] }) }
            simulation.advance(by: .milliseconds(50))
        }
        #expect(given > 100 && nodes[0].counter("dropped_new_author_rate") > 0)
        #expect(!giver.isClosed)
    }
}
