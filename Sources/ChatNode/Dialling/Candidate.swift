import Noise
import Wire

/// Somebody whom discovery names and who can perhaps be dialled.
struct Candidate {
    enum Phase: Equatable {
        case waiting(until: Instant)
        /// Its addresses are dialled in turn: the index of the next, when, and the connections under way.
        case dialling(next: Int, at: Instant?, open: [ConnectionID])
        /// One connection stands, its handshake is under way.
        case handshaking(ConnectionID)
        /// It has a link.
        case settled
        /// It is ourselves, or unwanted.
        case ignored
    }

    /// Nil for one that discovery was told of by its address.
    let name: InstanceName?
    private(set) var endpoints: [Endpoint]
    var phase: Phase
    var backoff = Backoff(from: .milliseconds(500), to: .seconds(60))
    /// Whom a handshake has proven at its addresses, or to whom its name belongs; there was a link then.
    private(set) var peer: PeerID?
    /// Whether only its addresses say so: whoever comes by another address may be somebody else.
    private var isKnownByAddress = false
    /// The number of the latest link whose peer is known not to own the name.
    var comparedTo = 0
    /// When discovery stopped naming it; nil while it does.
    var lostAt: Instant?

    /// More addresses than a machine of a few interfaces has are not worth dialling.
    static let mostEndpoints = 8

    init(name: InstanceName?, endpoint: Endpoint, dialAt: Instant) {
        self.name = name
        endpoints = [endpoint]
        phase = .waiting(until: dialAt)
    }

    /// It is known who it is, and there is a link.
    mutating func settle(as known: PeerID, byAddress: Bool = false) {
        peer = known
        isKnownByAddress = byAddress
        phase = .settled
    }

    /// Whether whoever has this key is meant. Of one that was told of by its address that is whoever is there; others have a
    /// name, and nobody settles by having a handshake under the name of somebody else.
    func isMeant(_ key: PublicKey) -> Bool { name?.belongs(to: key) ?? true }

    var deadline: Instant? {
        switch phase {
        case .waiting(let until): until
        case .dialling(_, let at, _): at
        case .handshaking, .settled, .ignored: nil
        }
    }

    var isBusy: Bool {
        switch phase {
        case .dialling, .handshaking: true
        case .waiting, .settled, .ignored: false
        }
    }

    func isForgotten(now: Instant) -> Bool {
        guard let lostAt, !isBusy else { return false }
        return peer == nil || now >= lostAt + PeerTable.memoryOfTheLost
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
            if case .settled = phase { phase = .waiting(until: soon) }
        }
        guard isNew || isBack, case .waiting(let until) = phase else { return }
        backoff.reset()
        phase = .waiting(until: min(until, soon))
    }

    /// The endpoint whose turn has come, of those that are not passed over; nil if there is none.
    mutating func nextEndpoint(now: Instant, passing isPassed: (Endpoint) -> Bool) -> Endpoint? {
        let (index, open): (Int, [ConnectionID]) =
            switch phase {
            case .dialling(let next, _, let connections): (next, connections)
            case .waiting, .handshaking, .settled, .ignored: (0, [])
            }
        func firstWanted(from index: Int) -> Int? { endpoints[index...].firstIndex { !isPassed($0) } }
        guard let turn = firstWanted(from: index) else {
            phase =
                open.isEmpty
                ? .waiting(until: now + PeerTable.crowdedAddressPause)
                : .dialling(next: endpoints.count, at: nil, open: open)
            return nil
        }
        let next = firstWanted(from: turn + 1)
        phase = .dialling(
            next: next ?? endpoints.count, at: next.map { _ in now + PeerTable.addressInterval }, open: open)
        return endpoints[turn]
    }

    /// The address whose turn it was is not dialled; where no other is, all of it comes later.
    mutating func skipped(until later: Instant) {
        guard case .dialling(_, nil, let open) = phase, open.isEmpty else { return }
        phase = .waiting(until: later)
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
        case .handshaking, .waiting, .settled, .ignored:
            break
        }
    }

    mutating func linkClosed(now: Instant, using generator: inout some RandomNumberGenerator) {
        guard case .settled = phase else { return }
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
