import ChatNode
import Glibc
import Reactor
import Transports

/// Dials this machine's own addresses at the port that it listens on, over the transport that a chat uses.
actor PortProbe: EventLoopActor {
    /// Within a machine a connection takes a millisecond.
    private static let patience = Duration.seconds(1)

    nonisolated let loop: EventLoop
    private let transport: TCPTransport
    private var observation: PortObservation
    private var dialled: [ConnectionID: [UInt8]] = [:]
    private var waiting: CheckedContinuation<PortObservation, Never>?

    /// - Parameter port: 0 for one of the system's choice.
    init(on loop: EventLoop, port: UInt16) {
        var limits = TCPLimits()
        limits.dialTime = PortProbe.patience
        self.loop = loop
        transport = TCPTransport(loop: loop, limits: limits)
        observation = PortObservation(port: port)
    }

    /// Begins to listen, unless the port is in use: by the chat, perhaps, that the port is for.
    ///
    /// - Returns: the port.
    package func listen() -> UInt16 {
        do throws(TransportError) {
            observation = PortObservation(port: try transport.listen(port: observation.port, handler: self))
        } catch {
            if !error.isAddressInUse { observation.failure = error }
        }
        return observation.port
    }

    /// Once, after `listen`. Within 1 s.
    package func dial(_ endpoints: [Endpoint]) async -> PortObservation {
        defer { transport.shutDown() }
        guard observation.failure == nil, !endpoints.isEmpty else { return observation }
        return await withCheckedContinuation { continuation in
            waiting = continuation
            for endpoint in Set(endpoints) {
                let there = Endpoint(address: endpoint.address, port: observation.port, scope: endpoint.scope)
                dialled[transport.dial(there)] = endpoint.address
            }
        }
    }

    private func ended(_ connection: ConnectionID, isReached: Bool) {
        guard let address = dialled.removeValue(forKey: connection) else { return }
        if !isReached { observation.lost.insert(address) }
        guard dialled.isEmpty else { return }
        waiting?.resume(returning: observation)
        waiting = nil
    }
}

/// On the loop, as the transport promises.
extension PortProbe: TransportHandler {
    nonisolated func transportAccepted(_ connection: ConnectionID, from endpoint: Endpoint) {}

    nonisolated func transportConnected(_ connection: ConnectionID) {
        assumeIsolated { $0.ended(connection, isReached: true) }
    }

    nonisolated func transportReceived(_ buffer: [UInt8], count: Int, on connection: ConnectionID) {}

    nonisolated func transportBecameWritable(_ connection: ConnectionID) {}

    nonisolated func transportClosed(_ connection: ConnectionID, error: TransportError?) {
        assumeIsolated { $0.ended(connection, isReached: false) }
    }
}

extension TransportError {
    fileprivate var isAddressInUse: Bool {
        guard case .system(_, let errno) = self else { return false }
        return errno == EADDRINUSE
    }
}
