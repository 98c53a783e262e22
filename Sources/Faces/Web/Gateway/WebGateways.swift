import ChatNode
import Commands
import Reactor
import Wire

/// Sessions of gateways over WebSocket.
extension WebServer {
    /// Lets a session act, and performs its effects.
    ///
    /// - Parameter topic: of the texts that it sends; nil for none.
    func drive(
        _ connection: WebConnection, at key: UInt, about topic: EventTopic? = nil,
        _ act: (inout any GatewaySession) -> [GatewayEffect]
    ) {
        // Taken out, so that its buffers are not copied.
        guard var session = connection.session.take() else { return }
        let effects = act(&session)
        connection.session = session
        let number = connection.number
        for effect in effects {
            switch effect {
            case .send(let bytes): send(bytes, to: connection, at: key, about: topic)
            case .close: close(connection, at: key, 1000, "")
            case .refused: countRefusal()
            case .perform(let request, let command, let room):
                Task {
                    let reports = await desk?.reports(of: command, in: room) ?? []
                    guard let connection = self.connection(number, at: key) else { return }
                    drive(connection, at: key) { $0.complete(request, reports, at: .monotonic) }
                }
            }
        }
        arm(connection, at: key)
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
        timers.execute { [weak self, timers] in
            timers.schedule(at: deadline) { self?.thread.execute { self?.assumeIsolated { action($0) } } }
        }
    }

    private func wake(_ number: Int, at key: UInt, _ deadline: Instant) {
        guard let connection = connection(number, at: key), connection.armed == deadline else { return }
        connection.armed = nil
        drive(connection, at: key) { $0.tick(at: .monotonic) }
    }
}
