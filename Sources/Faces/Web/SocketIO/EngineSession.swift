import Commands
import Hub
import Model
import Rendering
import Wire

/// A session of Engine.IO (protocol version 4): packets to one client over long polling or a WebSocket.
final class EngineSession {
    /// A packet that waits.
    enum Packet: Hashable {
        case text(String, of: EventTopic?)
        /// An event of `SocketIOEvents`, by its offset.
        case event(Int)
    }

    static let path = "/socket.io/"
    static let pingInterval = Duration.seconds(25)
    static let pingTimeout = Duration.seconds(20)
    /// How long a client may take to change to a WebSocket.
    static let upgradeTimeout = Duration.seconds(10)
    /// After this time a poll is answered while a change to a WebSocket is under way: its client waits for that.
    static let upgradePause = Duration.milliseconds(100)

    let id: String
    var session: SocketIOSession
    /// Packets that wait for a poll.
    var packets: [Packet] = []
    /// The connection of a request that waits for packets.
    var parked: (number: Int, key: UInt)?
    /// The WebSocket; nil for polling.
    var socket: UInt?
    /// The WebSocket to which the client is about to change.
    var probe: UInt?
    /// The session is over at this time, unless the client is heard.
    var deadline: Instant
    var nextPing: Instant
    /// Whether the client gets no more than the packets that wait.
    var isOver = false
    /// Whether it gets nothing more.
    var isEnded = false

    init(_ id: String, _ token: WebToken, room: String?, at now: Instant) {
        self.id = id
        session = SocketIOSession(token, id: WebToken().text, room: room)
        nextPing = now + EngineSession.pingInterval
        // A client connects at once.
        deadline = now + EngineSession.pingTimeout
    }

    /// Puts the end off, unless the client has not shown the token.
    func isHeard(at now: Instant) {
        if session.isConnected { deadline = now + EngineSession.pingInterval + EngineSession.pingTimeout }
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

    /// Takes back waiting packets whose text is to be forgotten; events are forgotten by `SocketIOEvents`.
    func erase(_ erasure: Erasure) {
        packets.removeAll { packet in
            guard case .text(_, let topic?) = packet else { return false }
            return erasure.takes(topic)
        }
    }
}

extension EngineSession: Hashable {
    static func == (left: EngineSession, right: EngineSession) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The packets of an answer to a poll: they wait again if it can not be written.
struct EnginePoll {
    let session: EngineSession
    let packets: [EngineSession.Packet]
}

/// The reason why a request is refused, by its code (engine.io, "Error codes").
enum EngineFault: Int {
    case unknownTransport = 0
    case unknownSession = 1
    case badMethod = 2
    case badRequest = 3
    case unsupportedVersion = 5

    private var message: String {
        switch self {
        case .unknownTransport: "Transport unknown"
        case .unknownSession: "Session ID unknown"
        case .badMethod: "Bad handshake method"
        case .badRequest: "Bad request"
        case .unsupportedVersion: "Unsupported protocol version"
        }
    }

    var answer: WebAnswer {
        var answer = WebAnswer.json(400) {
            $0.member("code", rawValue)
            $0.member("message", message)
        }
        answer.closes = true
        return answer
    }
}
