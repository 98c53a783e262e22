import Chat
import Wire

extension MessageRouter {
    var counters: [Counter] {
        let unread = overview.reduce(0) { $0 + $1.unread }
        let (room, refused) = (publicChat.unreadCount, refusals)
        return [Counter(.unreadPublic, room), Counter(.unreadDirect, unread - room)]
            + Refusal.allCases.map { Counter(.refused($0), refused[$0] ?? 0) }
    }
}

extension Counter {
    /// Counters of several parts in the order of `/stats`; those that `Metric.order` does not name come behind, as they are.
    /// Counters of one metric are added.
    static func inOrder(_ counters: [Counter]) -> [Counter] {
        var values: [Metric: Int] = [:]
        for counter in counters { values[counter.metric, default: 0] += counter.value }
        let named = Metric.order.compactMap { metric in values[metric].map { Counter(metric, $0) } }
        let known = Set(Metric.order)
        return named + counters.filter { !known.contains($0.metric) }
    }
}

extension Metric {
    fileprivate static let order: [Metric] =
        [
            .peersOnline, .connections, .candidates, .knownNodes, .isOverlay, .linksChosen, .halfOpenHandshakes,
            .payloadsAdmitted, .unreadPublic, .unreadDirect, .queuedBytes, .queuedBytesLongest, .handshakesDone,
            .connectionsRefused, .dials, .dialsFailed, .linksReplaced, .keysReplaced, .linksSilent, .reconnects,
            .payloadsReceived,
            .payloadsSent, .bytesReceived, .bytesSent, .unknownFrames, .unexpectedFrames, .pingsUnanswered, .bans,
            .superseded, .certificatesRefused, .chaffSent, .chaffReceived, .coverAnswers, .coverSlots, .coverBytes,
            .sealedSent, .sealedUnopened, .sealedRepeated, .sealedPassedOn,
            .sealedForOthers, .sealedRefused, .offersSent, .requestsSent, .historySent, .historyReceived,
            .offersRefused, .requestsRefused, .requestedInVain, .idListsMalformed, .linksRefused, .linksBusy,
            .linksUnneeded, .modeChanges, .rostersRefused,
        ] + PayloadType.allCases.map(Metric.admitted) + PayloadType.allCases.map(Metric.sent)
        + LinkError.allCases.map(Metric.link) + DropReason.allCases.map(Metric.dropped)
        + Refusal.allCases.map(Metric.refused)
}
