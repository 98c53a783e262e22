package import Chat
package import ChatNode
package import Noise
package import Reactor
import Transports
package import Wire

extension Identity {
    /// One that lasts as long as the node it is given to.
    package static func passing() -> Identity {
        var randomness = Randomness.system
        return Identity.generate(using: &randomness)
    }
}

extension LocalNetwork {
    /// A node on real sockets with real discovery: the one that people chat with, and the one that is measured.
    ///
    /// - Parameters:
    ///   - loop: where it lives; it is run by the caller.
    ///   - discovery: the mDNS that the nodes of the process share (`sharedDiscovery`); nil for a node that is alone.
    ///   - deliver: takes what the node tells, on the loop; it must not block.
    /// - Throws: the refusal of the system, where discovery needs its consent.
    package func node(
        _ configuration: NodeConfiguration, _ identity: consuming sending Identity, marks: PeerMarks = PeerMarks(),
        accepted: [PeerID] = [], minimumEpoch: UInt64 = 0, on loop: EventLoop,
        discovery: Shared? = nil, deliver: @escaping ([NodeEvent]) -> Void,
        epochChanged: @escaping (UInt64) -> Void = { _ in },
        directsChanged: @escaping ([PeerID]) -> Void = { _ in }
    ) throws(SystemError) -> Node {
        let discoveries = try discoveries(discovery)
        return Node(
            configuration: configuration, identity: identity, marks: marks, accepted: accepted,
            minimumEpoch: minimumEpoch, randomness: .system, scheduler: loop,
            transport: TCPTransport(loop: loop, interfaces: interfaces), discoveries: discoveries,
            deliver: deliver, epochChanged: epochChanged, directsChanged: directsChanged)
    }
}
