import Phrases

/// Named peers that no dial reaches. The user hears of each reason once, until a link shows that it is gone.
struct UnreachedPeers {
    /// Why no dial of a round led to a link; of several addresses the last of these reasons counts.
    enum Reason: Hashable, Comparable {
        /// No route leads to any address.
        case unrouted
        case failed(call: String, errno: Int32)
        case silent
        case refused
        /// Another program answers, or a node of another room or key.
        case foreign

        /// - Parameter error: that of a dial that did not connect; nil if it ended without one.
        init(_ error: TransportError?) {
            switch error {
            case .unreachable: self = .unrouted
            case .timedOut: self = .silent
            case .system(let call, let errno): self = .failed(call: call, errno: errno)
            case .refused, .reset, nil: self = .refused
            }
        }

        static func < (left: Reason, right: Reason) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .unrouted: 0
            case .failed: 1
            case .silent: 2
            case .refused: 3
            case .foreign: 4
            }
        }

        /// - Parameter peer: as the user named it.
        func sentence(of peer: String) -> Sentence {
            switch self {
            case .unrouted: Sentence(.unrouted, peer)
            case .failed(let call, let errno): Sentence(.unreachable, peer, "\(call): error \(errno)")
            case .silent: Sentence(.unanswered, peer)
            case .refused: Sentence(.portRefused, peer)
            case .foreign: Sentence(.portForeign, peer)
            }
        }
    }

    private struct Trouble {
        /// That of the addresses of this round of dials that have failed so far.
        var round: Reason?
        var told: Set<Reason> = []
        /// Whether the round before this one ended so: once may be a link that both ends made at the same time.
        var wasForeign = false
        /// A peer that was linked may leave; its absence is the only sign.
        var wasLinked = false
    }

    /// By instance; only peers that the user named are in it, so it is bounded.
    private var troubles: [String: Trouble] = [:]

    /// A dial of an address has failed. One address without a route means nothing while another may have one.
    ///
    /// - Parameter isLast: whether the round is over: no other address is being dialled or waits for its turn.
    /// - Returns: the reason for a warning to the user; nil for none.
    mutating func failed(_ instance: String, _ reason: Reason, isLast: Bool) -> Reason? {
        var trouble = troubles[instance] ?? Trouble()
        defer { troubles[instance] = trouble }
        let worst = max(trouble.round ?? reason, reason)
        trouble.round = isLast ? nil : worst
        if worst >= .refused { trouble.told.remove(.unrouted) }
        guard isLast else { return nil }
        let isRepeated = worst != .foreign || trouble.wasForeign
        trouble.wasForeign = worst == .foreign
        guard isRepeated, worst == .unrouted || !trouble.wasLinked else { return nil }
        return trouble.told.insert(worst).inserted ? worst : nil
    }

    /// A dial has connected: there is a route.
    mutating func connected(_ instance: String) { troubles[instance]?.told.remove(.unrouted) }

    /// A link to the peer is up.
    mutating func linked(_ instance: String) { troubles[instance] = Trouble(wasLinked: true) }
}
