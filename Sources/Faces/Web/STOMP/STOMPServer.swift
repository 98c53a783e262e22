package import ChatNode
package import Commands
package import Hub
package import Reactor
import Wire

/// The STOMP gateway over TCP, on loopback alone (Docs/Web.md, section 5). It needs no libwebsockets.
package final class STOMPServer: Sendable {
    /// The time in which a client has to show the token.
    private static let patience = Duration.seconds(10)

    private let listeners: LoopbackListeners
    private let inlet = HubInlet()
    private let server: SocketServer
    package let listening: Commands.Listening

    /// Listens at a port of 127.0.0.1, and of ::1 if the machine has it.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - loop: nothing else may live on it.
    package init(on loop: EventLoop, port: UInt16, token: WebToken) throws(StartFailure) {
        listeners = try LoopbackListeners(port: port, for: "--stomp")
        listening = Listening(face: "stomp", address: "127.0.0.1:\(listeners.port)", token: token.text)
        let hub = EventHub(inlet, of: .stomp, patience: STOMPServer.patience)
        server = SocketServer(on: loop, inlet, hub, listeners: listeners.numbers, keepsChat: true) {
            STOMPSession(token, at: $0)
        }
    }

    /// Its counters in `/stats`.
    package var counters: [Counter] {
        inlet.counters(clients: .stompClients, refusals: .stompRefusals, drops: .stompDropped)
    }

    /// Answers from now on; connections before have waited.
    package func begin(_ commands: CommandExecutor) async { await server.begin(commands) }

    /// Tells the clients what happens, in the order of the calls. On the nodes' thread; returns at once.
    package func tell(_ events: [RoomReport]) { server.tell(events) }

    /// Closes all connections; bytes that a client does not take at once are lost.
    package func end() async { await server.end() }
}
