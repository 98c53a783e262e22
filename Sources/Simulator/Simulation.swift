package import Chat
package import ChatNode
import Noise
package import Wire

/// Nodes on a simulated network in virtual time: the very same `Node`, and everything else from a seed.
package final class Simulation {
    package let seed: UInt64
    package let timeline = Timeline()
    package let network: InMemoryNetwork
    package let directory: InMemoryDirectory
    private var randomness: Randomness
    private var peers: [SimulatedPeer] = []

    /// - Parameters:
    ///   - latency: one way, of each segment.
    ///   - loss: the share of segments that are lost and sent again, from 0 to 0.9.
    ///   - topology: the hosts that hear each host's announcements.
    ///   - families: the address families of the hosts.
    package convenience init(
        seed: UInt64, latency: ClosedRange<Duration> = .milliseconds(1)...(.milliseconds(20)), loss: Double = 0,
        topology: Topology = .full, families: AddressFamilies = .ipv4
    ) {
        self.init(
            seed: seed, conditions: Conditions(latency: latency, loss: loss), topology: topology, families: families)
    }

    package init(
        seed: UInt64, conditions: Conditions, topology: Topology = .full, families: AddressFamilies = .ipv4
    ) {
        self.seed = seed
        randomness = .seeded(seed)
        network = InMemoryNetwork(
            timeline: timeline, seed: randomness.next(), conditions: conditions, topology: topology, families: families)
        directory = InMemoryDirectory(network: network)
    }

    /// The network refers to its nodes and the agenda to the network: this breaks the cycle.
    deinit {
        timeline.forget()
        network.forget()
    }

    package var now: Instant { timeline.now }

    /// Starts a node on a host of its own, or in the process of another.
    ///
    /// - Parameters:
    ///   - clockError: the offset of its wall clock.
    ///   - identitySeed: equal seeds give one identity, with other keys of the run; nil for a new one.
    ///   - accepted, minimumEpoch: as for `Node`.
    ///   - place: its place in the topology; nil for the first free one.
    ///   - neighbour: another node of the same process, whose addresses it has; nil for a machine of its own.
    ///   - isDeaf: true if it hears no announcements.
    ///   - listener: takes the node's events, which are not kept then; nil to keep them in `SimulatedPeer.events`.
    package func node(
        _ nickname: String, clockError: Duration = .zero, identitySeed: UInt64? = nil, accepted: [PeerID] = [],
        minimumEpoch: UInt64 = 0, place: Int? = nil,
        beside neighbour: SimulatedPeer? = nil, isDeaf: Bool = false,
        configure: (inout NodeConfiguration) -> Void = { _ in },
        listener: (@Sendable ([NodeEvent]) -> Void)? = nil
    ) -> SimulatedPeer {
        var configuration = NodeConfiguration()
        configuration.nickname = nickname
        configure(&configuration)
        let peer = SimulatedPeer(
            simulation: self, configuration: configuration, clockError: clockError, seed: randomness.next(),
            identitySeed: identitySeed, accepted: accepted, minimumEpoch: minimumEpoch, place: place,
            neighbour: neighbour, isDeaf: isDeaf, listener: listener)
        peers.append(peer)
        return peer
    }

    /// Lets go of a node that was killed or has left.
    package func forget(_ peer: SimulatedPeer) {
        peers.removeAll { $0 === peer }
    }

    /// Lets virtual time pass.
    package func advance(by duration: Duration) {
        timeline.advance(by: duration)
    }

    /// Lets time pass until `condition` holds; false if it does not within `limit`.
    package func run(atMost limit: Duration = .seconds(60), until condition: () -> Bool) -> Bool {
        timeline.advance(atMost: limit, until: condition)
    }

    /// Lets time pass until each of `peers` has a link to each other.
    package func meet(_ peers: SimulatedPeer..., within limit: Duration = .seconds(60)) -> Bool {
        run(atMost: limit) {
            peers.allSatisfy { peer in peers.allSatisfy { $0 === peer || peer.isOnline($0) } }
        }
    }

    /// Only neighbours in `line` reach each other.
    package func line(_ line: SimulatedPeer...) {
        for (index, peer) in line.enumerated() {
            for other in line.dropFirst(index + 2) { part(peer, other) }
        }
    }

    /// Only hosts of the same group reach each other.
    package func partition(_ groups: [SimulatedPeer]...) {
        network.partition(groups.map { $0.map(\.host) })
        directory.cut()
    }

    /// Two nodes do not reach each other, though others reach both: as on two networks with a relay between them.
    package func part(_ first: SimulatedPeer, _ second: SimulatedPeer) {
        network.part(first.host, second.host)
        directory.cut()
    }

    /// A node can not dial another, which can still dial it, as behind a firewall.
    package func wall(_ first: SimulatedPeer, from second: SimulatedPeer) {
        network.wall(first.host, from: second.host)
    }

    /// Ends all partitions, and no host hears of that: no interface of it has changed.
    package func healSilently() { network.heal() }

    /// Ends all partitions; multicast is heard again.
    package func heal() {
        network.heal()
        directory.reintroduceAll()
    }
}
