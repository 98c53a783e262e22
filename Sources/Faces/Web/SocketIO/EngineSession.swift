import Commands
import Wire

/// The way to a session of Engine.IO (protocol version 4): polls, a WebSocket, or the one changed for the other.
final class EngineSession {
    static let path = "/socket.io/"
    /// How long a client may take to change to a WebSocket.
    static let upgradeTimeout = Duration.seconds(10)
    /// After this time a poll is answered while a change to a WebSocket is under way: its client waits for that.
    static let upgradePause = Duration.milliseconds(100)
    /// The bytes of a poll's answer from on which no further packet is added.
    static let longestPoll = 1 << 20

    let id: String
    /// The number of the session at the hub, which has its output and its times.
    let client: Int
    /// The connection of a request that waits for packets.
    var parked: UInt?
    /// The WebSocket; nil for polling.
    var socket: UInt?
    /// The WebSocket to which the client is about to change.
    var probe: UInt?

    init(_ id: String, client: Int) { (self.id, self.client) = (id, client) }
}

extension EngineSession: Hashable {
    static func == (left: EngineSession, right: EngineSession) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
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
