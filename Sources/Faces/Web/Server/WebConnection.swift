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
        /// A WebSocket of STOMP.
        case gateway
        /// A WebSocket of Engine.IO, with its session.
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

    /// Bytes that may wait for a reader: 4 MiB, more than the snapshot of 16 full rooms.
    static let mostWaiting = 4 << 20
    /// Bytes of a WebSocket message.
    static let longestMessage = 65_536
    /// How long bytes behind a request may wait before the connection ends.
    static let patience = Duration.seconds(1)
    /// Lines of a page that wait for the node, as it sends no faster than its pace.
    static let mostLines = 1_024

    /// Counts from 1; an answer that comes late finds that its connection is another one.
    let number: Int
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
    /// Whether events are passed on.
    var isLive = false
    private(set) var waiting = 0
    private var messages: [[UInt8]] = []
    private var first = 0
    /// The session of a gateway.
    var session: (any GatewaySession)?
    /// The next deadline of the session for which a timer runs.
    var armed: Instant?
    /// Lines that were not performed yet.
    var lines = 0
    /// The WebSocket message of which more follows.
    var message: [UInt8] = []
    /// The code and the reason with which the connection is to be closed (RFC 6455 section 7.4).
    var closing: (code: UInt16, reason: String)?

    init(_ number: Int) { self.number = number }

    /// - Returns: false if too much waits already.
    func append(_ bytes: [UInt8]) -> Bool {
        guard waiting + bytes.count <= WebConnection.mostWaiting else { return false }
        messages.append(bytes)
        waiting += bytes.count
        return true
    }

    func next() -> [UInt8]? {
        guard first < messages.count else { return nil }
        let message = messages[first]
        messages[first] = []
        first += 1
        waiting -= message.count
        if first > messages.count / 2 {
            messages.removeFirst(first)
            first = 0
        }
        return message
    }
}
