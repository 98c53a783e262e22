import Chat
import ChatNode
import Noise
import Simulator
import Testing
import Wire

/// Nodes of a large room on a simulated network: which links they have, and which they dial.
@Suite struct OverlayLinkTests {
    private let simulation = Simulation(seed: 31, latency: .milliseconds(5)...(.milliseconds(5)))

    private func node(_ number: Int, beside neighbour: SimulatedPeer? = nil) -> SimulatedPeer {
        simulation.node(
            "node-\(number)", beside: neighbour,
            configure: {
                $0.messagesPerSecond = 0
                $0.handshakesPerSecond = 0
            })
    }

    /// Starts nodes 10 ms apart.
    private func start(_ numbers: Range<Int>) -> [SimulatedPeer] {
        numbers.map { number in
            simulation.advance(by: .milliseconds(10))
            return node(number)
        }
    }

    private func sum(_ peers: [SimulatedPeer], _ counter: String) -> Int {
        peers.reduce(0) { $0 + $1.counter(counter) }
    }

    /// The links of each node.
    private func degrees(_ peers: [SimulatedPeer]) -> [Int] { peers.map { $0.counter("connections") } }

    @Test func `33 nodes are a mesh in which each has a link with each`() {
        let peers = start(0..<33)
        simulation.advance(by: .seconds(10))
        #expect(degrees(peers).allSatisfy { $0 == 32 } && sum(peers, "overlay") == 0 && sum(peers, "mode_changes") == 0)
    }

    @Test func `40 nodes are an overlay of about 12 links each, and dial no further peers at rest`() {
        let peers = start(0..<40)
        simulation.advance(by: .seconds(60))
        #expect(sum(peers, "overlay") == 40)
        let degrees = degrees(peers)
        let mean = Double(degrees.reduce(0, +)) / 40
        #expect(mean > 9 && mean <= 12.2 && degrees.max() ?? 0 <= 17 && degrees.min() ?? 0 >= 6, "\(degrees)")
        #expect(peers.allSatisfy { $0.counter("links_chosen") == 6 })
        let dials = sum(peers, "dials")
        simulation.advance(by: .seconds(90))
        // A slot of each node is drawn anew in eight minutes at the soonest; a better draw is rare where all are known.
        #expect(sum(peers, "dials") - dials < 20, "\(sum(peers, "dials") - dials) dials in 90 s of rest")
        #expect(self.degrees(peers).max() ?? 0 <= 17)
    }

    @Test func `a killed fifth is replaced, and each node has six chosen links again`() {
        let peers = start(0..<40)
        simulation.advance(by: .seconds(30))
        for peer in peers.prefix(8) { peer.kill() }
        simulation.advance(by: .seconds(60))
        let rest = Array(peers.dropFirst(8))
        #expect(rest.allSatisfy { $0.counter("links_chosen") == 6 }, "\(rest.map { $0.counter("links_chosen") })")
    }

    @Test func `a room that shrinks to 20 links each with each again`() {
        let peers = start(0..<40)
        simulation.advance(by: .seconds(15))
        #expect(sum(peers, "overlay") == 40)
        for peer in peers.dropFirst(20) { peer.leave() }
        let rest = Array(peers.prefix(20))
        let isMesh = simulation.run(atMost: .seconds(120)) {
            self.degrees(rest).allSatisfy { $0 == 19 } && sum(rest, "overlay") == 0
        }
        #expect(isMesh, "\(degrees(rest)), \(rest.map { $0.counter("known_nodes") })")
    }

    @Test func `40 nodes of one machine form an overlay though their address is one`() {
        let first = node(0)
        var peers = [first]
        for number in 1..<40 {
            simulation.advance(by: .milliseconds(10))
            peers.append(node(number, beside: first))
        }
        simulation.advance(by: .seconds(30))
        #expect(sum(peers, "overlay") == 40 && peers.allSatisfy { $0.counter("known_nodes") == 39 })
        #expect(degrees(peers).max() ?? 0 <= 17 && peers.allSatisfy { $0.counter("links_chosen") == 6 })
    }

    @Test func `announcements from 33 addresses make a room of three an overlay, and all messages arrive`() throws {
        let peers = start(0..<3)
        simulation.advance(by: .seconds(5))
        for number in 0..<33 {
            let host = simulation.network.addHost()
            var randomness = Randomness.seeded(UInt64(number))
            let name = InstanceName(of: KeyPair.generate(using: &randomness).publicKey, using: &randomness)
            let subtype = simulation.directory.announcement(of: peers[0].host)?.subtype ?? ""
            let fake = Announcement(instance: name.text, host: "fake", port: 40_000, subtype: subtype)
            InMemoryDiscovery(directory: simulation.directory, host: host).start(fake) { _ in }
        }
        simulation.advance(by: .seconds(60))
        #expect(sum(peers, "overlay") == 3)
        for (number, peer) in peers.enumerated() { try peer.say("message \(number)") }
        simulation.advance(by: .seconds(10))
        for peer in peers {
            #expect(Set(peer.texts()) == ["message 0", "message 1", "message 2"] && peer.texts().count == 3)
        }
    }

    @Test func `a growing and shrinking room loses and doubles no message`() throws {
        var peers = start(0..<20)
        simulation.advance(by: .seconds(5))
        var said: [String] = []
        func say(_ speaker: SimulatedPeer) throws {
            said.append("message \(said.count)")
            try speaker.say(said[said.count - 1])
            simulation.advance(by: .milliseconds(200))
        }
        for number in 20..<60 {
            peers.append(node(number))
            if number % 2 == 0 { try say(peers[number % 20]) }
        }
        simulation.advance(by: .seconds(10))
        for number in 0..<10 { try say(peers[number]) }
        let (stay, go) = (Array(peers.prefix(20)), peers.dropFirst(20))
        for (number, peer) in go.enumerated() {
            peer.leave()
            if number % 2 == 0 { try say(stay[number % 20]) }
        }
        simulation.advance(by: .seconds(120))
        for number in 0..<10 { try say(stay[number]) }
        simulation.advance(by: .seconds(60))
        // To an overlay and back. Where the room shrinks slowly past the threshold, a node may go there once more.
        #expect(
            sum(stay, "overlay") == 0 && (40...44).contains(sum(stay, "mode_changes")),
            "\(stay.map { [$0.counter("overlay"), $0.counter("known_nodes"), $0.online, $0.counter("mode_changes")] })")
        for peer in stay {
            let texts = peer.messages.map(\.text)
            #expect(Set(texts) == Set(said) && texts.count == said.count)
        }
    }
}
