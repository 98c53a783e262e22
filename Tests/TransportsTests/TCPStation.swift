import ChatNode
import Reactor
import Transports
import Wire

/// A handler on a loop of its own that keeps what its transport reports, and reacts if it has a reaction.
actor TCPStation: TransportHandler {
    enum Event: Hashable, Sendable {
        case accepted(ConnectionID, Endpoint)
        case connected(ConnectionID)
        case received(ConnectionID, [UInt8])
        case writable(ConnectionID)
        case closed(ConnectionID, TransportError?)
    }

    typealias Reaction = @Sendable (isolated TCPStation, Event) -> Void

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    let transport: TCPTransport
    private(set) var events: [Event] = []
    /// Where the buffers lay that bytes were received in.
    private(set) var bufferAddresses: Set<UInt> = []
    private let reaction: Reaction
    private var waiting: [(condition: @Sendable ([Event]) -> Bool, continuation: CheckedContinuation<[Event], Never>)] =
        []

    init(
        interfaces: [String] = [], limits: TCPLimits = TCPLimits(), reaction: @escaping Reaction = { _, _ in }
    ) throws {
        loop = try EventLoop(name: "station")
        transport = TCPTransport(loop: loop, interfaces: interfaces, limits: limits)
        self.reaction = reaction
        try loop.start()
    }

    func listen(port: UInt16 = 0) throws -> UInt16 { try transport.listen(port: port, handler: self) }
    func dial(_ endpoint: Endpoint) -> ConnectionID { transport.dial(endpoint) }
    func write(_ bytes: [UInt8], to connection: ConnectionID) -> Int { transport.write(bytes.span, to: connection) }
    func finish(_ connection: ConnectionID) { transport.finish(connection) }
    func close(_ connection: ConnectionID) { transport.close(connection) }
    func statistics() -> TCPStatistics { transport.statistics }

    /// Runs `body` on the loop, in one turn.
    func perform<Value: Sendable>(_ body: @Sendable (isolated TCPStation) throws -> Value) rethrows -> Value {
        try body(self)
    }

    /// All events, as soon as they fulfil `condition`.
    @discardableResult
    func events(when condition: @escaping @Sendable ([Event]) -> Bool) async -> [Event] {
        if condition(events) { return events }
        return await withCheckedContinuation { waiting.append((condition, $0)) }
    }

    nonisolated func end() async {
        await perform { $0.transport.shutDown() }
        loop.stop()
    }

    nonisolated func transportAccepted(_ connection: ConnectionID, from endpoint: Endpoint) {
        assumeIsolated { $0.happened(.accepted(connection, endpoint)) }
    }

    nonisolated func transportConnected(_ connection: ConnectionID) {
        assumeIsolated { $0.happened(.connected(connection)) }
    }

    nonisolated func transportReceived(_ buffer: [UInt8], count: Int, on connection: ConnectionID) {
        let address = unsafe buffer.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        let bytes = Array(buffer[..<count])
        assumeIsolated { station in
            station.bufferAddresses.insert(address)
            station.happened(.received(connection, bytes))
        }
    }

    nonisolated func transportBecameWritable(_ connection: ConnectionID) {
        assumeIsolated { $0.happened(.writable(connection)) }
    }

    nonisolated func transportClosed(_ connection: ConnectionID, error: TransportError?) {
        assumeIsolated { $0.happened(.closed(connection, error)) }
    }

    private func happened(_ event: Event) {
        events.append(event)
        reaction(self, event)
        let fulfilled = waiting.filter { $0.condition(events) }
        waiting.removeAll { $0.condition(events) }
        for waiter in fulfilled { waiter.continuation.resume(returning: events) }
    }
}

extension [TCPStation.Event] {
    /// The connections that were accepted, in order.
    var accepted: [ConnectionID] {
        compactMap { if case .accepted(let id, _) = $0 { id } else { nil } }
    }

    var closed: [ConnectionID] {
        compactMap { if case .closed(let id, _) = $0 { id } else { nil } }
    }

    /// All bytes that came on a connection.
    func bytes(on connection: ConnectionID) -> [UInt8] {
        flatMap { event -> [UInt8] in
            if case .received(connection, let bytes) = event { bytes } else { [] }
        }
    }
}
