import Chat
import Noise
import Simulator
import Wire

@testable import ChatNode

/// A crowd whose nodes have few links each.
final class CrowdRoom {
    let simulation: Simulation
    private(set) var people: [SimulatedPeer] = []

    /// - Parameters:
    ///   - count: nodes that start together.
    ///   - later: places for nodes that come later.
    init(_ count: Int, later: Int = 1, links: Int = 8, seed: UInt64) {
        let places = count + later
        simulation = Simulation(
            seed: seed, latency: .milliseconds(1)...(.milliseconds(9)),
            topology: .limited(places: places, links: links, seed: seed))
        for number in 0..<count { _ = join("p\(number)") }
    }

    /// Starts one more node, which takes part in the crowd at once.
    ///
    /// - Parameters: as for `Simulation.node`.
    func join(
        _ nickname: String, clockError: Duration = .zero, identitySeed: UInt64? = nil, accepted: [PeerID] = [],
        minimumEpoch: UInt64 = 0, configure: (inout NodeConfiguration) -> Void = { _ in }
    ) -> SimulatedPeer {
        let peer = simulation.node(
            nickname, clockError: clockError, identitySeed: identitySeed, accepted: accepted,
            minimumEpoch: minimumEpoch, configure: configure)
        peer.with { $0.setMode(.overlay) }
        people.append(peer)
        return peer
    }

    func remove(_ peer: SimulatedPeer) { people.removeAll { $0 === peer } }

    /// Lets time pass until each node has all others in its roster; false if that takes longer than `limit`.
    func gather(within limit: Duration) -> Bool {
        simulation.run(atMost: limit) { people.allSatisfy { $0.online == people.count - 1 } }
    }

    /// The nodes that have a peer in their roster.
    func holders(of peer: SimulatedPeer) -> Int { people.count { $0.knows(peer) } }

    /// Two nodes without a link.
    func strangers() -> (SimulatedPeer, SimulatedPeer)? {
        for first in people {
            for second in people where first !== second && !first.isOnline(second) { return (first, second) }
        }
        return nil
    }
}

extension SimulatedPeer {
    /// The peers that are here for this node.
    var online: Int { with { node in node.chat.roster.online } }

    /// True if a peer is here for this node, with a link or without.
    func knows(_ peer: SimulatedPeer) -> Bool {
        let key = peer.key
        return with { node in node.chat.roster.isHere(key) }
    }

    func person(_ peer: SimulatedPeer) -> PeerView? {
        let key = peer.key
        return with { node in node.person(key) }
    }

    var linkCount: Int { with { node in node.connections.active.count } }
    var guestCount: Int { with { node in node.parts.mail.guestCount } }
    var rows: [PeerView] { with { node in node.peers() } }
}
