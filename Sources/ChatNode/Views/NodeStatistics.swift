import Chat
import Wire

/// Counters since the start of the node.
struct NodeStatistics {
    var handshakesDone = 0
    var connectionsRefused = 0
    var dials = 0
    var dialsFailed = 0
    var linksReplaced = 0
    /// Links that ended before the peer said anything.
    var linksSilent = 0
    /// Links to peers that had one before.
    var reconnects = 0
    var payloadsSent = 0
    /// Payloads that were sent, our own and others' as history, by kind: once for each link that they went on.
    var sent = PayloadTally()
    var bytesReceived = 0
    var bytesSent = 0
    var unknownFrames = 0
    /// Frames of a known type that this version does not act on, or that are cut short.
    var unexpectedFrames = 0
    /// Pings over a link's rate.
    var pingsUnanswered = 0
    var bans = 0
    /// Links that were ended because a better certificate is known.
    var superseded = 0
    /// Certificates over a link's rate.
    var certificatesRefused = 0
    var sealedSent = 0
    /// For us, and not to be opened with any key of ours.
    var sealedUnopened = 0
    var sealedRepeated = 0
    var sealedPassedOn = 0
    /// For others, while we pass nothing on.
    var sealedForOthers = 0
    /// Over a link's rate, or for a link that is busy.
    var sealedRefused = 0
    /// Offers of history, and requests for it, that were sent.
    var havesSent = 0
    var wantsSent = 0
    /// Payloads given and got as history.
    var historySent = 0
    var historyReceived = 0
    /// Offers of history above a peer's rate.
    var havesRefused = 0
    /// Requests for history that came too soon.
    var wantsRefused = 0
    /// Payloads that were asked for and are not here.
    var wantedInVain = 0
    /// Digests of rosters above a link's rate, and presences that were not asked for.
    var rostersRefused = 0
    /// Offers and requests whose count is not that of their ids, or too high.
    var idListsMalformed = 0
    /// Public messages that came live, by the links that they passed, less one.
    var hops = [Int](repeating: 0, count: Int(Limits.relayHops) + 1)
    /// The records without a payload that were sent on links that have ended.
    var control = ControlTally()
    private var linkErrors: [LinkError: Int] = [:]

    mutating func count(_ error: LinkError) {
        linkErrors[error, default: 0] += 1
    }

    /// All counters, also those at zero, in a fixed order.
    func counters(_ admission: Admission, _ finder: Finder) -> [Counter] {
        [
            Counter(.handshakesDone, handshakesDone),
            Counter(.connectionsRefused, connectionsRefused),
            Counter(.dials, dials),
            Counter(.dialsFailed, dialsFailed),
            Counter(.linksReplaced, linksReplaced),
            Counter(.linksSilent, linksSilent),
            Counter(.reconnects, reconnects),
            Counter(.payloadsReceived, admission.received),
            Counter(.payloadsSent, payloadsSent),
            Counter(.bytesReceived, bytesReceived),
            Counter(.bytesSent, bytesSent),
            Counter(.unknownFrames, unknownFrames),
            Counter(.unexpectedFrames, unexpectedFrames),
            Counter(.pingsUnanswered, pingsUnanswered),
            Counter(.bans, bans),
            Counter(.superseded, superseded),
            Counter(.certificatesRefused, certificatesRefused),
            Counter(.sealedSent, sealedSent),
            Counter(.sealedUnopened, sealedUnopened),
            Counter(.sealedRepeated, sealedRepeated),
            Counter(.sealedPassedOn, sealedPassedOn),
            Counter(.sealedForOthers, sealedForOthers),
            Counter(.sealedRefused, sealedRefused),
            Counter(.offersSent, havesSent),
            Counter(.requestsSent, wantsSent),
            Counter(.historySent, historySent),
            Counter(.historyReceived, historyReceived),
            Counter(.offersRefused, havesRefused),
            Counter(.requestsRefused, wantsRefused),
            Counter(.requestedInVain, wantedInVain),
            Counter(.idListsMalformed, idListsMalformed),
        ]
            + finder.counters + [Counter(.rostersRefused, rostersRefused)]
            + PayloadType.allCases.map { Counter(.admitted($0), admission.tally[$0]) }
            + PayloadType.allCases.map { Counter(.sent($0), sent[$0]) }
            + LinkError.allCases.map { Counter(.link($0), linkErrors[$0] ?? 0) }
            + DropReason.allCases.map { Counter(.dropped($0), admission.drops[$0] ?? 0) }
    }
}

/// Refusals outside admission, for `/stats`.
extension Node {
    var refusalCounters: [Counter] {
        let refused = router.refusals
        return Refusal.allCases.map { Counter(.refused($0), refused[$0] ?? 0) }
            + transport.refusals + discoveries.flatMap(\.refusals)
    }
}
