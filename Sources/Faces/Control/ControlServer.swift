package import ChatNode
package import Commands
import Glibc
import Hub
package import Reactor

/// The control socket of a running node (Docs/Control.md): answers requests, and tells tails what happens.
package final class ControlServer: Sendable {
    static let mostClients = 16

    private let socket: ControlSocket
    private let inlet = HubInlet()
    private let server: SocketServer

    /// - Parameter loop: nothing else may live on it.
    package init(on loop: EventLoop, _ socket: consuming ControlSocket, renderer: ControlRenderer) {
        self.socket = socket
        let shared = SharedRenderer(renderer) { loop.wallClock }
        // Clients of the own user are no strangers; those that are turned away end soon.
        let hub = EventHub(inlet, of: .control, patience: .seconds(10), mostHolders: ControlServer.mostClients)
        server = SocketServer(
            on: loop, inlet, hub, listeners: [self.socket.descriptor.number], admits: ControlServer.isOwnUser
        ) { _ in ControlSession(shared) }
    }

    package var path: String { socket.path }

    /// Its counters in `/stats`.
    package var counters: [Counter] {
        inlet.counters(clients: .controlClients, listeners: .controlTails, drops: .controlTailsDropped)
    }

    /// Answers from now on; connections before have waited.
    package func begin(_ commands: CommandExecutor) async { await server.begin(commands) }

    /// Tells the tails what the node tells, in the order of the calls. On the node's thread; returns at once.
    package func tell(_ events: [RoomReport]) { server.tell(events) }

    /// Says goodbye to all clients.
    package func end() async {
        removeName()
        await server.end()
    }

    /// Removes the socket's file, so that no client finds it. From any thread, more than once if need be.
    package func removeName() { socket.removeName() }

    /// True if the client runs as the user of the node.
    ///
    /// The kernel recorded the user when the connection was made; a process can not change that.
    private static func isOwnUser(_ socket: CInt) -> Bool {
        // Process, user, group.
        var credentials: [UInt32] = [0, .max, .max]
        var length = socklen_t(12)
        let result = unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
        return result == 0 && length == 12 && credentials[1] == geteuid()
    }
}
