import Chat
import Wire

/// Counters since the start of the node.
struct NodeStatistics {
    var dialsFailed = 0
    /// Links to peers that had one before.
    var reconnects = 0
    /// Certificates over a link's rate.
    var certificatesRefused = 0
    /// Public messages that came live, by the links that they passed, less one.
    var hops = [Int](repeating: 0, count: Int(Limits.relayHops) + 1)

    /// All counters, also those at zero, in a fixed order.
    func counters(
        _ admission: Admission, _ links: LinkTally, _ finder: Finder, _ history: HistoryExchange,
        _ spread: Spread, crowd: [Counter], mail: [Counter]
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
        ] + mail + history.counters + [
            Counter(.idListsMalformed, history.malformedLists + spread.malformedLists)
        ]
            + finder.counters + crowd
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
