import Chat
import Simulator
import Wire

@testable import ChatNode

/// A room without mDNS in which each node knows one address: that of the node in the middle.
final class Star {
    /// How the leaves reach each other.
    enum Passage {
        case open
        /// Of two leaves the later one can not dial the earlier one.
        case oneWay
        case closed
    }

    let simulation: Simulation
    let centre: SimulatedPeer
    private(set) var leaves: [SimulatedPeer] = []
    private let passage: Passage

    init(leaves count: Int, _ passage: Passage, seed: UInt64 = 33) {
        self.passage = passage
        simulation = Simulation(
            seed: seed, latency: .milliseconds(1)...(.milliseconds(9)), topology: .separate(count + 4, of: 1))
        centre = simulation.node("centre", place: 0)
        for _ in 0..<count { join() }
    }

    var nodes: [SimulatedPeer] { [centre] + leaves }

    /// Starts one more leaf.
    @discardableResult func join() -> SimulatedPeer {
        let leaf = simulation.node("leaf-\(leaves.count)", place: leaves.count + 1)
        for other in leaves {
            switch passage {
            case .open: break
            case .oneWay: simulation.wall(leaf, from: other)
            case .closed: simulation.part(leaf, other)
            }
        }
        name(centre, to: leaf)
        leaves.append(leaf)
        return leaf
    }

    /// The user of a node names another.
    func name(_ other: SimulatedPeer, to peer: SimulatedPeer) {
        let endpoint = simulation.network.endpoints(of: other.host)[0]
        let name = Hexadecimal.encode(endpoint.address) + ":\(endpoint.port)"
        peer.with { $0.discovered(.found(instance: name, endpoint: endpoint, weight: 1)) }
    }

    func remove(_ leaf: SimulatedPeer) { leaves.removeAll { $0 === leaf } }

    /// True once each node knows of each other, with a link or without.
    var isGathered: Bool {
        nodes.allSatisfy { peer in nodes.allSatisfy { $0 === peer || peer.knows($0) } }
    }

    /// True once each node has a link with each other.
    var isComplete: Bool {
        nodes.allSatisfy { peer in nodes.allSatisfy { $0 === peer || peer.isOnline($0) } }
    }

    var modes: Set<RoomMode> { Set(nodes.map { $0.with { node in node.parts.spread.mode } }) }

    /// Each node says so many messages in turn; returns the texts.
    func talk(_ rounds: Int, _ word: String = "message") throws -> [String] {
        var texts: [String] = []
        for round in 0..<rounds {
            for (number, speaker) in nodes.enumerated() {
                texts.append("\(word) \(number)-\(round)")
                try speaker.say(texts[texts.count - 1])
                simulation.advance(by: .milliseconds(200))
            }
        }
        simulation.advance(by: .seconds(1))
        return texts
    }
}
