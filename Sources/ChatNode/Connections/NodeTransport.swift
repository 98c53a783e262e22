import Chat
import Noise
import Phrases
import Wire

/// Events of the transport, on the node's scheduler.
extension Node: TransportHandler {
    package nonisolated func transportAccepted(_ id: ConnectionID, from endpoint: Endpoint) {
        assumeIsolated { $0.accepted(id, from: endpoint) }
    }

    package nonisolated func transportConnected(_ id: ConnectionID) {
        assumeIsolated { $0.connected(id) }
    }

    package nonisolated func transportReceived(_ buffer: [UInt8], count: Int, on id: ConnectionID) {
        assumeIsolated { node in
            guard let link = node.links.connections[id] else { return }
            node.receive(buffer, count: count, on: link)
        }
    }

    package nonisolated func transportBecameWritable(_ id: ConnectionID) {
        assumeIsolated { node in
            guard let link = node.links.connections[id] else { return }
            node.flush(link)
        }
    }

    package nonisolated func transportClosed(_ id: ConnectionID, error: TransportError?) {
        assumeIsolated { $0.closed(id, error: error) }
    }

    private func accepted(_ id: ConnectionID, from address: Endpoint) {
        let endpoint = source(of: id, at: address)
        let isRunning = if case .running = phase { true } else { false }
        guard links.admit(id, from: endpoint, isRunning: isRunning, now: scheduler.now) else { return }
        open(id, to: endpoint, role: .responder)
    }

    private func connected(_ id: ConnectionID) {
        guard let endpoint = finder.endpoint(of: id) ?? mail.dialledEndpoint(of: id), case .running = phase else {
            return links.cancel(id)
        }
        for slower in finder.connected(id) { links.cancel(slower) }
        open(id, to: source(of: id, at: endpoint), role: .initiator)
    }

    /// The source for the limits: nodes of this machine count as one machine's, though they find each other by its address
    /// on the network.
    private func source(of id: ConnectionID, at endpoint: Endpoint) -> Endpoint {
        guard links.isOnThisMachine(id) else { return endpoint }
        finder.recordOwnAddress(endpoint, now: scheduler.now)
        return endpoint.onThisMachine
    }

    private func closed(_ id: ConnectionID, error: TransportError?) {
        if let link = connections[id] {
            close(link, .transportClosed(error))
        } else if mail.dialledEndpoint(of: id) != nil {
            links.tally.dialsFailed += 1
            mail.closed(id)
            arm(.mail)
        } else if finder.endpoint(of: id) != nil {
            links.tally.dialsFailed += 1
            dialEnded(id, UnreachedPeers.Reason(error))
            arm(.dialler)
        }
    }
}
