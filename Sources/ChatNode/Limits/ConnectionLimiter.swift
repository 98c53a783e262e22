import Chat
import Wire

/// Who may begin a handshake with us: bounds in all and per source, so that strangers cost little (Protocol.md section 11).
struct ConnectionLimiter {
    private struct Source {
        var halfOpen = 0
        var links = 0
        var bucket: TokenBucket
    }

    private var sources: [[UInt8]: Source] = [:]
    private var everybody: TokenBucket
    private let isLimited: Bool
    var sourceCount: Int { sources.count }
    private(set) var halfOpen = 0
    private(set) var links = 0
    /// Those among them that others opened, not of this machine.
    private var foreignLinks = 0

    /// - Parameter handshakesPerSecond: from all sources together; 0 lifts the rates, for simulations and closed networks.
    init(handshakesPerSecond: Double, now: Instant) {
        isLimited = handshakesPerSecond > 0
        let burst = handshakesPerSecond * Limits.handshakesBurst / Limits.handshakesPerSecond
        everybody = TokenBucket(Rate(perSecond: handshakesPerSecond, burst: burst), now: now)
    }

    /// Sources that are remembered at the same time; those without connections make room.
    static let mostSources = 4_096

    /// Counts a connection that somebody opened to us in as half-open; false, and nothing is counted, if it is refused.
    mutating func admit(_ endpoint: Endpoint, now: Instant) -> Bool {
        guard halfOpen < Limits.halfOpenHandshakes, links < Limits.links else { return false }
        if !endpoint.isLoopback {
            guard foreignLinks < ConnectionLimiter.mostForeignLinks, admitSource(endpoint.source, now: now) else {
                return false
            }
        }
        guard !isLimited || everybody.take(now: now) else { return false }
        halfOpen += 1
        if !endpoint.isLoopback { sources[endpoint.source]?.halfOpen += 1 }
        return true
    }

    private mutating func closeHalfOpen(_ endpoint: Endpoint) {
        halfOpen -= 1
        release(endpoint) { $0.halfOpen -= 1 }
    }

    /// The last links are kept for those that we dial: a crowd that comes to us can not take them.
    private static let mostForeignLinks = Limits.links - Limits.linksForDialled

    /// Counts a link in; false, and nothing is counted, if there are too many.
    mutating func openLink(_ endpoint: Endpoint, role: Link.Role, now: Instant) -> Bool {
        guard links < Limits.links else { return false }
        if !endpoint.isLoopback {
            guard role == .initiator || foreignLinks < ConnectionLimiter.mostForeignLinks,
                makeRoom(for: endpoint.source, now: now),
                (sources[endpoint.source]?.links ?? 0) < Limits.linksPerSource
            else { return false }
            sources[endpoint.source]?.links += 1
            if role == .responder { foreignLinks += 1 }
        }
        links += 1
        return true
    }

    private mutating func closeLink(_ endpoint: Endpoint, role: Link.Role) {
        links -= 1
        if role == .responder, !endpoint.isLoopback { foreignLinks -= 1 }
        release(endpoint) { $0.links -= 1 }
    }

    /// A connection ended or became something else.
    mutating func release(_ endpoint: Endpoint, from standing: Connection.Standing) {
        switch standing {
        case .dialled: break
        case .halfOpen: closeHalfOpen(endpoint)
        case .link(let role): closeLink(endpoint, role: role)
        }
    }

    private mutating func admitSource(_ key: [UInt8], now: Instant) -> Bool {
        guard makeRoom(for: key, now: now), var source = sources[key] else { return false }
        guard source.halfOpen < Limits.halfOpenHandshakesPerSource, source.links < Limits.linksPerSource,
            !isLimited || source.bucket.take(now: now)
        else {
            sources[key] = source
            return false
        }
        sources[key] = source
        return true
    }

    private mutating func makeRoom(for key: [UInt8], now: Instant) -> Bool {
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

    private mutating func release(_ endpoint: Endpoint, _ change: (inout Source) -> Void) {
        guard !endpoint.isLoopback, var source = sources[endpoint.source] else { return }
        change(&source)
        sources[endpoint.source] = source
    }
}
