import Chat
import Noise
import Wire

/// The deadlines of one link (Protocol.md section 11), and the pings that keep it alive and measure it.
struct LinkTiming {
    enum Due {
        case ping
        /// A ping whose answer decides whether the link is dead.
        case probe
        /// The keys are to be replaced: the initiator's part.
        case renewal
        /// A look whether the peer reads.
        case look
        case end(LinkError)
    }

    static let nonceLength = 8

    private(set) var roundTrip: Duration?
    private let startedAt: Instant
    private let role: Link.Role
    /// When the initiator begins to replace the keys; nil before the link is open, for the responder, and while it does.
    var renewAt: Instant?
    /// When the link ends, unless its keys are replaced before; nil before it is open.
    private var expiresAt: Instant?
    /// The age and the records at which the initiator replaces the present keys. Redrawn with each new keys, so that the links of a
    /// node that began together do not do so together.
    private var keyAge: Duration
    private var keyRecords: UInt64
    /// New handshakes that the responder answers, whatever the records.
    private var renewals: TokenBucket
    private(set) var lastReceived: Instant
    private var hasReceivedRecord = false
    private var recordBegunAt: Instant?
    /// Ends the link unless a record arrives before; set when our network has changed.
    private var probeDeadline: Instant?
    /// A probe that is to be sent, and within which time it is to be answered.
    private var probe: (at: Instant, timeout: Duration)?
    /// Silence before a ping. Redrawn for each ping, so that an observer can not tell nodes apart by their rhythm.
    private var idleInterval: Duration
    /// The last ping, until its pong arrives: it measures the round trip.
    private var pingUnderWay: (nonce: [UInt8], sentAt: Instant)?
    /// When the last ping was sent; nil before the first.
    private var lastPing: Instant?
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
        renewals = TokenBucket(
            Rate(perSecond: 1 / Limits.renewalInterval, burst: Limits.renewalsBurst), now: now)
        idleInterval = LinkTiming.drawInterval(using: &randomness)
        (keyAge, keyRecords) = LinkTiming.drawKeyLife(using: &randomness)
    }

    mutating func opened(at now: Instant) {
        renewAt = role == .initiator ? now + keyAge : nil
        expiresAt = now + Limits.keyLifetime
    }

    /// The keys were replaced.
    mutating func beginKeys(at now: Instant, using randomness: inout Randomness) {
        (keyAge, keyRecords) = LinkTiming.drawKeyLife(using: &randomness)
        opened(at: now)
    }

    /// The initiator has begun to replace the keys.
    mutating func didBeginRenewal() { renewAt = nil }

    /// Whether a new handshake is answered: false if there was one lately, and few records since.
    mutating func mayRenew(after records: UInt64, at now: Instant) -> Bool {
        records >= Limits.recordsPerHandshake / 2 || renewals.takeTokens(now: now)
    }

    /// Looks whether the keys have sealed so many records that they are to be replaced, or have ended.
    ///
    /// - Returns: true if a deadline is an earlier one now.
    mutating func countRecords(_ records: UInt64, at now: Instant) -> Bool {
        guard records >= keyRecords else { return false }
        let hasEnded = records >= Limits.recordsPerHandshake
        let isEarlier = renewAt.map { now < $0 } ?? false || hasEnded && expiresAt.map { now < $0 } ?? false
        renewAt = renewAt.map { min($0, now) }
        if hasEnded { expiresAt = expiresAt.map { min($0, now) } }
        return isEarlier
    }

    mutating func receivedRecord(at now: Instant) {
        hasReceivedRecord = true
        // The machine slept, and the record may be from before.
        if now >= lastReceived + Limits.linkDeadAfter { requestProbe(at: now, within: Limits.probeTimeout) }
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
        guard isOpen, let expiresAt else { return handshakeDeadline }
        let ping = lastReceived + (isPingOutstanding ? Limits.linkDeadAfter : idleInterval)
        let record = recordBegunAt.map { $0 + Limits.recordTime } ?? ping
        let look = reader?.lookAt ?? ping
        // Two by two: more at once go through an array.
        let keys = min(renewAt ?? expiresAt, expiresAt)
        return min(min(min(ping, record), look), min(min(probe?.at ?? ping, probeDeadline ?? ping), keys))
    }

    func due(now: Instant, isOpen: Bool) -> Due? {
        guard now >= deadline(isOpen: isOpen) else { return nil }
        guard isOpen, let expiresAt else { return .end(.handshakeTimeout) }
        if let recordBegunAt, now >= recordBegunAt + Limits.recordTime { return .end(.recordTimeout) }
        if now >= lastReceived + Limits.linkDeadAfter { return .end(.silent) }
        if let probeDeadline, now >= probeDeadline { return .end(.unanswered) }
        if now >= expiresAt { return .end(.expired) }
        if isProbeDue(at: now) { return .probe }
        if let renewAt, now >= renewAt { return .renewal }
        if let reader, now >= reader.lookAt { return .look }
        return .ping
    }

    /// A ping frame; its answer is a round trip.
    mutating func ping(now: Instant, using randomness: inout Randomness) -> [UInt8] {
        let nonce = randomness.bytes(LinkTiming.nonceLength)
        idleInterval = LinkTiming.drawInterval(using: &randomness)
        pingUnderWay = (nonce, now)
        lastPing = now
        isPingOutstanding = true
        return [FrameType.ping.rawValue] + nonce
    }

    /// Whether a ping is answered: false above `Limits.answeredPingsPerSecond`.
    mutating func mayAnswer(at now: Instant) -> Bool {
        answers.takeTokens(now: now)
    }

    /// Asks for a probe: at once, or a second after the last ping, so that the peer answers it.
    mutating func requestProbe(at now: Instant, within timeout: Duration) {
        let at = max(now, lastPing.map { $0 + Limits.pingSpacing } ?? now)
        probe = (min(probe?.at ?? at, at), min(probe?.timeout ?? timeout, timeout))
    }

    func isProbeDue(at now: Instant) -> Bool { probe.map { now >= $0.at } ?? false }

    /// A probe is sent: the link is dead unless a record arrives within its time.
    mutating func beginProbe(at now: Instant) {
        guard let probe = probe.take() else { return }
        probeDeadline = Instant.earlier(probeDeadline, now + probe.timeout)
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

    private static func drawKeyLife(using randomness: inout Randomness) -> (age: Duration, records: UInt64) {
        let age = Duration.random(in: Limits.shortestKeyAge...Limits.longestKeyAge, using: &randomness)
        let fewer = UInt64(randomness.next() % (Limits.recordsPerHandshake / 16))
        return (age, Limits.recordsPerHandshake - Limits.recordsPerHandshake / 16 - fewer)
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
    /// Pings that are answered on a link, per second in the long run; others are dropped. More let a member measure by the
    /// times of answers what the node does; with fewer, probes of a peer whose network changes often are not answered.
    static let answeredPingsPerSecond = 1.0
    /// As many at once, with the same consequences.
    static let answeredPingsBurst = 5.0
    /// The least time between two pings of ours on a link: a probe waits for it. With a shorter one, the peer does not
    /// answer all, and a probe without an answer ends a link that lives; a longer one delays the end of dead links.
    static let pingSpacing = Duration.seconds(1)
    /// Silence after which a link is dead. A longer one shows peers as here that are gone; a shorter one ends links of
    /// machines that were busy or lost packets.
    static let linkDeadAfter = Duration.seconds(75)
    /// Silence after which a link is dead once the own network has changed or the machine has slept: five times what TCP sends again on a link
    /// that loses much. A longer one delays the new links; a shorter one ends links that survived.
    static let probeTimeout = Duration.seconds(6)
    /// Age of its keys at which a link ends. With a longer one, a key that leaks opens more of what a peer sends that does
    /// not replace keys; a shorter one leaves less time for the handshake.
    static let keyLifetime = Duration.seconds(3_600)
    /// The least age at which the initiator replaces the keys. A lesser one costs handshakes; with one that is close to the
    /// longest, the links of a node that began together replace their keys together.
    static let shortestKeyAge = Duration.seconds(3_000)
    /// And the greatest. A greater one leaves less time for the handshake; a lesser one costs handshakes.
    static let longestKeyAge = Duration.seconds(3_480)
    /// Records in a direction at which a link ends. The initiator replaces the keys between an eighth and a sixteenth
    /// before. With more, a key that leaks opens more; with fewer, busy links have handshakes more often.
    static let recordsPerHandshake: UInt64 = 1_048_576
    /// Seconds between two new handshakes of a link that are answered whatever the records, in the long run. A shorter
    /// time lets a peer cost the node more work; a longer one refuses a peer whose clock stood still.
    static let renewalInterval = 600.0
    /// As many at once. With more, a peer costs more; with fewer, one that begins again is cut off.
    static let renewalsBurst = 2.0
}
