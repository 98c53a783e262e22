import ChatNode
import Simulator
import Testing

/// The order in which a late joiner shows what two users said in turn (Protocol.md section 7).
@Suite struct MessageOrderSimulationTests {
    @Test(arguments: 1...5 as ClosedRange<UInt64>, [0, 1_500, -58_000, 58_000])
    func `a late joiner shows sixty lines said in turn in their order`(seed: UInt64, skew: Int) throws {
        let simulation = Simulation(seed: seed)
        let alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        let bob = simulation.node("bob", clockError: .milliseconds(skew)) { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob))
        let lines = (1...60).map { "h\($0)" }
        for (number, line) in lines.enumerated() {
            let (author, listener) = number.isMultiple(of: 2) ? (alice, bob) : (bob, alice)
            try author.say(line)
            try #require(simulation.run(atMost: .seconds(1)) { listener.texts().last == line })
        }
        let carol = simulation.node("carol")
        #expect(simulation.run(atMost: .seconds(10)) { carol.texts().count == lines.count })
        #expect(carol.texts() == lines)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `a late joiner shows the lines that an author said at one moment in their order`(seed: UInt64) throws {
        let simulation = Simulation(seed: seed)
        let alice = simulation.node("alice") { $0.messagesPerSecond = 0 }
        let bob = simulation.node("bob") { $0.messagesPerSecond = 0 }
        try #require(simulation.meet(alice, bob))
        for number in 1...30 {
            try alice.say("a\(number)")
            try bob.say("b\(number)")
        }
        simulation.advance(by: .seconds(1))
        let carol = simulation.node("carol")
        #expect(simulation.run(atMost: .seconds(10)) { carol.texts().count == 60 })
        #expect(carol.texts().filter { $0.hasPrefix("a") } == (1...30).map { "a\($0)" })
        #expect(carol.texts().filter { $0.hasPrefix("b") } == (1...30).map { "b\($0)" })
    }
}
