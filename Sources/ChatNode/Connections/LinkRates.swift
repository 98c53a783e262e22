import Chat
import Wire

/// The frames of one link that are limited by their number.
enum LinkRate {
    /// Frames that are about other peers: certificates and sealed messages.
    case relayed
    /// As `relayed`, in a crowd: a certificate comes behind each author's presence.
    case relayedInCrowd
    /// As `relayed`, from a bridge, which brings those of whole networks.
    case bridged
    /// Frames with the peer's clock.
    case clocks
    /// Certificates that are passed on because they are better than the known ones.
    case betterCertificates
}

/// The rates of one link.
struct LinkRates {
    private var relayed: TokenBucket
    private var relayedInCrowd: TokenBucket
    private var bridged: TokenBucket
    private var clocks: TokenBucket
    private var betterCertificates: TokenBucket

    init(now: Instant) {
        relayed = TokenBucket(
            Rate(perSecond: Limits.relayedFramesPerSecond, burst: Limits.relayedFramesBurst), now: now)
        relayedInCrowd = TokenBucket(
            Rate(perSecond: Limits.treeFramesPerSecond, burst: Limits.treeFramesBurst), now: now)
        bridged = relayedInCrowd
        clocks = TokenBucket(Rate(perSecond: Limits.clocksPerSecond, burst: Limits.clocksBurst), now: now)
        betterCertificates = TokenBucket(
            Rate(perSecond: Limits.betterCertificatesPerMinute / 60, burst: Limits.betterCertificatesBurst), now: now)
    }

    mutating func takeToken(_ rate: LinkRate, now: Instant) -> Bool {
        switch rate {
        case .relayed: relayed.takeTokens(now: now)
        case .relayedInCrowd: relayedInCrowd.takeTokens(now: now)
        case .bridged: bridged.takeTokens(now: now)
        case .clocks: clocks.takeTokens(now: now)
        case .betterCertificates: betterCertificates.takeTokens(now: now)
        }
    }
}

extension Limits {
    /// Clock frames that are read on a link, per second in the long run. More let a neighbour move its vote as often as
    /// it likes; with fewer, a corrected clock is noticed later.
    static let clocksPerSecond = 0.1
    /// As many at once. More let a neighbour cost more work; with fewer, a peer whose network changed several times is
    /// not read.
    static let clocksBurst = 4.0
    /// Better certificates that a link may bring in the long run, per minute. Each is passed on to all peers: more let
    /// one neighbour flood the room with re-issued ones; with fewer, real changes of keys wait.
    static let betterCertificatesPerMinute = 5.0
    /// As many at once. More make such a flood larger; with fewer, a neighbour that was away cannot bring what changed
    /// meanwhile.
    static let betterCertificatesBurst = 5.0
}
