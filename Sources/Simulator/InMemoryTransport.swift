package import ChatNode
import Wire

/// One host's view of the simulated network.
package final class InMemoryTransport: Transport {
    private let network: InMemoryNetwork
    private let host: HostID
    private weak var handler: (any TransportHandler)?

    package init(network: InMemoryNetwork, host: HostID) {
        self.network = network
        self.host = host
    }

    package func listen(port: UInt16, handler: any TransportHandler) throws(TransportError) -> UInt16 {
        self.handler = handler
        return network.listen(host, handler: Confined(handler))
    }

    package func dial(_ endpoint: Endpoint) -> ConnectionID {
        guard let handler else { preconditionFailure("dialled before listening") }
        return network.dial(endpoint, from: host, handler: Confined(handler))
    }

    package func write(_ bytes: Span<UInt8>, to connection: ConnectionID) -> Int {
        network.write(bytes, to: connection)
    }

    package func finish(_ connection: ConnectionID) {
        network.finish(connection)
    }

    package func close(_ connection: ConnectionID) {
        network.close(connection)
    }

    package func isOnThisMachine(_ connection: ConnectionID) -> Bool { network.isWithinMachine(connection) }

    package func localEndpoint(of connection: ConnectionID) -> Endpoint? { network.endpoints(of: host).first }

    package func network(of connection: ConnectionID) -> LinkNetwork? {
        let own = network.endpoints(of: host)
        let subnets = own.map { Subnet($0.address, prefixLength: $0.isIPv4 ? 8 : 64) }
        return LinkNetwork(
            subnets: subnets, ownAddresses: Set(own.map(\.address)), scope: own.map(\.scope).max() ?? 0)
    }

    package func stopListening() {
        network.stopListening(host)
    }
}
