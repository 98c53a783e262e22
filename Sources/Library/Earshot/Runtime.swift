internal import Chat
internal import ChatNode
internal import Discovery
internal import Reactor
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
    func node(
        _ configuration: NodeConfiguration, _ network: LocalNetwork, as identity: Identity,
        deliver: @escaping ([NodeEvent]) -> Void
    ) throws(JoinError) -> Node {
        try identity.start(configuration) { (configuration, key, runs) throws(JoinError) in
            do throws(SystemError) {
                return try network.node(
                    configuration, key, marks: runs.marks, accepted: runs.accepted, minimumEpoch: runs.minimumEpoch,
                    on: loop, discovery: discovery(of: network), deliver: deliver, epochChanged: runs.epochChanged,
                    directsChanged: runs.directsChanged)
            } catch {
                throw JoinError(.refusedBySystem, StartFailure(error).message)
            }
        }
    }
}
