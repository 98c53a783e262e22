import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Rooms on several networks that a broker joins (Docs/Bridge.md), in virtual time.
@Suite struct BridgedNetworksTests {
    private let simulation = Simulation(seed: 71)
    private let broker: SimulatedBroker
    private let key: BridgeKey

    init() {
        broker = SimulatedBroker(simulation)
        var randomness = Randomness.seeded(72)
        key = BridgeKey(using: &randomness)
    }

    /// Networks that reach each other over the broker alone; the first nodes of each are bridges.
    private func networks(
        _ count: Int, of size: Int, bridges: Int = 1, consent: Bool = true, beside others: [[SimulatedPeer]] = []
    ) -> [[SimulatedPeer]] {
        var networks = others
        for network in others.count..<others.count + count {
            networks.append(
                (0..<size).map { place in
                    simulation.node("n\(network)-\(place)") { configuration in
                        configuration.consentsToBridges = consent
                        if place < bridges { configuration.bridge = broker.bridge(key) }
                    }
                })
            // Before the next one begins, which would hear this one otherwise.
            simulation.network.partition(networks.map { $0.map(\.host) })
        }
        return networks
    }

    private func meet(_ networks: [[SimulatedPeer]]) -> Bool {
        simulation.run(atMost: .seconds(120)) {
            networks.allSatisfy { network in
                network.allSatisfy { peer in network.allSatisfy { $0 === peer || peer.isOnline($0) } }
            }
        }
    }

    private func heard(_ text: String, _ peer: SimulatedPeer) -> Int { peer.messages.count { $0.text == text } }

    @Test func `a message of one network is heard once in the other, and a broken consent keeps it`() throws {
        let networks = networks(2, of: 3)
        try #require(meet(networks))
        let (speaker, others) = (networks[0][2], networks[1])
        try speaker.say("over the bridge")
        #expect(simulation.run { others.allSatisfy { heard("over the bridge", $0) == 1 } })
        speaker.with { $0.change(.consent(false)) }
        simulation.advance(by: .seconds(1))
        try speaker.say("only here")
        simulation.advance(by: .seconds(5))
        #expect(networks[0].allSatisfy { heard("only here", $0) == 1 })
        #expect(others.allSatisfy { heard("only here", $0) == 0 })
        #expect(networks[0][0].counter("bridge_without_consent") >= 2)
    }

    @Test func `people elsewhere are listed until 180 s after the last presence`() throws {
        let networks = networks(2, of: 3)
        try #require(meet(networks))
        let (far, near) = (networks[0][2], networks[1][2])
        #expect(simulation.run(atMost: .seconds(70)) { near.row(of: far)?.isElsewhere == true })
        #expect(near.row(of: far)?.state == .here)
        #expect(simulation.run(atMost: .seconds(70)) { near.counter("people_elsewhere") == 3 })
        broker.interrupt(for: .seconds(400))
        simulation.advance(by: .seconds(170))
        #expect(near.row(of: far)?.isElsewhere == true)
        simulation.advance(by: .seconds(75))
        #expect(near.row(of: far)?.state == .left)
        #expect(near.counter("people_elsewhere") == 0)
        #expect(simulation.run(atMost: .seconds(300)) { near.row(of: far)?.isElsewhere == true })
    }

    @Test func `people of a crowd and of a small room see each other for good`() {
        let networks = networks(1, of: 3, beside: networks(1, of: 40))
        let (crowd, small) = (networks[0], networks[1])
        #expect(
            simulation.run(atMost: .seconds(400)) {
                crowd.allSatisfy { $0.counter("people_elsewhere") == 3 }
                    && small.allSatisfy { $0.counter("people_elsewhere") == 40 }
            })
        let before = broker.published
        for _ in 0..<40 {
            simulation.advance(by: .seconds(30))
            for peer in crowd { #expect(peer.counter("people_elsewhere") == 3) }
            for peer in small { #expect(peer.counter("people_elsewhere") == 40) }
        }
        // In 20 minutes the crowd's 40 sign twice or three times each, and the others 20 times.
        #expect(broker.published - before < 40 * 3 + 3 * 21)
        small[2].kill()
        #expect(simulation.run(atMost: .seconds(920)) { crowd.allSatisfy { $0.counter("people_elsewhere") == 2 } })
    }

    @Test func `two bridges of a crowd list no member of it as elsewhere`() {
        let networks = networks(1, of: 3, beside: networks(1, of: 40, bridges: 2))
        let (crowd, small) = (networks[0], networks[1])
        // While the crowd forms, a member may be heard of over the broker alone. Digests mend that within a minute.
        simulation.advance(by: .seconds(100))
        for _ in 0..<40 {
            simulation.advance(by: .seconds(30))
            for peer in crowd { #expect(peer.counter("people_elsewhere") <= 3) }
            for peer in small { #expect(peer.counter("people_elsewhere") <= 40) }
            // Digests mend within a minute where the trees of a silent crowd left a presence out.
            #expect(
                simulation.run(atMost: .seconds(60)) {
                    crowd.allSatisfy { $0.counter("people_elsewhere") == 3 }
                        && small.allSatisfy { $0.counter("people_elsewhere") == 40 }
                })
        }
    }

    @Test func `a direct conversation crosses the bridge both ways`() throws {
        let networks = networks(2, of: 3)
        try #require(meet(networks))
        let (alice, bob) = (networks[0][2], networks[1][2])
        try #require(
            simulation.run(atMost: .seconds(70)) {
                alice.row(of: bob)?.isElsewhere == true && bob.row(of: alice)?.isElsewhere == true
            })
        try alice.say("may I?", to: bob)
        simulation.advance(by: .seconds(2))
        try bob.accept(alice)
        simulation.advance(by: .seconds(2))
        try bob.say("of course", to: alice)
        simulation.advance(by: .seconds(2))
        #expect(alice.texts(.direct(bob.key)) == ["may I?", "of course"])
        #expect(bob.texts(.direct(alice.key)) == ["may I?", "of course"])
        #expect(networks.joined().allSatisfy { $0 === alice || $0 === bob || $0.messages.isEmpty })
    }

    @Test func `nothing said in ten minutes without a broker is lost, and what is too old by then is history`() throws {
        let networks = networks(2, of: 2)
        try #require(meet(networks))
        broker.interrupt(for: .seconds(590))
        simulation.advance(by: .seconds(1))
        var said: [String] = []
        for number in 0..<58 {
            said.append("outage \(number)")
            try networks[0][1].say("outage \(number)")
            simulation.advance(by: .seconds(10))
        }
        #expect(simulation.run(atMost: .seconds(120)) { said.allSatisfy { heard($0, networks[1][1]) == 1 } })
        for peer in networks[1] {
            #expect(peer.texts().filter { $0.hasPrefix("outage") } == said)
            #expect(peer.messages.count { $0.isHistory } > 20 && peer.messages.count { !$0.isHistory } > 20)
        }
    }

    @Test func `publications for a bridge that is away come at the pace of authors, and none is lost`() throws {
        let networks = networks(2, of: 2)
        try #require(meet(networks))
        broker.interrupt(1, for: .seconds(60))
        simulation.advance(by: .seconds(1))
        let said = (0..<100).map { "away \($0)" }
        for text in said {
            try networks[0][1].say(text)
            simulation.advance(by: .milliseconds(550))
        }
        #expect(simulation.run(atMost: .seconds(60)) { said.allSatisfy { heard($0, networks[1][1]) == 1 } })
        for peer in networks[1] {
            #expect(peer.texts().filter { $0.hasPrefix("away") } == said)
            #expect(!peer.messages.contains { $0.isHistory })
        }
    }

    @Test func `of two bridges in a network the second publishes only what the first did not`() throws {
        let networks = networks(2, of: 4, bridges: 2)
        try #require(meet(networks))
        simulation.advance(by: .seconds(65))
        let before = broker.published
        for number in 0..<10 {
            try networks[0][3].say("both \(number)")
            simulation.advance(by: .seconds(2))
        }
        #expect(networks[1].allSatisfy { peer in (0..<10).allSatisfy { heard("both \($0)", peer) == 1 } })
        #expect(broker.published - before < 10 + 12)
        networks[0][0].kill()
        simulation.advance(by: .seconds(1))
        for number in 0..<10 {
            try networks[0][3].say("one \(number)")
            simulation.advance(by: .seconds(2))
        }
        #expect(networks[1].allSatisfy { peer in (0..<10).allSatisfy { heard("one \($0)", peer) == 1 } })
    }

    @Test func `of two bridges in a network both publish, and what an author says quickly stays in order`() throws {
        let networks = networks(2, of: 6, bridges: 2)
        try #require(meet(networks))
        simulation.advance(by: .seconds(65))
        let before = networks[0].prefix(2).map { $0.counter("bridge_published") }
        for number in 0..<10 {
            for (place, speaker) in networks[0].enumerated() { try speaker.say("\(place) says \(number)") }
            simulation.advance(by: .milliseconds(5))
        }
        simulation.advance(by: .seconds(2))
        for peer in networks[1] {
            for place in networks[0].indices {
                let heard = peer.messages.filter { $0.text.hasPrefix("\(place) says") }.map(\.text)
                #expect(heard == (0..<10).map { "\(place) says \($0)" })
            }
        }
        for (bridge, published) in zip(networks[0], before) { #expect(bridge.counter("bridge_published") > published) }
    }

    @Test func `twenty networks of ten hear everything once and in order, though connections to the broker end`() throws
    {
        let networks = networks(20, of: 10)
        try #require(meet(networks))
        let before = broker.published
        for number in 0..<2 {
            for (index, network) in networks.enumerated() {
                for place in [3, 7] { try network[place].say("\(index)-\(place) \(number)") }
                broker.interrupt((index * 7 + number) % 20, for: .milliseconds(700))
                simulation.advance(by: .milliseconds(300))
            }
        }
        let said = Set((0..<20).flatMap { index in [3, 7].flatMap { p in (0..<2).map { "\(index)-\(p) \($0)" } } })
        let everyone = Array(networks.joined())
        #expect(simulation.run(atMost: .seconds(90)) { everyone.allSatisfy { Set($0.messages.map(\.text)) == said } })
        for peer in everyone {
            let texts = peer.messages.map(\.text)
            #expect(texts.count == said.count)
            for author in Set(texts.map { $0.prefix { $0 != " " } }) {
                let own = texts.filter { $0.hasPrefix(author + " ") }
                #expect(own == own.sorted())
            }
        }
        print("broker publications for \(said.count) messages of 200 people: \(broker.published - before)")
    }
}
