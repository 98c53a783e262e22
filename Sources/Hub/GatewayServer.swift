package import ChatNode
package import Commands
package import Reactor
package import Wire

/// A gateway for the clients of another protocol, over TCP and on loopback alone (Docs/IRC.md; Docs/Web.md, section 5): it has the chat from
/// its first client on.
package final class GatewayServer: Sendable {
    /// The protocol of the clients.
    package enum Kind: String, Sendable {
        case irc, stomp

        fileprivate var view: ViewID.Face {
            switch self {
            case .irc: .irc
            case .stomp: .stomp
            }
        }

        fileprivate func counters(_ inlet: HubInlet) -> [Counter] {
            switch self {
            case .irc: inlet.counters(clients: .ircClients, refusals: .ircRefusals, drops: .ircDropped)
            case .stomp: inlet.counters(clients: .stompClients, refusals: .stompRefusals, drops: .stompDropped)
            }
        }
    }

    private let kind: Kind
    private let listeners: LoopbackListeners
    private let inlet = HubInlet()
    private let server: SocketServer
    package let listening: Listening

    /// Listens at a port of 127.0.0.1, and of ::1 if the machine has it.
    ///
    /// - Parameters:
    ///   - loop: nothing else may live on it.
    ///   - port: 0 for any that is free.
    ///   - patience: how long a client may take to show the token.
    ///   - session: of a client that connects at an instant.
    /// - Throws: if the port is in use.
    package init(
        _ kind: Kind, on loop: EventLoop, port: UInt16, token: WebToken, patience: Duration,
        session: @escaping @Sendable (Instant) -> any ClientSession
    ) throws(StartFailure) {
        self.kind = kind
        listeners = try LoopbackListeners(port: port, for: "--\(kind.rawValue)")
        listening = Listening(face: kind.rawValue, address: "127.0.0.1:\(listeners.port)", token: token.text)
        let hub = EventHub(inlet, of: kind.view, patience: patience)
        server = SocketServer(
            on: loop, inlet, hub, listeners: listeners.numbers, keepsChat: true, session: session)
    }

    /// Its counters in `/stats`.
    package var counters: [Counter] { kind.counters(inlet) }

    /// Answers from now on; connections before have waited.
    package func begin(_ commands: CommandExecutor) async { await server.begin(commands) }

    /// Tells the clients what happens, in the order of the calls. On the nodes' thread; returns at once.
    package func tell(_ events: [RoomReport]) { server.tell(events) }

    /// Closes all connections; bytes that a client does not take at once are lost.
    package func end() async { await server.end() }
}
