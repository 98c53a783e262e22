import Chat
import Noise
import Wire

/// The deadlines of one link (Protocol.md section 11), and the pings that keep it alive and measure it.
struct LinkTiming {
    enum Due {
        case ping
        /// A ping whose answer decides whether the link is dead.
        case probe
        /// A look whether the peer reads.
        case look
        case end(LinkError)
    }

    static let nonceLength = 8

    private(set) var roundTrip: Duration?
    private let startedAt: Instant
    private let role: Link.Role
    private var openedAt: Instant?
    private(set) var lastReceived: Instant
    private var hasReceivedRecord = false
    private var recordBegunAt: Instant?
    /// Ends the link unless a record arrives before; set when our network has changed.
    private var probeDeadline: Instant?
    /// A record was read after the link should have died: the machine slept, and the record may be from before.
    private var isProbeDue = false
    /// Silence before a ping. Redrawn for each ping, so that an observer can not tell nodes apart by their rhythm.
    private var idleInterval: Duration
    /// The last ping, until its pong arrives: it measures the round trip.
    private var pingUnderWay: (nonce: [UInt8], sentAt: Instant)?
    /// No record has arrived since the last ping, so no further one is sent.
    private var isPingOutstanding = false
    private var answers: TokenBucket
    /// Set while the queue is held up.
    private var reader: SlowReader?

    init(role: Link.Role, now: Instant, using randomness: inout Randomness) {
        self.role = role
        startedAt = now
        lastReceived = now
        answers = TokenBucket(
            Rate(perSecond: Limits.answeredPingsPerSecond, burst: Limits.answeredPingsBurst), now: now)
        idleInterval = LinkTiming.drawInterval(using: &randomness)
    }

    mutating func opened(at now: Instant) {
        openedAt = now
    }

    mutating func receivedRecord(at now: Instant) {
        hasReceivedRecord = true
        if now >= lastReceived + Limits.linkDeadAfter { isProbeDue = true }
        lastReceived = now
        recordBegunAt = nil
        probeDeadline = nil
        isPingOutstanding = false
    }

    /// The input is used up; a part of a record may be left.
    mutating func receivedRest(at now: Instant, isMidRecord: Bool) {
        recordBegunAt = isMidRecord ? recordBegunAt ?? now : nil
    }

    func deadline(isOpen: Bool) -> Instant {
        guard isOpen, let openedAt else { return handshakeDeadline }
        if isProbeDue { return lastReceived }
        let ping = lastReceived + (isPingOutstanding ? Limits.linkDeadAfter : idleInterval)
        let record = recordBegunAt.map { $0 + Limits.recordTime } ?? ping
        let look = reader?.lookAt ?? ping
        // Two by two: more at once go through an array.
        return min(min(min(ping, record), look), min(probeDeadline ?? ping, openedAt + Limits.sessionLifetime))
    }

    func due(now: Instant, isOpen: Bool) -> Due? {
        guard now >= deadline(isOpen: isOpen) else { return nil }
        guard isOpen, let openedAt else { return .end(.handshakeTimeout) }
        if let recordBegunAt, now >= recordBegunAt + Limits.recordTime { return .end(.recordTimeout) }
        if now >= lastReceived + Limits.linkDeadAfter { return .end(.silent) }
        if let probeDeadline, now >= probeDeadline { return .end(.unanswered) }
        if now >= openedAt + Limits.sessionLifetime { return .end(.expired) }
        if isProbeDue { return .probe }
        if let reader, now >= reader.lookAt { return .look }
        return .ping
    }

    /// A ping frame; its answer is a round trip.
    mutating func ping(now: Instant, using randomness: inout Randomness) -> [UInt8] {
        let nonce = randomness.bytes(LinkTiming.nonceLength)
        idleInterval = LinkTiming.drawInterval(using: &randomness)
        pingUnderWay = (nonce, now)
        isPingOutstanding = true
        return [FrameType.ping.rawValue] + nonce
    }

    /// Whether a ping is answered: false above `Limits.answeredPingsPerSecond`.
    mutating func mayAnswer(at now: Instant) -> Bool {
        answers.takeTokens(now: now)
    }

    /// The link is dead unless a record arrives within `timeout`.
    mutating func probe(at now: Instant, within timeout: Duration) {
        isProbeDue = false
        probeDeadline = Instant.earlier(probeDeadline, now + timeout)
    }

    mutating func ponged(_ nonce: ArraySlice<UInt8>, now: Instant) {
        guard let (sent, sentAt) = pingUnderWay, nonce.elementsEqual(sent) else { return }
        roundTrip = now - sentAt
        pingUnderWay = nil
    }

    /// Whether a look at the peer's reading is to come.
    var isWatchingReader: Bool { reader != nil }

    /// The queue is held up from now on.
    ///
    /// - Parameter acknowledged: the bytes that the peer's machine has acknowledged so far.
    mutating func watchReader(acknowledged: Int, at now: Instant) {
        reader = SlowReader(acknowledged: acknowledged, now: now)
    }

    /// The queue is held up no longer.
    mutating func readerCaughtUp() {
        reader = nil
    }

    /// Looks at a peer while the queue is held up; false if it has taken nothing for too long.
    mutating func look(acknowledged: Int, at now: Instant) -> Bool {
        reader?.look(acknowledged: acknowledged, at: now) ?? true
    }

    /// A dialler that has not sent its first message gets less time than a handshake under way.
    private var handshakeDeadline: Instant {
        let isWaitingForFirst = role == .responder && !hasReceivedRecord
        return startedAt + (isWaitingForFirst ? Limits.firstHandshakeMessageTime : Limits.handshakeTime)
    }

    private static func drawInterval(using randomness: inout Randomness) -> Duration {
        Limits.pingAfterIdle + .random(in: .zero...Limits.pingJitter, using: &randomness)
    }
}

extension Limits {
    /// From a connection to the whole of message 1. A longer one lets silent connections hold their places; a shorter
    /// one refuses peers on slow networks.
    static let firstHandshakeMessageTime = Duration.seconds(2)
    /// From a connection to the end of its handshake. A longer one lets peers that stop halfway hold their places; a
    /// shorter one refuses slow machines.
    static let handshakeTime = Duration.seconds(5)
    /// From the first byte of a record to its last. A longer one lets a peer hold a link with half a record; a shorter
    /// one ends links that lose packets.
    static let recordTime = Duration.seconds(5)
    /// Silence after which a ping is sent: as late as leaves its answer 15 s before the link counts as dead. A shorter
    /// one costs idle links more, which carry little else; a longer one leaves no time for the answer.
    static let pingAfterIdle = Duration.seconds(45)
    /// A random time on top, drawn for each ping. With a longer one, the answer may come too late; with a shorter one,
    /// pings of many links come in step, and an observer recognises a node's links by their rhythm.
    static let pingJitter = Duration.seconds(15)
    /// Pings that are answered on a link, per second in the long run; others are ignored. Far more than an honest peer
    /// sends; more cost the node traffic, and with fewer, tools that measure round trips lose some.
    static let answeredPingsPerSecond = 100.0
    /// As many at once, with the same consequences.
    static let answeredPingsBurst = 1_000.0
    /// Silence after which a link is dead. A longer one shows peers as here that are gone; a shorter one ends links of
    /// machines that were busy or lost packets.
    static let linkDeadAfter = Duration.seconds(75)
    /// Silence after which a link is dead once the own network has changed or the machine has slept: five times what TCP sends again on a link
    /// that loses much. A longer one delays the new links; a shorter one ends links that survived.
    static let probeTimeout = Duration.seconds(6)
    /// Age at which a link is replaced by one with fresh keys. With a longer one, a key that leaks opens more; a
    /// shorter one costs handshakes, in which payloads may be delayed.
    static let sessionLifetime = Duration.seconds(6 * 3_600)
}
