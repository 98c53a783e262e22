import Chat
import ChatNode
import Commands
import Rendering
import Wire

/// The session of one STOMP client, versions 1.1 and 1.2.
struct STOMPSession: GatewaySession {
    static let mostSubscriptions = 64
    /// Commands that wait for the node, as it sends no faster than its pace.
    static let mostRequests = 1_024
    /// The shortest time in which a heart-beat is sent, and the time in which one is wanted.
    private static let beats: (sent: Int, wanted: Int) = (1_000, 10_000)
    /// A client without a token is let go.
    private static let patience = Duration.seconds(10)

    struct Subscription: Hashable, Sendable {
        let id: String
        /// As the client named it.
        let destination: String
        let place: STOMPDestination
        let wantsAck: Bool
    }

    /// The reaction to the end of a command.
    enum Request: Hashable, Sendable {
        case receipt(String?)
        case subscription(Subscription, receipt: String?)
    }

    enum Phase: Hashable, Sendable { case connecting, connected, over }

    let token: WebToken
    /// Whether the token was in the head of the WebSocket.
    let isAuthorized: Bool
    private(set) var phase = Phase.connecting
    private var decoder = STOMPDecoder()
    var subscriptions: [Subscription] = []
    var requests: [Int: Request] = [:]
    var lastRequest = 0
    var lastMessage = 0
    private var sending: (period: Duration, next: Instant)?
    private var hearing: (period: Duration, end: Instant)?

    init(_ token: WebToken, isAuthorized: Bool = false, at now: Instant) {
        (self.token, self.isAuthorized) = (token, isAuthorized)
        hearing = (STOMPSession.patience, now + STOMPSession.patience)
    }

    var deadline: Instant? {
        guard phase != .over else { return nil }
        return [sending?.next, hearing?.end].compactMap(\.self).min()
    }

    mutating func tick(at now: Instant) -> [GatewayEffect] {
        guard phase != .over else { return [] }
        if let hearing, now >= hearing.end { return fail("no heart-beat came") }
        guard let sending, now >= sending.next else { return [] }
        self.sending?.next = now + sending.period
        return [.send([0x0a])]
    }

    mutating func receive(_ input: [UInt8], at now: Instant) -> [GatewayEffect] {
        guard phase != .over else { return [] }
        if phase == .connected, let hearing { self.hearing?.end = now + hearing.period }
        decoder.feed(input)
        var effects: [GatewayEffect] = []
        do throws(STOMPFault) {
            while phase != .over, let frame = try decoder.next() { effects += react(to: frame, at: now) }
        } catch {
            effects += fail(error.message)
        }
        if !effects.isEmpty, let sending { self.sending?.next = now + sending.period }
        return effects
    }

    private mutating func react(to frame: STOMPFrame, at now: Instant) -> [GatewayEffect] {
        switch (phase, frame.command) {
        case (.connecting, "CONNECT"), (.connecting, "STOMP"): return connect(frame, at: now)
        case (.connecting, _): return fail("CONNECT comes first", to: frame)
        case (_, "SUBSCRIBE"): return subscribe(frame)
        case (_, "UNSUBSCRIBE"):
            guard let id = frame["id"], subscriptions.contains(where: { $0.id == id }) else {
                return fail("there is no subscription of this id", to: frame)
            }
            subscriptions.removeAll { $0.id == id }
            return receipt(frame["receipt"])
        case (_, "SEND"): return send(frame)
        case (_, "ACK"), (_, "NACK"): return receipt(frame["receipt"])
        case (_, "DISCONNECT"):
            phase = .over
            return receipt(frame["receipt"]) + [.close]
        case (_, "BEGIN"), (_, "COMMIT"), (_, "ABORT"): return fail("there are no transactions", to: frame)
        case (_, _): return fail("there is no command of this name", to: frame)
        }
    }

    private mutating func connect(_ frame: STOMPFrame, at now: Instant) -> [GatewayEffect] {
        let versions = (frame["accept-version"] ?? "1.0").split(separator: ",").map {
            $0.split(separator: " ").joined()
        }
        guard let version = ["1.2", "1.1"].first(where: versions.contains) else {
            phase = .over
            let text = Array("Supported protocol versions are 1.1 1.2".utf8)
            let headers: [(String, String?)] = [("version", "1.1,1.2"), ("content-type", "text/plain")]
            return [.send(STOMPFrame("ERROR", headers, body: text).bytes), .close]
        }
        guard isAuthorized || hasToken(frame) else { return [.refused] + fail("the token is missing or wrong") }
        let beats = (frame["heart-beat"] ?? "0,0").split(separator: ",").map { Int($0) ?? -1 }
        guard beats.count == 2, beats.allSatisfy({ (0...86_400_000).contains($0) }) else {
            return fail("a heart-beat is two numbers of milliseconds")
        }
        (sending, hearing) = (nil, nil)
        if beats[1] > 0 {
            let period = Duration.milliseconds(max(STOMPSession.beats.sent, beats[1]))
            sending = (period, now + period)
        }
        if beats[0] > 0 {
            // Twice the time: a heart-beat may come late.
            let period = Duration.milliseconds(2 * max(STOMPSession.beats.wanted, beats[0]))
            hearing = (period, now + period)
        }
        phase = .connected
        return [
            .send(
                STOMPFrame(
                    "CONNECTED",
                    [
                        ("version", version), ("heart-beat", "\(STOMPSession.beats.sent),\(STOMPSession.beats.wanted)"),
                        ("server", "earshot/\(Version.current)"),
                    ]
                ).bytes)
        ]
    }

    private func hasToken(_ frame: STOMPFrame) -> Bool {
        if let given = frame["passcode"], token.isEqual(to: given) { return true }
        guard let field = frame["Authorization"] ?? frame["authorization"] else { return false }
        return token.isEqual(to: field.lowercased().hasPrefix("bearer ") ? String(field.dropFirst(7)) : field)
    }

    func receipt(_ id: String?) -> [GatewayEffect] {
        guard let id else { return [] }
        return [.send(STOMPFrame("RECEIPT", [("receipt-id", id)]).bytes)]
    }

    /// An ERROR, behind which the connection is closed.
    mutating func fail(_ message: String, to frame: STOMPFrame? = nil, code: String? = nil) -> [GatewayEffect] {
        fail(message, receipt: frame?["receipt"], code: code)
    }

    mutating func fail(_ message: String, receipt: String?, code: String?) -> [GatewayEffect] {
        phase = .over
        let shown = DisplayGuard.safe(message)
        let headers: [(String, String?)] = [
            // Some clients stop at a second colon.
            ("message", shown.split(separator: ":").joined(separator: " ")), ("receipt-id", receipt), ("code", code),
            ("content-type", "text/plain"),
        ]
        return [.send(STOMPFrame("ERROR", headers, body: Array(shown.utf8)).bytes), .close]
    }
}
