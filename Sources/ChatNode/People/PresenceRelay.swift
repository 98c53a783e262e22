import Chat
import Noise
import Wire

/// Presences that wait to be passed on together, and the next time to sign our own (Protocol.md section 13).
struct PresenceRelay {
    /// Authors whose presence is to be passed on, with the link that it came by; nil for one that came from a broker.
    private var waiting: [PeerID: ConnectionID?] = [:]
    private var order: [PeerID] = []
    private var flushesAt: Instant?
    /// Our own presence, as it was signed last: it is the same on each new link, so that it is news only once.
    private(set) var own: VerifiedPayload?
    private var signsAt: Instant?
    /// The room is small: presences are signed more often, because they hold for a shorter time.
    var isSmall = false

    var nextDeadline: Instant? { Instant.earlier(flushesAt, signsAt) }

    /// Gathers a presence that is to be passed on.
    mutating func pass(_ author: PeerID, from link: ConnectionID?, now: Instant, using randomness: inout Randomness) {
        if waiting.updateValue(link, forKey: author) == nil { order.append(author) }
        guard flushesAt == nil else { return }
        let least = Limits.presenceGathering / 2
        flushesAt = now + .random(in: least...Limits.presenceGathering, using: &randomness)
    }

    /// The authors whose presences are due, in the order in which they came.
    mutating func takeDue(now: Instant) -> [(author: PeerID, from: ConnectionID?)] {
        guard let flushesAt, flushesAt <= now else { return [] }
        return takeAll()
    }

    /// The authors whose presences wait, due or not, in the order in which they came.
    mutating func takeAll() -> [(author: PeerID, from: ConnectionID?)] {
        defer { (waiting, order, flushesAt) = ([:], [], nil) }
        return order.compactMap { author in waiting[author].map { (author, $0) } }
    }

    /// Our own presence was signed.
    mutating func recordSigned(_ payload: VerifiedPayload, now: Instant, using randomness: inout Randomness) {
        own = payload
        let jitter = isSmall ? Limits.gapPresenceJitter : Limits.presenceJitter
        let interval = isSmall ? Limits.gapPresenceInterval : Limits.presenceInterval
        signsAt = now + (interval - jitter) + .random(in: .zero...jitter * 2, using: &randomness)
    }

    /// True once our own presence has to be signed again.
    func isSigningDue(now: Instant) -> Bool { signsAt.map { $0 <= now } ?? false }

    mutating func end() { self = PresenceRelay() }
}

extension Limits {
    /// In a crowd, between two presences of a peer that nothing has changed about. A shorter one costs all nodes
    /// traffic; a longer one needs a longer `presenceLifetime`.
    static let presenceInterval = Duration.seconds(600)
    /// How much less or more that is, at random. A smaller one lets peers that came together renew in step.
    static let presenceJitter = Duration.seconds(60)
    /// The longest that presences are gathered before they are passed on; half of it at least. A longer one delays
    /// arrivals at each hop; a shorter one puts fewer presences into one record.
    static let presenceGathering = Duration.milliseconds(500)
    /// The interval of presences in a small room with gaps. A shorter one costs traffic; a longer one needs a longer
    /// `gapPresenceLifetime`.
    static let gapPresenceInterval = Duration.seconds(30)
    /// How much less or more that is, at random. A smaller one lets peers renew in step.
    static let gapPresenceJitter = Duration.seconds(5)
}
