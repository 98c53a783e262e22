package import ChatNode
internal import CLinux
internal import Glibc
package import Reactor
import Wire

/// The network by TCP (Protocol.md section 3): non-blocking sockets on one event loop.
///
/// Confined to its loop but for `init`. It lives on while connections of it do: `shutDown` ends them all.
package final class TCPTransport: Transport {
    /// The most bytes per read and connection in a turn.
    package static let readSize = 65_536
    /// Bytes of the first read: a node whose peers are silent reads no more, and keeps no larger buffer.
    private static let firstReadSize = 4_096

    /// Counters for `/stats`.
    package internal(set) var statistics = TCPStatistics()

    package var refusals: [Counter] {
        [
            Counter(.refusedConnectionsAtLimit, statistics.refusedAtLimit),
            Counter(.refusedWithoutDescriptor, statistics.refusedWithoutDescriptor),
            Counter(.refusedByInterface, statistics.refusedByInterface),
        ]
    }

    private let loop: EventLoop
    private let limits: TCPLimits
    private var filter: InterfaceFilter?
    private weak var handler: (any TransportHandler)?
    private var listeners: [TCPListener] = []
    private var connections: [ConnectionID: TCPConnection] = [:]
    private var lastNumber: UInt64 = 0
    /// For all connections in turn. The handler sees it without a copy; were it to keep it, the next read would copy.
    /// Doubled up to `readSize` by each read that fills it.
    private var buffer = [UInt8](repeating: 0, count: firstReadSize)

    /// - Parameters:
    ///   - loop: the node's scheduler.
    ///   - interfaces: names of the only interfaces whose addresses are used; none for all.
    package init(loop: EventLoop, interfaces: [String] = [], limits: TCPLimits = TCPLimits()) {
        self.loop = loop
        self.limits = limits
        filter = interfaces.isEmpty ? nil : InterfaceFilter(names: interfaces)
    }

    /// Stops listening and closes all connections, without a word to the handler.
    package func shutDown() {
        stopListening()
        for connection in connections.values { drop(connection) }
    }
}

/// Listening, and accepted connections.
extension TCPTransport {
    package func listen(port: UInt16, handler: any TransportHandler) throws(TransportError) -> UInt16 {
        stopListening()
        self.handler = handler
        do throws(SystemError) {
            var sockets = try ListeningSockets.open(port: port)
            if let socket = sockets.ipv6.take() { listen(on: socket) }
            if let socket = sockets.ipv4.take() { listen(on: socket) }
            return sockets.port
        } catch {
            throw TransportError(error)
        }
    }

    package func stopListening() {
        for listener in listeners { listener.stop() }
        listeners = []
    }

    private func listen(on socket: consuming Descriptor) {
        listeners.append(TCPListener(socket, loop: loop, transport: self))
    }

    func accepted(_ socket: consuming Descriptor, from endpoint: Endpoint?) {
        // Not kept: closed on return.
        guard let endpoint, let handler else { return }
        guard connections.count < limits.connections else {
            statistics.refusedAtLimit += 1
            return
        }
        guard mayUse(socket.number) else { return }
        // A connection that works without it is better than none.
        _ = try? TCPSocket.setUp(socket.number)
        let connection = add(consume socket, phase: .open)
        guard (try? loop.watch(connection.descriptor, connection.interest, connection)) != nil else {
            statistics.refusedWithoutDescriptor += 1
            return drop(connection)
        }
        statistics.accepted += 1
        handler.transportAccepted(connection.id, from: endpoint)
    }
}

/// Dialling.
extension TCPTransport {
    package func dial(_ endpoint: Endpoint) -> ConnectionID {
        statistics.dialled += 1
        do throws(SystemError) {
            guard connections.count < limits.connections else { throw SystemError(call: "connect", errno: EMFILE) }
            let socket = try TCPSocket.make(endpoint.isIPv4 ? AF_INET : AF_INET6)
            try TCPSocket.setUp(socket.number)
            try TCPSocket.connect(socket.number, to: endpoint)
            let connection = add(consume socket, phase: .connecting)
            do throws(SystemError) {
                try loop.watch(connection.descriptor, connection.interest, connection)
                endUnlessConnected(connection)
            } catch {
                end(connection, TransportError(error))
            }
            return connection.id
        } catch {
            let connection = add(nil, phase: .connecting)
            end(connection, TransportError(error))
            return connection.id
        }
    }

    private func endUnlessConnected(_ connection: TCPConnection) {
        loop.schedule(at: loop.now + limits.dialTime) { [weak self, weak connection] in
            guard let connection, connection.phase == .connecting else { return }
            self?.close(connection, .timedOut)
        }
    }

    private func finishDial(_ connection: TCPConnection) {
        if let error = TCPSocket.takeError(of: connection.descriptor) {
            return close(connection, TransportError(error))
        }
        guard mayUse(connection.descriptor) else { return close(connection, .unreachable) }
        connection.phase = .open
        loop.change(connection.descriptor, to: connection.interest)
        handler?.transportConnected(connection.id)
        // A sender with unsent bytes waits for this event.
        if connection.phase == .open, connection.hasUnsent { resume(connection) }
    }

    package func isOnThisMachine(_ connection: ConnectionID) -> Bool {
        connections[connection].map { TCPSocket.isOnThisMachine($0.descriptor) } ?? false
    }

    package func unacknowledged(by connection: ConnectionID) -> Int {
        connections[connection].map { TCPSocket.unacknowledged(by: $0.descriptor) } ?? 0
    }

    package func localEndpoint(of connection: ConnectionID) -> Endpoint? {
        connections[connection].flatMap { TCPSocket.localEndpoint(of: $0.descriptor) }
    }

    package func network(of connection: ConnectionID) -> LinkNetwork? {
        localEndpoint(of: connection).flatMap(InterfaceAddresses.network(of:))
    }

    private func mayUse(_ socket: CInt) -> Bool {
        guard filter != nil else { return true }
        let local = TCPSocket.localEndpoint(of: socket)
        let isAllowed = local.flatMap { filter?.allows($0, now: loop.now) } ?? false
        if !isAllowed { statistics.refusedByInterface += 1 }
        return isAllowed
    }
}

/// Bytes, both ways.
extension TCPTransport {
    func ready(_ connection: TCPConnection, _ events: Readiness) {
        switch connection.phase {
        case .connecting: finishDial(connection)
        case .open:
            if events.isWorthReading { receive(connection) }
            if connection.phase == .open, connection.hasUnsent, events.isWritable { resume(connection) }
        case .finishing: drain(connection)
        case .ending, .closed: break
        }
    }

    private func receive(_ connection: TCPConnection) {
        switch connection.receive(into: &buffer) {
        case .bytes(let count):
            handler?.transportReceived(buffer, count: count, on: connection.id)
            if count == buffer.count, count < Self.readSize { buffer = [UInt8](repeating: 0, count: 2 * count) }
        case .nothing: break
        case .end: close(connection, nil)
        case .failure(let error): close(connection, TransportError(error))
        }
    }

    private func drain(_ connection: TCPConnection) {
        switch connection.receive(into: &buffer) {
        case .bytes, .nothing: break
        case .end: close(connection, nil)
        case .failure(let error): close(connection, TransportError(error))
        }
    }

    package func write(_ bytes: Span<UInt8>, to connection: ConnectionID) -> Int {
        guard let connection = connections[connection] else { return 0 }
        switch connection.phase {
        case .connecting:
            connection.hasUnsent = !bytes.isEmpty
            return 0
        case .finishing, .ending, .closed: return 0
        case .open: break
        }
        do throws(SystemError) {
            let sent = try connection.send(bytes)
            if sent < bytes.count, !connection.hasUnsent {
                connection.hasUnsent = true
                loop.change(connection.descriptor, to: connection.interest)
            }
            return sent
        } catch {
            end(connection, TransportError(error))
            return 0
        }
    }

    private func resume(_ connection: TCPConnection) {
        connection.hasUnsent = false
        loop.change(connection.descriptor, to: connection.interest)
        handler?.transportBecameWritable(connection.id)
    }
}

/// How connections end.
extension TCPTransport {
    package func finish(_ connection: ConnectionID) {
        guard let connection = connections[connection] else { return }
        switch connection.phase {
        case .connecting: end(connection, nil)
        case .finishing, .ending, .closed: break
        case .open:
            connection.phase = .finishing
            connection.shutWriting()
            loop.change(connection.descriptor, to: connection.interest)
            loop.schedule(at: loop.now + limits.finishTime) { [weak self, weak connection] in
                guard let connection, connection.phase == .finishing else { return }
                self?.close(connection, nil)
            }
        }
    }

    package func close(_ connection: ConnectionID) {
        if let connection = connections[connection] { drop(connection) }
    }

    /// Tells the handler of the end later this turn or in the next, not within the call that led to it.
    private func end(_ connection: TCPConnection, _ error: TransportError?) {
        connection.phase = .ending
        loop.unwatch(connection.descriptor)
        loop.schedule(at: loop.now) { [weak self] in
            guard connection.phase == .ending else { return }
            self?.close(connection, error)
        }
    }

    private func close(_ connection: TCPConnection, _ error: TransportError?) {
        drop(connection)
        handler?.transportClosed(connection.id, error: error)
    }

    private func drop(_ connection: TCPConnection) {
        connections[connection.id] = nil
        loop.unwatch(connection.descriptor)
        connection.close()
    }

    private func add(_ socket: consuming Descriptor?, phase: TCPConnection.Phase) -> TCPConnection {
        lastNumber += 1
        let id = ConnectionID(number: lastNumber)
        let connection = TCPConnection(id, socket, phase: phase, of: self)
        connections[id] = connection
        return connection
    }
}
