internal import Chat
internal import ChatNode
internal import Discovery
internal import Reactor
internal import Storage
internal import Synchronization

/// The parts that all rooms of the process share: one event loop on a thread of its own, and one mDNS for each choice of discovery.
final class Runtime: Sendable {
    let loop: EventLoop
    private let discoveries = Mutex<[LocalNetwork: LocalNetwork.Shared]>([:])

    private static let made = Mutex<Runtime?>(nil)

    private init() throws(SystemError) {
        loop = try EventLoop(name: "earshot")
        try loop.start()
    }

    /// - Throws: `refusedBySystem`; a later call tries again.
    static func shared() throws(JoinError) -> Runtime {
        let result = made.withLock { made in
            Result { () throws(SystemError) in
                if let made { return made }
                let runtime = try Runtime()
                made = runtime
                return runtime
            }
        }
        return try JoinError.naming { () throws(SystemError) in try result.get() }
    }

    private func discovery(of network: LocalNetwork) -> LocalNetwork.Shared? {
        var key = network
        key.peers = []
        return discoveries.withLock { all in
            all[key] = all[key] ?? key.sharedDiscovery()
            return all[key]
        }
    }

    /// Makes and starts a node. On the loop.
    ///
    /// - Parameter room: names it among those of the identity.
    func node(
        _ configuration: NodeConfiguration, _ network: LocalNetwork, as kept: KeptIdentity, of room: ObjectIdentifier,
        deliver: @escaping ([NodeEvent]) -> Void
    ) throws(JoinError) -> Node {
        let state = kept.state
        var configuration = configuration
        configuration.nickname = configuration.nickname ?? state.nickname
        let node = try JoinError.naming { () throws(SystemError) in
            try network.node(
                configuration, kept.copy(),
                marks: PeerMarks(verified: MarkedPeers(state.verified), blocked: MarkedPeers(state.blocked)),
                accepted: state.accepted, minimumEpoch: state.nextEpoch, on: loop,
                discovery: discovery(of: network), deliver: deliver,
                epochChanged: { kept.submit(epoch: $0) },
                directsChanged: { kept.submit(accepted: $0, of: room) })
        }
        try kept.store(epoch: node.epoch, nickname: node.chat.ownName.nickname)
        do throws(TransportError) { try node.start() } catch {
            throw JoinError(.portUnavailable, StartFailure(listeningOn: configuration.port, error).message)
        }
        return node
    }
}
