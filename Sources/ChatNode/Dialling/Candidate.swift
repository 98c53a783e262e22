import Noise
import Wire

/// An instance that discovery names and that can perhaps be dialled.
struct Candidate {
    enum Phase: Equatable {
        case waiting(until: Instant)
        /// Its addresses are dialled in turn: the index of the next, when, and the connections under way.
        case dialling(next: Int, at: Instant?, open: [ConnectionID])
        /// One connection is up, its handshake is under way.
        case handshaking(ConnectionID)
        case linked
        /// Its peer is blocked: no dial until it is admitted.
        case shutOut
        /// Its run has said that it leaves: no dial.
        case departed
        /// It is ourselves.
        case ignored
    }

    /// Nil for a candidate that the user named by its address.
    let name: InstanceName?
    private(set) var endpoints: [Endpoint]
    var phase: Phase
    var backoff = Backoff(from: .milliseconds(500), to: .seconds(60))
    /// The peer that a handshake has proven at its addresses, or that its name belongs to.
    private(set) var peer: PeerID?
    /// True if only its addresses name `peer`: another address may lead to another peer.
    private var isKnownByAddress = false
    /// The number of the latest link whose peer is known not to own the name.
    var comparedTo = 0
    /// The time at which discovery stopped naming it; nil while it does.
    var lostAt: Instant?

    /// More addresses than a machine of a few interfaces has are not worth dialling.
    static let mostEndpoints = 8

    init(name: InstanceName?, endpoint: Endpoint, dialAt: Instant) {
        self.name = name
        endpoints = [endpoint]
        phase = .waiting(until: dialAt)
    }

    /// Its peer is known and has a link.
    mutating func markLinked(to known: PeerID, byAddress: Bool = false) {
        peer = known
        isKnownByAddress = byAddress
        phase = .linked
    }

    /// Its peer is known and blocked.
    mutating func markShutOut(as known: PeerID) {
        peer = known
        phase = .shutOut
    }

    /// Its peer is blocked no longer.
    mutating func admit(now: Instant) {
        guard case .shutOut = phase else { return }
        backoff.reset()
        phase = .waiting(until: now)
    }

    /// True if a handshake with `key` satisfies this candidate. A candidate known only by address accepts any key.
    func accepts(_ key: PublicKey) -> Bool { name?.belongs(to: key) ?? true }

    var deadline: Instant? {
        switch phase {
        case .waiting(let until): until
        case .dialling(_, let at, _): at
        case .handshaking, .linked, .shutOut, .departed, .ignored: nil
        }
    }

    var isBusy: Bool {
        switch phase {
        case .dialling, .handshaking: true
        case .waiting, .linked, .shutOut, .departed, .ignored: false
        }
    }

    /// Its run has said that it leaves, and no later run has its name. Dials under way end by themselves.
    mutating func depart() { phase = .departed }

    private var hasDeparted: Bool { phase == .departed }

    /// Whether it is kept when discovery names it no more.
    var isWorthKeeping: Bool { isBusy || peer != nil && !hasDeparted }

    func isForgotten(now: Instant) -> Bool {
        guard let lostAt, !isBusy else { return false }
        return peer == nil || now >= lostAt + Dialler.memoryOfTheLost
    }

    /// It is chosen: it is dialled now, whatever failed before.
    mutating func hasten(now: Instant) {
        guard case .waiting(let until) = phase else { return }
        phase = .waiting(until: min(until, now))
    }

    /// A new address, or a candidate that is back, is a reason to try at once.
    mutating func recordSighting(at endpoint: Endpoint, again soon: Instant) {
        let isNew = !endpoints.contains(endpoint)
        if isNew {
            // The newest addresses are the likeliest to work.
            if endpoints.count >= Candidate.mostEndpoints { endpoints.removeFirst() }
            endpoints.append(endpoint)
            endpoints.sort { Candidate.rank($0) < Candidate.rank($1) }
        }
        let isBack = lostAt != nil
        lostAt = nil
        if isNew, isKnownByAddress {
            (peer, isKnownByAddress) = (nil, false)
            if case .linked = phase { phase = .waiting(until: soon) }
        }
        guard isNew || isBack, case .waiting(let until) = phase else { return }
        backoff.reset()
        phase = .waiting(until: min(until, soon))
    }

    /// Replaces its endpoints, as after a new lookup of a host name, and dials them at once unless it has a link.
    mutating func replaceEndpoints(_ new: [Endpoint], dialAt: Instant) {
        let known = Set(endpoints)
        endpoints = new.prefix(Candidate.mostEndpoints).sorted { Candidate.rank($0) < Candidate.rank($1) }
        guard Set(endpoints) != known else { return }
        backoff.reset()
        switch phase {
        case .waiting(let until): phase = .waiting(until: min(until, dialAt))
        case .dialling(_, _, let open): phase = .dialling(next: 0, at: dialAt, open: open)
        case .handshaking, .linked, .shutOut, .departed, .ignored: break
        }
    }

    /// The endpoint whose turn has come, of those that are not passed over; nil if there is none.
    mutating func nextEndpoint(now: Instant, passing isPassed: (Endpoint) -> Bool) -> Endpoint? {
        let (index, open): (Int, [ConnectionID]) =
            switch phase {
            case .dialling(let next, _, let connections): (next, connections)
            case .waiting, .handshaking, .linked, .shutOut, .departed, .ignored: (0, [])
            }
        func firstWanted(from index: Int) -> Int? { endpoints[index...].firstIndex { !isPassed($0) } }
        guard let turn = firstWanted(from: index) else {
            phase =
                open.isEmpty
                ? .waiting(until: now + Dialler.crowdedAddressPause)
                : .dialling(next: endpoints.count, at: nil, open: open)
            return nil
        }
        let next = firstWanted(from: turn + 1)
        phase = .dialling(
            next: next ?? endpoints.count, at: next.map { _ in now + Dialler.addressInterval }, open: open)
        return endpoints[turn]
    }

    /// The address whose turn it was is not dialled; where no other is, all of it comes later.
    mutating func skipped(until later: Instant) {
        guard case .dialling(_, nil, let open) = phase, open.isEmpty else { return }
        phase = .waiting(until: later)
    }

    /// Whether no other address is being dialled or waits for its turn.
    func isLastAttempt(_ connection: ConnectionID) -> Bool {
        switch phase {
        case .dialling(let next, _, let open): open == [connection] && next >= endpoints.count
        // The slower ones were abandoned.
        case .handshaking(let dialled): dialled == connection
        case .waiting, .linked, .shutOut, .departed, .ignored: false
        }
    }

    mutating func failed(
        _ connection: ConnectionID, now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        switch phase {
        case .dialling(let next, let at, let open):
            let others = open.filter { $0 != connection }
            if others.isEmpty, next >= endpoints.count {
                pause(now: now, using: &generator)
            } else {
                // Nothing under way any more: the next address need not wait for its turn.
                phase = .dialling(next: next, at: others.isEmpty ? now : at, open: others)
            }
        case .handshaking(connection):
            pause(now: now, using: &generator)
        case .handshaking, .waiting, .linked, .shutOut, .departed, .ignored:
            break
        }
    }

    /// It is dialled no sooner than then.
    mutating func rest(until earliest: Instant) {
        guard case .waiting(let until) = phase else { return }
        phase = .waiting(until: max(until, earliest))
    }

    mutating func linkClosed(now: Instant, using generator: inout some RandomNumberGenerator) {
        guard case .linked = phase else { return }
        pause(now: now, using: &generator)
    }

    mutating func pause(now: Instant, using generator: inout some RandomNumberGenerator) {
        phase = .waiting(until: now + backoff.next(using: &generator))
    }

    /// IPv6 that is valid beyond the link first, then IPv4, then link-local.
    private static func rank(_ endpoint: Endpoint) -> Int {
        endpoint.isLinkLocalIPv6 ? 2 : endpoint.isIPv4 ? 1 : 0
    }
}
