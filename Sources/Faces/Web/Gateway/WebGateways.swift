import ChatNode
import Commands
import Reactor
import Wire

/// Sessions of gateways over WebSocket.
extension WebServer {
    /// Lets a session act, and performs its effects. Packets to a connection that is gone are lost.
    func drive(
        _ connection: WebConnection, at key: UInt,
        _ act: (inout any GatewaySession) -> [GatewayEffect]
    ) {
        // Taken out, so that its buffers are not copied.
        guard var session = connection.session.take() else { return }
        let effects = act(&session)
        connection.session = session
        let isThere = connections[key] === connection
        if isThere, session.hasShownToken { _ = admit(key) }
        for effect in effects {
            switch effect {
            case .send(let bytes, let topic): if isThere { send(bytes, to: connection, at: key, about: topic) }
            case .close: if isThere { close(connection, at: key, 1000, "") }
            case .refused: countRefusal()
            case .perform(let request, let command, let room):
                let number = connection.number
                perform(command, in: room) { $0.complete(request, reports: $1, for: number, at: key) }
            }
        }
        if isThere { arm(connection, at: key) }
    }

    /// A connection is gone: what its client sent before takes effect all the same.
    func leaveGateway(_ connection: WebConnection, at key: UInt) {
        guard connection.session != nil else { return }
        drive(connection, at: key) { $0.end(at: .monotonic) }
        if connection.session?.isOver == false { departing[connection.number] = connection }
    }

    private func complete(_ request: Int, reports: [RoomReport]?, for number: Int, at key: UInt) {
        guard let connection = connection(number, at: key) ?? departing[number] else { return }
        drive(connection, at: key) { $0.complete(request, reports, at: .monotonic) }
        if connection.session?.isOver ?? true { departing[number] = nil }
    }

    /// Performs a command for a client, whose events come through `tell`.
    ///
    /// - Parameter complete: takes the answer; see `CommandExecutor.perform`.
    func perform(
        _ command: Command, in room: GatewayRoom,
        _ complete: @escaping @Sendable (isolated WebServer, [RoomReport]?) -> Void
    ) {
        let deliver: @Sendable ([RoomReport]?) -> Void = { [weak self] reports in
            self?.execute { complete($0, reports) }
        }
        guard let commands else { return deliver(nil) }
        Task { await commands.perform(command, in: room, deliver) }
    }

    /// Lets the session act at its deadline.
    func arm(_ connection: WebConnection, at key: UInt) {
        guard let deadline = connection.session?.deadline, connection.armed.map({ $0 > deadline }) ?? true else {
            return
        }
        connection.armed = deadline
        let number = connection.number
        wait(until: deadline) { $0.wake(number, at: key, deadline) }
    }

    /// Runs `action` on the server's thread at a time, as the library has no timers for its caller.
    func wait(until deadline: Instant, _ action: @escaping @Sendable (isolated WebServer) -> Void) {
        timers.execute { [weak self, timers] in timers.schedule(at: deadline) { self?.execute(action) } }
    }

    private func wake(_ number: Int, at key: UInt, _ deadline: Instant) {
        guard let connection = connection(number, at: key), connection.armed == deadline else { return }
        connection.armed = nil
        drive(connection, at: key) { $0.tick(at: .monotonic) }
    }
}
