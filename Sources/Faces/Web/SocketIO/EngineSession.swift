import Commands
import Rendering
import Wire

/// A session of Engine.IO (protocol version 4): packets to one client over long polling or a WebSocket.
final class EngineSession {
    static let path = "/socket.io/"
    static let most = 64
    static let pingInterval = Duration.seconds(25)
    static let pingTimeout = Duration.seconds(20)

    let id: String
    var session: SocketIOSession
    /// Packets that wait for a poll, or for the end of an upgrade.
    var packets: [String] = []
    /// The connection of a request that waits for packets.
    var parked: (number: Int, key: UInt)?
    /// The WebSocket; nil for polling.
    var socket: UInt?
    /// The session is over at this time, unless the client is heard.
    var deadline: Instant
    var nextPing: Instant
    var isOver = false

    /// Whether a request for a WebSocket is one of Engine.IO.
    static func isSocket(_ head: RequestHead) -> Bool {
        head.path == path && head.parameter("EIO") == "4" && head.parameter("transport") == "websocket"
    }

    init(_ id: String, _ token: WebToken, room: String?, at now: Instant) {
        self.id = id
        session = SocketIOSession(token, id: id, room: room)
        nextPing = now + EngineSession.pingInterval
        // A client connects at once.
        deadline = now + EngineSession.pingTimeout
    }

    /// The first packet.
    var openPacket: String {
        SocketIOPacket.object("0") {
            $0.member("sid", id)
            $0.member("upgrades") { $0.literal(socket == nil ? #"["websocket"]"# : "[]") }
            $0.member("pingInterval", 25_000)
            $0.member("pingTimeout", 20_000)
            $0.member("maxPayload", RequestGate.longestBody)
        }
    }
}

extension EngineSession: Hashable {
    static func == (left: EngineSession, right: EngineSession) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
