import ChatNode
import Wire

/// How far one listing has been resolved.
struct Lookup {
    enum Phase {
        /// Not asked yet, or answered.
        case idle
        /// For a free resolver.
        case waiting
        /// Until the deadline, or until the resolver gives up by itself.
        case resolving(deadline: Instant?)
        case failed(retry: Instant)
    }

    var phase: Phase = .idle
    /// Failures in a row.
    var attempt = 0
    /// The answer that holds; also while it is asked for again.
    var endpoint: Endpoint?
    /// The number of nodes that the endpoint stands for; 0 unless a packet from its address gave it.
    private(set) var weight = 0
    /// The time at which the listing ends, since no source lists it any more.
    var expires: Instant?
    let listedAt: Instant
    /// It was heard of, with its endpoint, but not listed yet.
    var isOnlyHeard = false

    init(listedAt: Instant) { self.listedAt = listedAt }

    /// It is not listed, and if it is not until then, it ends.
    mutating func heard(until expires: Instant) { (self.expires, isOnlyHeard) = (expires, true) }

    mutating func answered(_ endpoint: Endpoint, weight: Int = 0) {
        if weight > 0 || endpoint != self.endpoint { self.weight = weight }
        self.endpoint = endpoint
        phase = .idle
        attempt = 0
    }

    /// Whether a heard endpoint tells more than is known. Any host can name any endpoint, so a known one is replaced only by
    /// one that is proven; and an announcement, which comes whenever its sender likes, takes no weight from one that was drawn.
    func isImproved(by endpoint: Endpoint, _ weight: Int) -> Bool {
        guard let known = self.endpoint, known == endpoint else { return self.endpoint == nil || weight > 0 }
        return Lookup.isNews(weight, after: self.weight)
    }

    /// Whether an endpoint has another weight from now on.
    static func isNews(_ weight: Int, after known: Int) -> Bool { weight != known && weight > min(known, 1) }

    var isIdle: Bool {
        switch phase {
        case .idle: true
        case .waiting, .resolving, .failed: false
        }
    }

    var isResolving: Bool {
        switch phase {
        case .resolving: true
        case .idle, .waiting, .failed: false
        }
    }

    var isWaiting: Bool {
        switch phase {
        case .waiting: true
        case .idle, .resolving, .failed: false
        }
    }

    var deadline: Instant? {
        switch phase {
        case .resolving(let deadline): deadline
        case .idle, .waiting, .failed: nil
        }
    }

    var retry: Instant? {
        switch phase {
        case .failed(let retry): retry
        case .idle, .waiting, .resolving: nil
        }
    }

    /// The family of the listing itself first; then whatever there is, and each family in turn, as an answer may be an
    /// address that is not on the link while the other one is.
    ///
    /// Of what we heard by IPv6 ourselves whatever there is goes first: who has an IPv4 address mostly publishes no other, and an
    /// answer would be waited for in vain. A daemon it would cost more than it saves: it looks for both families at once.
    func wantedFamily(of listing: Listing) -> Family? {
        let isAnyFirst = listing.source == .embedded && listing.family == .ipv6
        if attempt == 0 { return isAnyFirst ? nil : listing.family }
        let turns: [Family?] = isAnyFirst ? [.ipv6, .ipv4, nil] : [nil, .ipv4, .ipv6]
        return turns[(attempt - 1) % turns.count]
    }

    /// None after the quick lookup, then growing.
    var pause: Duration {
        guard attempt > 0 else { return .zero }
        return min(InstanceTable.firstRetry * (1 << min(attempt - 1, 10)), InstanceTable.lastRetry)
    }
}

/// When lookups are due next.
struct LookupAgenda {
    private(set) var earliest: Instant?

    mutating func record(_ instant: Instant) { earliest = .earlier(earliest, instant) }

    /// - Parameter isSettled: whether their instance has an endpoint, so that none is tried again.
    mutating func record(_ lookups: some Sequence<Lookup>, isSettled: Bool) {
        for lookup in lookups {
            let retry = isSettled ? nil : lookup.retry
            for instant in [lookup.expires, lookup.deadline, retry] { if let instant { record(instant) } }
        }
    }
}
