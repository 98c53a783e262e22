import Chat
import Wire

/// Bounds connections in all, per source and per IPv6 /64, so that strangers cost little (Protocol.md section 11).
///
/// Loopback is exempt from the bounds per source. A connection that this node dialled counts only in the totals: discovery
/// names the address, so its owner can not choose to use it up.
struct ConnectionLimiter {
    /// The count that a connection belongs to.
    enum Standing {
        /// This node dialled it, and its handshake is under way.
        case dialled
        case halfOpen
        case link(Link.Role)
    }

    private struct Source {
        var halfOpen = 0
        var links = 0
        var bucket: TokenBucket
    }

    /// Counts of a /64; the entry exists while one of them is above 0.
    private struct Network {
        var halfOpen = 0
        var links = 0
    }

    private var sources: [Endpoint: Source] = [:]
    private var networks: [Endpoint: Network] = [:]
    private var allSources: TokenBucket
    private let isLimited: Bool
    var sourceCount: Int { sources.count }
    private(set) var halfOpen = 0
    private(set) var links = 0
    /// Links that other hosts opened.
    private var foreignLinks = 0

    /// - Parameter handshakesPerSecond: from all sources together; 0 lifts the rates, for simulations and closed networks.
    init(handshakesPerSecond: Double, now: Instant) {
        isLimited = handshakesPerSecond > 0
        let burst = handshakesPerSecond * Limits.handshakesBurst / Limits.handshakesPerSecond
        allSources = TokenBucket(Rate(perSecond: handshakesPerSecond, burst: burst), now: now)
    }

    /// Sources in the table at most; sources without connections are evicted.
    static let mostSources = 4_096

    /// Links that may still be opened.
    var room: Int { Limits.links - links }

    /// Counts a connection from `endpoint` as half-open; false, and nothing is counted, if it is refused.
    mutating func admit(_ endpoint: Endpoint, now: Instant) -> Bool {
        guard halfOpen < Limits.halfOpenHandshakes, room > 0 else { return false }
        if !endpoint.isLoopback {
            guard foreignLinks < ConnectionLimiter.mostForeignLinks, hasSpace(inNetworkOf: endpoint),
                networkHalfOpen(endpoint) < Limits.halfOpenHandshakesPerNetwork,
                admitSource(endpoint.source, now: now)
            else { return false }
        }
        guard !isLimited || allSources.takeTokens(now: now) else { return false }
        halfOpen += 1
        if !endpoint.isLoopback { count(endpoint, { $0.halfOpen += 1 }, { $0.halfOpen += 1 }) }
        return true
    }

    /// The last links are kept for peers that we dial: a crowd of dialling peers can not take them.
    private static let mostForeignLinks = Limits.links - Limits.linksForDialled

    /// Counts a link; false, and nothing is counted, if a bound is reached.
    mutating func openLink(_ endpoint: Endpoint, role: Link.Role, now: Instant) -> Bool {
        guard room > 0 else { return false }
        if role == .responder, !endpoint.isLoopback {
            guard foreignLinks < ConnectionLimiter.mostForeignLinks, hasSpace(inNetworkOf: endpoint),
                makeSpace(for: endpoint.source, now: now),
                (sources[endpoint.source]?.links ?? 0) < Limits.linksPerSource
            else { return false }
            count(endpoint, { $0.links += 1 }, { $0.links += 1 })
            foreignLinks += 1
        }
        links += 1
        return true
    }

    /// Counts a connection out that ended or becomes a link.
    mutating func release(_ endpoint: Endpoint, from standing: Standing) {
        switch standing {
        case .dialled: break
        case .halfOpen:
            halfOpen -= 1
            if !endpoint.isLoopback { count(endpoint, { $0.halfOpen -= 1 }, { $0.halfOpen -= 1 }) }
        case .link(let role):
            links -= 1
            guard role == .responder, !endpoint.isLoopback else { return }
            foreignLinks -= 1
            count(endpoint, { $0.links -= 1 }, { $0.links -= 1 })
        }
    }

    private func networkHalfOpen(_ endpoint: Endpoint) -> Int {
        endpoint.network.flatMap { networks[$0]?.halfOpen } ?? 0
    }

    private func hasSpace(inNetworkOf endpoint: Endpoint) -> Bool {
        (endpoint.linkNetwork.flatMap { networks[$0]?.links } ?? 0) < Limits.linksPerNetwork
    }

    private mutating func admitSource(_ key: Endpoint, now: Instant) -> Bool {
        guard makeSpace(for: key, now: now), var source = sources[key] else { return false }
        guard source.halfOpen < Limits.halfOpenHandshakesPerSource, source.links < Limits.linksPerSource,
            !isLimited || source.bucket.takeTokens(now: now)
        else {
            sources[key] = source
            return false
        }
        sources[key] = source
        return true
    }

    private mutating func makeSpace(for key: Endpoint, now: Instant) -> Bool {
        if sources[key] != nil { return true }
        if sources.count >= ConnectionLimiter.mostSources {
            sources = sources.filter { $0.value.halfOpen > 0 || $0.value.links > 0 }
        }
        guard sources.count < ConnectionLimiter.mostSources else { return false }
        let rate = Rate(
            perSecond: Limits.handshakesPerSourcePerSecond, burst: Limits.handshakesPerSourceBurst)
        sources[key] = Source(bucket: TokenBucket(rate, now: now))
        return true
    }

    private mutating func count(
        _ endpoint: Endpoint, _ changeSource: (inout Source) -> Void, _ changeNetwork: (inout Network) -> Void
    ) {
        if var source = sources[endpoint.source] {
            changeSource(&source)
            sources[endpoint.source] = source
        }
        guard let key = endpoint.network else { return }
        var network = networks[key] ?? Network()
        changeNetwork(&network)
        networks[key] = network.halfOpen == 0 && network.links == 0 ? nil : network
    }
}

extension Limits {
    /// Handshakes that others began and that are under way. More cost memory before anyone has proven a key; with
    /// fewer, slow connections of a few attackers refuse honest peers.
    static let halfOpenHandshakes = 32
    /// Those of one source (an IP address). More let one machine take a larger part of all; with fewer, several nodes
    /// of one machine wait for each other.
    static let halfOpenHandshakesPerSource = 4
    /// Those of one IPv6 /64, whose addresses one host may all have; the rest is for other networks. With more, one
    /// host can take all; with fewer, a LAN without IPv4, which is one /64, starts slowly.
    static let halfOpenHandshakesPerNetwork = 24
    /// Handshakes that one source may begin at once; each costs the node a key agreement. More let one machine cost
    /// more; with fewer, several nodes behind one address wait.
    static let handshakesPerSourceBurst = 5.0
    /// Those of one source per second in the long run, with the same consequences.
    static let handshakesPerSourcePerSecond = 10.0 / 60.0
    /// Handshakes that all sources together may begin at once. More let an attacker with many addresses occupy the
    /// processor; with fewer, a room whose switch was restarted comes back slowly.
    static let handshakesBurst = 40.0
    /// Those of all sources per second in the long run, with the same consequences.
    static let handshakesPerSecond = 20.0
    /// Links among all that others cannot open: they are for peers that this node dials, which answer at their
    /// announced addresses. With more, fewer peers can link with this node; with fewer, attackers that fill the rest
    /// leave it no place for its own choice.
    static let linksForDialled = 32
    /// Links that one source opens. More let one machine with many identities fill the places; with fewer, a machine
    /// with several users, or a network behind one address, is shut out.
    static let linksPerSource = 8
    /// Links that one IPv6 /64 opens: a LAN without IPv4 is one, so nearly all that others may open. With more, one
    /// host with many addresses takes all; with fewer, rooms in such a LAN are smaller.
    static let linksPerNetwork = 192
}
