package import Commands
package import Hub
package import Reactor
import Rendering
import Wire

/// The IRC gateway over TCP, on loopback alone (Docs/IRC.md). IRC over WebSocket is at the web server.
package final class IRCServer: Sendable {
    private let listeners: LoopbackListeners
    private let inlet = HubInlet()
    private let server: SocketServer
    package let listening: Commands.Listening

    /// Listens at a port of 127.0.0.1, and of ::1 if the machine has it.
    ///
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - loop: nothing else may live on it.
    /// - Throws: if the port is in use.
    package init(on loop: EventLoop, port: UInt16, token: WebToken) throws(StartFailure) {
        listeners = try LoopbackListeners(port: port, for: "--irc")
        listening = Listening(face: "irc", address: "127.0.0.1:\(listeners.port)", token: token.text)
        let hub = EventHub(inlet, of: .irc, patience: IRCSession.patience)
        let entrance = IRCSession.Entrance(token)
        server = SocketServer(on: loop, inlet, hub, listeners: listeners.numbers, keepsChat: true) {
            IRCSession(entrance, at: $0)
        }
    }

    /// Answers from now on; connections before have waited.
    package func begin(_ commands: CommandExecutor) async { await server.begin(commands) }

    /// Tells the clients what happens, in the order of the calls. On the nodes' thread; returns at once.
    package func tell(_ events: [RoomReport]) { server.tell(events) }

    /// Closes all connections; bytes that a client does not take at once are lost.
    package func end() async { await server.end() }
}

extension IRCSession.Entrance {
    /// With the clocks of this machine.
    package init(_ token: WebToken) {
        LocalTime.prepare()
        self.init(token, now: { .wall }, clock: { String(LocalTime.text($0).prefix(5)) })
    }
}
