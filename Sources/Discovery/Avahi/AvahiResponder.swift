import ChatNode
import Reactor
import Wire

/// An Avahi connection on an event loop. Calls from any other loop return at once and take effect in order.
actor AvahiResponder: EventLoopActor {
    nonisolated let loop: EventLoop
    private nonisolated let source: RecordSource
    private nonisolated let report: ResponderReport
    private let connect: Connect
    private var connection: (any ResponderConnection)?
    private var context: ResponderContext?

    /// Opens a connection that tells what happens to the context. On the loop.
    typealias Connect =
        @Sendable (EventLoop, ResponderContext) throws(ResponderFailure) -> any ResponderConnection

    init(_ source: RecordSource, on loop: EventLoop, report: @escaping ResponderReport, connect: @escaping Connect) {
        self.loop = loop
        self.source = source
        self.report = report
        self.connect = connect
    }

    /// Gets ready to speak. Everything told from now on bears `epoch`.
    nonisolated func open(epoch: Int) { executeRetained { $0.reconnect(epoch: epoch) } }

    nonisolated func publish(_ publication: Publication, of room: RoomNumber) {
        executeRetained { $0.connection?.publish(publication, of: room) }
    }

    nonisolated func adjust(_ publication: Publication, of room: RoomNumber) {
        executeRetained { $0.connection?.adjust(publication, of: room) }
    }

    nonisolated func browse(type: String, of room: RoomNumber, in view: NetworkView) {
        executeRetained { $0.connection?.browse(type: type, of: room, in: view) }
    }

    nonisolated func pursue(until end: Instant?, of room: RoomNumber) {
        executeRetained { $0.connection?.pursue(until: end, of: room) }
    }

    /// Withdraws what a room has. `completion` runs when it is done; a daemon that hangs may take its time.
    nonisolated func leave(_ room: RoomNumber, _ completion: @escaping @Sendable () -> Void) {
        executeRetained {
            $0.connection?.leave(room)
            completion()
        }
    }

    nonisolated func networkIsChanging() { executeRetained { $0.connection?.networkIsChanging() } }
    nonisolated func networkChanged(_ view: NetworkView) { executeRetained { $0.connection?.networkChanged(view) } }

    nonisolated func resolve(_ listing: Listing, _ family: Family?, for room: RoomNumber) {
        executeRetained { $0.connection?.resolve(listing, family, for: room) }
    }

    nonisolated func cancel(_ listing: Listing, for room: RoomNumber) {
        executeRetained { $0.connection?.cancel(listing, for: room) }
    }

    /// Answers with the same number once everything before it is done, if the other side is there.
    nonisolated func probe(_ number: Int) { executeRetained { $0.answer(number) } }

    /// Takes everything back. `completion` runs when it is done; a daemon that hangs may take its time.
    nonisolated func close(_ completion: @escaping @Sendable () -> Void = {}) {
        executeRetained {
            $0.disconnect()
            completion()
        }
    }

    private func reconnect(epoch: Int) {
        disconnect()
        let context = ResponderContext(source: source, epoch: epoch, report: report)
        self.context = context
        do {
            connection = try connect(loop, context)
        } catch {
            context.tell(.failed(error.reason))
        }
    }

    private func disconnect() {
        connection?.close()
        connection = nil
        context = nil
    }

    private func answer(_ number: Int) {
        do {
            try connection?.probe()
            context?.tell(.answered(number))
        } catch {
            context?.tell(.failed(error.reason))
        }
    }
}
