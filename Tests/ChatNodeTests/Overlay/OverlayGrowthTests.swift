import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// A room that grows beyond a mesh and shrinks again, while its nodes change their modes at different times and talk.
@Suite struct OverlayGrowthTests {
    private struct Stay {
        let peer: SimulatedPeer
        var isHere = true
        /// The messages that were said while it was here, but those that it said itself.
        var expected: [String] = []
    }

    private final class Growth {
        let simulation: Simulation
        var randomness: Randomness
        var stays: [Stay] = []
        private var count = 0

        init(seed: UInt64) {
            randomness = .seeded(seed)
            simulation = Simulation(seed: seed, latency: .milliseconds(1)...(.milliseconds(20)))
        }

        var present: [Int] { stays.indices.filter { stays[$0].isHere } }

        func join(_ count: Int) {
            for _ in 0..<count {
                let peer = simulation.node("node-\(stays.count)") {
                    $0.messagesPerSecond = 0
                    $0.handshakesPerSecond = 0
                }
                stays.append(Stay(peer: peer))
                simulation.advance(by: .milliseconds(5))
            }
            simulation.advance(by: .seconds(4))
        }

        /// A random node says something, and some time passes.
        func say() throws {
            let speaker = try #require(present.randomElement(using: &randomness))
            count += 1
            try stays[speaker].peer.say("message \(count)")
            for index in present { stays[index].expected.append("message \(count)") }
            simulation.advance(by: .milliseconds(Int.random(in: 0...80, using: &randomness)))
        }

        /// All that are here change their mode, one after the other in any order, while there is talk.
        func change(to isOn: Bool) throws {
            for index in present.shuffled(using: &randomness) {
                stays[index].peer.with { node in node.setMode(isOn ? .overlay : .mesh) }
                if Bool.random(using: &randomness) { try say() }
            }
        }

        /// Half of those that go are killed.
        func leave(_ count: Int) throws {
            for index in present.shuffled(using: &randomness).prefix(count) {
                // The last message has arrived by then: no message is expected of a node that goes after that.
                simulation.advance(by: .milliseconds(300))
                stays[index].isHere = false
                if Bool.random(using: &randomness) { stays[index].peer.kill() } else { stays[index].peer.leave() }
                try say()
            }
        }
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `a room that grows and shrinks loses and doubles no message across the changes of mode`(seed: UInt64) throws {
        let growth = Growth(seed: seed)
        growth.join(10)
        for _ in 0..<10 { try growth.say() }
        growth.join(16)
        try growth.change(to: true)
        for _ in 0..<20 { try growth.say() }
        try growth.leave(14)
        try growth.change(to: false)
        for _ in 0..<10 { try growth.say() }
        growth.simulation.advance(by: .seconds(50))
        for stay in growth.stays where stay.isHere {
            let shown = stay.peer.texts()
            #expect(Set(shown).count == shown.count)
            // Messages from before it joined came as history, and are shown too.
            #expect(Set(stay.expected).isSubset(of: shown))
        }
    }
}
