import Model
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

    /// Bytes of answers, and of packets of gateways, that may wait for a reader.
    static let mostWaiting = 4 << 20
    /// Bytes of a WebSocket message.
    static let longestMessage = 65_536
    /// How long bytes behind a request may wait before the connection ends.
    static let patience = Duration.seconds(1)
    /// How long a connection may have no request, or show no token.
    static let idleTime = Duration.seconds(30)
    /// Lines of a page that wait for the node, as it sends no faster than its pace.
    static let mostLines = 1_024

    /// Counts from 1; an answer that comes late finds that its connection is another one.
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
    /// The events of a stream, once it has begun.
    var feed: StreamFeed?
    private var waiting = 0
    /// Bytes that are for this client alone.
    private var messages: [Message] = []
    private var first = 0
    /// The packets of the answer to a poll that is not written yet.
    var poll: EnginePoll?
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

    private struct Message {
        let bytes: [UInt8]
        /// The number of the last event in front of it; nil if it goes before the snapshot, too.
        let behind: Int?
        /// Nil for what has no text of a room.
        let topic: EventTopic?
    }

    init(_ number: Int, isAbsolute: Bool) { (self.number, self.isAbsolute) = (number, isAbsolute) }

    /// - Parameters:
    ///   - behind: the number of the last event that the client gets before, 0 for the snapshot alone; nil for neither.
    ///   - topic: nil for what has no text of a room.
    /// - Returns: false if too much waits already.
    func append(_ bytes: [UInt8], behind: Int? = nil, about topic: EventTopic? = nil) -> Bool {
        guard waiting + bytes.count <= WebConnection.mostWaiting else { return false }
        messages.append(Message(bytes: bytes, behind: behind, topic: topic))
        waiting += bytes.count
        return true
    }

    /// The bytes that are to be written next: those for this client alone, or an event.
    func next(of log: EventLog) -> [UInt8]? {
        guard first < messages.count else { return feed?.next(of: log, isStream: use == .events) }
        if let last = messages[first].behind, let feed, !feed.hasPassed(last, of: log) {
            return self.feed?.next(of: log, isStream: use == .events)
        }
        return take()
    }

    /// Whether the answer is a stream, or a poll that waits: its client may go before there is something to write.
    var isWaitedFor: Bool { phase == .performing && (use == .events || head.path == EngineSession.path) }

    /// Whether the client is a stream that can not be passed on what happened.
    func isLate(for log: EventLog) -> Bool { feed?.isLate(for: log) ?? false }

    func erase(_ erasure: Erasure) {
        feed?.erase(erasure)
        let kept = messages[first...].filter { $0.topic.map { !erasure.takes($0) } ?? true }
        (messages, first) = (kept, 0)
        waiting = kept.reduce(0) { $0 + $1.bytes.count }
    }

    private func take() -> [UInt8] {
        let message = messages[first].bytes
        messages[first] = Message(bytes: [], behind: nil, topic: nil)
        first += 1
        waiting -= message.count
        if first > messages.count / 2 {
            messages.removeFirst(first)
            first = 0
        }
        return message
    }
}
