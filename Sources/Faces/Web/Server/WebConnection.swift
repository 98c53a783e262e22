import Hub
import Reactor
import Wire

/// A connection to the web server, and its request or stream.
final class WebConnection {
    /// The life of a connection: requests one after the other, or a stream until its end.
    enum Use: Hashable {
        case requests
        /// Server-Sent Events.
        case events
        /// The page's WebSocket.
        case socket
        /// A WebSocket of STOMP or IRC.
        case gateway
        /// A WebSocket of Engine.IO, with the way to its session.
        case engine(EngineSession)
    }

    /// The place of a connection in its request.
    enum Phase {
        /// For a head.
        case waiting
        /// For the rest of the body.
        case receiving
        case performing
        /// The answer is written, but for what the library keeps of it.
        case answered
    }

    /// Bytes of a WebSocket message.
    static let longestMessage = 65_536
    /// How long bytes behind a request may wait before the connection ends.
    static let patience = Duration.seconds(1)
    /// How long a connection may have no request, or show no token.
    static let idleTime = Duration.seconds(30)
    /// Lines of a page that wait for the node, as it sends no faster than its pace.
    static let mostLines = 1_024

    /// The client's at the hub; an answer that comes late finds that its connection is another one.
    let number: Int
    /// Whether the first target is absolute: the connection ends behind its answer, as the next one may be so, too.
    let isAbsolute: Bool
    var use = Use.requests
    var head = RequestHead()
    var body: [UInt8] = []
    /// The bytes of the requests before, as far as the library has read them.
    var readBefore = 0
    var phase = Phase.waiting
    /// When the request had come.
    var performedAt = Instant.monotonic
    /// Whether the library may tell of the end of an empty body.
    var hasEmptyBody = false
    /// The answer that is to be written.
    var answer: WebAnswer?
    /// Whether the head of a stream is written.
    var hasBegun = false
    /// The code of the reload of the page whose WebSocket it is; nil for other clients.
    var page: String?
    /// The name of the view of the page whose WebSocket it is; nil for a client without one.
    var view: String?
    /// Lines that were not performed yet.
    var lines = 0
    /// The WebSocket message of which more follows.
    var message: [UInt8] = []
    /// The code and the reason with which the connection is to be closed (RFC 6455 section 7.4).
    var closing: (code: UInt16, reason: String)?

    init(_ number: Int, isAbsolute: Bool) { (self.number, self.isAbsolute) = (number, isAbsolute) }

    /// The form in which it gets events.
    var form: EventLog.Form { use == .events ? .serverSent : .json }

    /// Whether its WebSocket messages are binary: it asked for that subprotocol of IRC alone, or first.
    var sendsBinary: Bool {
        head.path == "/irc" && head.protocols.first { $0.hasSuffix(".ircv3.net") } == "binary.ircv3.net"
    }

    /// Whether the answer is a stream, or a poll that waits: its client may go before there is something to write.
    var isWaitedFor: Bool { phase == .performing && (use == .events || head.path == EngineSession.path) }
}
