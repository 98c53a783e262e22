import Chat
import Wire

/// Counters since the start of the node.
struct NodeStatistics {
    var dialsFailed = 0
    /// Links to peers that had one before.
    var reconnects = 0
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
    /// Digests of rosters above a link's rate, and presences that were not asked for.
    var rostersRefused = 0
    /// Public messages that came live, by the links that they passed, less one.
    var hops = [Int](repeating: 0, count: Int(Limits.relayHops) + 1)

    /// All counters, also those at zero, in a fixed order.
    func counters(
        _ admission: Admission, _ links: LinkTally, _ finder: Finder, _ history: HistoryExchange,
        _ spread: Spread
    ) -> [Counter] {
        [
            Counter(.handshakesDone, links.handshakesDone),
            Counter(.connectionsRefused, links.connectionsRefused),
            Counter(.dials, links.dials),
            Counter(.dialsFailed, dialsFailed),
            Counter(.linksReplaced, links.linksReplaced),
            Counter(.linksSilent, links.linksSilent),
            Counter(.reconnects, reconnects),
            Counter(.payloadsReceived, admission.received),
            Counter(.payloadsSent, links.payloadsSent),
            Counter(.bytesReceived, links.bytesReceived),
            Counter(.bytesSent, links.bytesSent),
            Counter(.unknownFrames, links.unknownFrames),
            Counter(.unexpectedFrames, links.unexpectedFrames),
            Counter(.pingsUnanswered, links.pingsUnanswered),
            Counter(.bans, links.bans),
            Counter(.superseded, links.superseded),
            Counter(.certificatesRefused, certificatesRefused),
            Counter(.sealedSent, sealedSent),
            Counter(.sealedUnopened, sealedUnopened),
            Counter(.sealedRepeated, sealedRepeated),
            Counter(.sealedPassedOn, sealedPassedOn),
            Counter(.sealedForOthers, sealedForOthers),
            Counter(.sealedRefused, sealedRefused),
        ] + history.counters + [
            Counter(.idListsMalformed, history.malformedLists + spread.malformedLists)
        ]
            + finder.counters + [Counter(.rostersRefused, rostersRefused)]
            + PayloadType.allCases.map { Counter(.admitted($0), admission.tally[$0]) }
            + PayloadType.allCases.map { Counter(.sent($0), links.sent[$0] + history.sent[$0]) }
            + LinkError.allCases.map { Counter(.link($0), links.errors[$0] ?? 0) }
            + DropReason.allCases.map { Counter(.dropped($0), admission.drops[$0] ?? 0) }
    }
}

/// Refusals outside admission, for `/stats`.
extension Node {
    var refusalCounters: [Counter] {
        let refused = router.refusals
        return Refusal.allCases.map { Counter(.refused($0), refused[$0] ?? 0) }
            + links.refusals + discoveries.flatMap(\.refusals)
    }
}
