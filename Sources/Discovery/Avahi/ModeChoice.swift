import ChatNode
import Wire

/// Decides which Avahi is used, and what is said about it.
///
/// The embedded one speaks wherever no daemon is known to answer; the daemon is taken up as soon as it holds our
/// records, and only then the embedded one falls silent, so that we are never away in between.
struct ModeChoice {
    /// The state of one Avahi.
    enum Availability: Equatable {
        /// Nothing is known yet.
        case unknown
        /// It answers, but does not have our records yet.
        case answering
        /// It has our records.
        case serving
        /// Why it can not be used.
        case unusable(String)
    }

    enum Order: Equatable {
        case openEmbedded
        case closeEmbedded
        case tell(DiscoveryMode, String)
        /// The daemon was asked for, and there is no way to any.
        case fail(String)
    }

    let policy: SharedDiscovery.Policy
    private(set) var daemon: Availability = .unknown
    private(set) var embedded: Availability = .unknown
    private(set) var isEmbeddedOpen = false
    private var told: DiscoveryMode?
    /// Whether the daemon, or its absence on the bus, has been seen.
    private var hasBus = false

    init(policy: SharedDiscovery.Policy) {
        self.policy = policy
    }

    mutating func began() -> [Order] { settle() }

    mutating func daemonIs(_ availability: Availability) -> [Order] {
        hasBus = true
        daemon = availability
        return settle()
    }

    /// There is no bus, or no library to use it: a failure where no other Avahi may be used, unless a bus was there before.
    mutating func daemonIsOutOfReach(_ reason: String) -> [Order] {
        if policy == .daemon, !hasBus { return [.fail(reason)] }
        daemon = .unusable(reason)
        return settle()
    }

    mutating func embeddedIs(_ availability: Availability) -> [Order] {
        guard isEmbeddedOpen else { return [] }
        embedded = availability
        return settle()
    }

    /// The daemon has had its time to answer first.
    mutating func patienceEnded() -> [Order] {
        guard daemon == .unknown else { return [] }
        daemon = .unusable("the Avahi daemon does not answer")
        return settle()
    }

    private var wantsEmbedded: Bool {
        switch (policy, daemon) {
        case (.embedded, _), (.automatic, .unusable): true
        case (.automatic, .answering): isEmbeddedOpen
        case (.daemon, _), (.automatic, .unknown), (.automatic, .serving): false
        }
    }

    private mutating func settle() -> [Order] {
        var orders: [Order] = []
        if wantsEmbedded != isEmbeddedOpen {
            isEmbeddedOpen = wantsEmbedded
            embedded = .unknown
            orders.append(wantsEmbedded ? .openEmbedded : .closeEmbedded)
        }
        if let (mode, detail) = current, mode != told {
            told = mode
            orders.append(.tell(mode, detail))
        }
        return orders
    }

    /// Nil while the answer is a matter of milliseconds.
    private var current: (DiscoveryMode, String)? {
        let isDaemonUsed = daemon == .serving || daemon == .answering && !isEmbeddedOpen
        if policy != .embedded, isDaemonUsed { return (.daemon, "through the Avahi daemon") }
        switch policy {
        case .daemon:
            guard case .unusable(let reason) = daemon else { return nil }
            return (.none, "waiting for the Avahi daemon: \(reason)")
        case .automatic, .embedded:
            return currentOfEmbedded
        }
    }

    private var currentOfEmbedded: (DiscoveryMode, String)? {
        switch embedded {
        case .unknown, .answering: return nil
        case .unusable(let reason): return (.none, "mDNS can not be used: \(reason)")
        case .serving:
            guard case .unusable(let reason) = daemon else {
                return (.embedded, "this program answers and asks mDNS itself")
            }
            return (.embedded, "\(reason), so this program answers and asks mDNS itself")
        }
    }
}
