import Chat
import ChatNode
import Commands
import Hub
import Rendering
import Wire

/// The session of one STOMP client, versions 1.1 and 1.2.
///
/// Its frames take effect one after the other: a frame waits until the node has performed the one before.
struct STOMPSession: ClientSession {
    static let mostSubscriptions = 64
    /// Bytes of frames that wait for the node, which sends no faster than its pace.
    static let mostWaiting = 1 << 20
    /// The shortest time in which a heart-beat is sent, and the time in which one is wanted.
    private static let beats: (sent: Int, wanted: Int) = (1_000, 10_000)
    /// A client without a token is let go.
    private static let patience = Duration.seconds(10)

    struct Subscription: Hashable, Sendable {
        let id: String
        /// As the client named it.
        let destination: String
        /// With the room's name as the node has it: a client may write it in any case.
        var place: STOMPDestination
        let wantsAck: Bool
    }

    /// The reaction to the end of a command.
    enum Request: Hashable, Sendable {
        case receipt(String?)
        case subscription(Subscription, receipt: String?)
        /// A message of a transaction; the receipt of its COMMIT if it is refused.
        case part(receipt: String?)
    }

    enum Phase: Hashable, Sendable { case connecting, connected, over }

    let token: WebToken
    /// Whether the token was in the head of the WebSocket.
    let isAuthorized: Bool
    private(set) var phase = Phase.connecting
    /// The negotiated version: "1.1" or "1.2".
    private(set) var version = ""
    private var decoder = STOMPDecoder()
    private var isInputOver = false
    private var isOverfull = false
    var subscriptions: [Subscription] = []
    var transactions = STOMPTransactions()
    /// The command that the node performs now.
    var pending: (number: Int, request: Request)?
    var lastRequest = 0
    var lastMessage = 0
    private var sending: (period: Duration, next: Instant)?
    private var hearing: (period: Duration, end: Instant)?

    init(_ token: WebToken, isAuthorized: Bool = false, at now: Instant) {
        (self.token, self.isAuthorized) = (token, isAuthorized)
        hearing = (STOMPSession.patience, now + STOMPSession.patience)
    }

    var hasShownToken: Bool { phase == .connected }

    var isOver: Bool { phase == .over }

    var deadline: Instant? {
        guard phase != .over else { return nil }
        return [sending?.next, hearing?.end].compactMap(\.self).min()
    }

    mutating func tick(at now: Instant) -> [ClientEffect] {
        guard phase != .over else { return [] }
        if let hearing, now >= hearing.end { return fail("no heart-beat came") }
        guard let sending, now >= sending.next else { return [] }
        self.sending?.next = now + sending.period
        return [.send([0x0a], of: nil)]
    }

    mutating func receive(_ input: [UInt8], at now: Instant) -> [ClientEffect] {
        guard phase != .over, !isInputOver else { return [] }
        if phase == .connected, let hearing { self.hearing?.end = now + hearing.period }
        if decoder.waiting + input.count <= STOMPSession.mostWaiting, !isOverfull {
            decoder.feed(input)
        } else {
            isOverfull = true
        }
        return advance(at: now)
    }

    mutating func end(at now: Instant) -> [ClientEffect] {
        (isInputOver, hearing) = (true, nil)
        return advance(at: now)
    }

    mutating func complete(_ number: Int, _ reports: [RoomReport]?, at now: Instant) -> [ClientEffect] {
        guard phase == .connected, let request = pending?.request, pending?.number == number else { return [] }
        pending = nil
        return finish(request, reports) + advance(at: now)
    }

    /// Reacts to the frames that wait, up to one that the node has to perform.
    private mutating func advance(at now: Instant) -> [ClientEffect] {
        var effects: [ClientEffect] = []
        while phase != .over, pending == nil {
            if let step = transactions.next() {
                effects += perform(step)
                continue
            }
            do throws(STOMPFault) {
                guard let frame = try decoder.next() else { break }
                effects += react(to: frame, at: now)
            } catch {
                effects += fail(error.message)
            }
        }
        if phase != .over, pending == nil {
            if isOverfull {
                effects += fail("\(STOMPSession.mostWaiting) bytes of frames wait for the node")
            } else if isInputOver {
                phase = .over
                effects.append(.close)
            }
        }
        if !effects.isEmpty, let sending { self.sending?.next = now + sending.period }
        return effects
    }

    private mutating func react(to frame: STOMPFrame, at now: Instant) -> [ClientEffect] {
        switch (phase, frame.command) {
        case (.connecting, "CONNECT"), (.connecting, "STOMP"): return connect(frame, at: now)
        case (.connecting, _): return fail("CONNECT comes first", to: frame)
        case (_, "SUBSCRIBE"): return subscribe(frame)
        case (_, "UNSUBSCRIBE"): return unsubscribe(frame)
        case (_, "SEND"): return send(frame)
        case (_, "ACK"), (_, "NACK"): return acknowledge(frame)
        case (_, "BEGIN"), (_, "COMMIT"), (_, "ABORT"): return change(by: frame)
        case (_, "DISCONNECT"):
            phase = .over
            return receipt(frame["receipt"]) + [.close]
        case (_, _): return fail("there is no command of this name", to: frame)
        }
    }

    private mutating func connect(_ frame: STOMPFrame, at now: Instant) -> [ClientEffect] {
        let versions = STOMPSession.list(frame["accept-version"] ?? "1.0")
        guard let version = ["1.2", "1.1"].first(where: versions.contains) else {
            phase = .over
            let text = Array("Supported protocol versions are 1.1 1.2".utf8)
            let headers: [(String, String?)] = [("version", "1.1,1.2"), ("content-type", "text/plain")]
            return [.send(STOMPFrame("ERROR", headers, body: text).bytes, of: nil), .close]
        }
        guard isAuthorized || hasToken(frame) else { return [.refused] + fail("the token is missing or wrong") }
        let beats = STOMPSession.list(frame["heart-beat"] ?? "0,0").map { Int($0) ?? -1 }
        guard beats.count == 2, beats.allSatisfy({ (0...86_400_000).contains($0) }) else {
            return fail("a heart-beat is two numbers of milliseconds")
        }
        (sending, hearing) = (nil, nil)
        if beats[1] > 0 {
            let period = Duration.milliseconds(max(STOMPSession.beats.sent, beats[1]))
            sending = (period, now + period)
        }
        if beats[0] > 0, !isInputOver {
            // Twice the time: a heart-beat may come late.
            let period = Duration.milliseconds(2 * max(STOMPSession.beats.wanted, beats[0]))
            hearing = (period, now + period)
        }
        (phase, self.version) = (.connected, version)
        let headers: [(String, String?)] = [
            ("version", version), ("heart-beat", "\(STOMPSession.beats.sent),\(STOMPSession.beats.wanted)"),
            ("server", "earshot/\(Version.current)"),
        ]
        return [.send(STOMPFrame("CONNECTED", headers).bytes, of: nil)]
    }

    /// The parts of a list with commas, without the spaces that some clients write.
    private static func list(_ text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { part in
            String(decoding: part.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }, as: UTF8.self)
        }
    }

    private func hasToken(_ frame: STOMPFrame) -> Bool {
        if let given = frame["passcode"], token.isEqual(to: given) { return true }
        guard let field = frame["Authorization"] ?? frame["authorization"] else { return false }
        let words = field.utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        return words.count == 2 && words[0].lowercased() == "bearer"
            ? token.isEqual(to: words[1]) : token.isEqual(to: field)
    }

    func receipt(_ id: String?) -> [ClientEffect] {
        guard let id else { return [] }
        return [.send(STOMPFrame("RECEIPT", [("receipt-id", id)]).bytes, of: nil)]
    }

    /// An ERROR, behind which the connection is closed.
    mutating func fail(_ message: String, to frame: STOMPFrame? = nil, code: String? = nil) -> [ClientEffect] {
        fail(message, receipt: frame?["receipt"], code: code)
    }

    mutating func fail(_ message: String, receipt: String?, code: String?) -> [ClientEffect] {
        phase = .over
        transactions = STOMPTransactions()
        let shown = DisplayGuard.safe(message)
        // Some clients stop at a second colon.
        let line = shown.utf8.map { $0 == UInt8(ascii: ":") ? UInt8(ascii: ";") : $0 }
        let headers: [(String, String?)] = [
            ("message", String(decoding: line, as: UTF8.self)), ("receipt-id", receipt), ("code", code),
            ("content-type", "text/plain"),
        ]
        return [.send(STOMPFrame("ERROR", headers, body: Array(shown.utf8)).bytes, of: nil), .close]
    }
}
