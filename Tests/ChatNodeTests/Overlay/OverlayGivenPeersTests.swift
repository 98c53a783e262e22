import Chat
import Noise
import Simulator
import Testing
import Wire

@testable import ChatNode

/// Rooms without mDNS, whose nodes know only the peers that their users named.
@Suite struct OverlayGivenPeersTests {
    private struct Town {
        let simulation: Simulation
        private(set) var peers: [SimulatedPeer] = []

        /// Each node is given so many of those that came before it.
        init(_ count: Int, given: Int, seed: UInt64) {
            simulation = Simulation(
                seed: seed, latency: .milliseconds(4)...(.milliseconds(6)), topology: .separate(count, of: 1))
            var randomness = Randomness.seeded(seed)
            for place in 0..<count {
                let peer = simulation.node("node-\(place)", place: place) {
                    $0.messagesPerSecond = 0
                    $0.handshakesPerSecond = 0
                }
                for other in peers.shuffled(using: &randomness).prefix(given) {
                    let endpoint = simulation.network.endpoints(of: other.host)[0]
                    let name = Hexadecimal.encode(endpoint.address) + ":\(endpoint.port)"
                    peer.with { $0.discovered(.found(instance: name, endpoint: endpoint, weight: 1)) }
                }
                peers.append(peer)
                simulation.advance(by: .milliseconds(50))
            }
            simulation.advance(by: .seconds(20))
        }

        var crowded: Int { peers.count { $0.with { node in node.parts.finder.isOverlay } } }

        /// The messages of several speakers that were shown live, and all that were shown, of those that should be.
        func talk() throws -> (live: Int, shown: Int, expected: Int) {
            for number in 0..<40 {
                try peers[number * 7 % peers.count].say("message \(number)")
                simulation.advance(by: .milliseconds(50))
            }
            simulation.advance(by: .seconds(10))
            let (live, shown) = peers.reduce((0, 0)) { sum, peer in
                let own = OverlayRoom.shown(peer)
                return (sum.0 + own.texts.count - own.history, sum.1 + own.texts.count)
            }
            // Its author shows a message, too.
            return (live, shown, 40 * peers.count)
        }
    }

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `a room of eighty nodes with eight given peers each is a crowd, and live`(seed: UInt64) throws {
        let town = Town(80, given: 8, seed: seed)
        #expect(town.crowded == 80)
        let (live, shown, expected) = try town.talk()
        #expect(shown == expected && live * 100 >= expected * 99, "\(live) of \(shown) live")
    }

    @Test func `a small room with given peers stays a mesh`() {
        let town = Town(20, given: 4, seed: 4)
        #expect(town.crowded == 0)
        let known = town.peers.map { peer in
            peer.with {
                $0.parts.finder.countStrangers($0.connections, now: $0.scheduler.now) + $0.connections.active.count
            }
        }
        #expect(known.allSatisfy { $0 <= 19 })
    }
}
