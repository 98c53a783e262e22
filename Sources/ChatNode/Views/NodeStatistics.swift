import Chat
import Wire

/// Counters since the start of the node.
struct NodeStatistics {
    var handshakesDone = 0
    var connectionsRefused = 0
    var dials = 0
    var dialsFailed = 0
    var linksReplaced = 0
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
    /// Offers and requests whose count is not that of their ids, or too high.
    var idListsMalformed = 0
    private var linkErrors: [LinkError: Int] = [:]

    mutating func count(_ error: LinkError) {
        linkErrors[error, default: 0] += 1
    }

    /// Every counter under the name that JSON gives it, those that are zero too, in a fixed order.
    func counters(_ admission: Admission) -> [Counter] {
        [
            Counter(name: "handshakes_done", value: handshakesDone),
            Counter(name: "connections_refused", value: connectionsRefused),
            Counter(name: "dials", value: dials),
            Counter(name: "dials_failed", value: dialsFailed),
            Counter(name: "links_replaced", value: linksReplaced),
            Counter(name: "reconnects", value: reconnects),
            Counter(name: "payloads_received", value: admission.received),
            Counter(name: "payloads_sent", value: payloadsSent),
            Counter(name: "bytes_received", value: bytesReceived),
            Counter(name: "bytes_sent", value: bytesSent),
            Counter(name: "unknown_frames", value: unknownFrames),
            Counter(name: "unexpected_frames", value: unexpectedFrames),
            Counter(name: "pings_unanswered", value: pingsUnanswered),
            Counter(name: "bans", value: bans),
            Counter(name: "superseded", value: superseded),
            Counter(name: "certificates_refused", value: certificatesRefused),
            Counter(name: "sealed_sent", value: sealedSent),
            Counter(name: "sealed_unopened", value: sealedUnopened),
            Counter(name: "sealed_repeated", value: sealedRepeated),
            Counter(name: "sealed_passed_on", value: sealedPassedOn),
            Counter(name: "sealed_for_others", value: sealedForOthers),
            Counter(name: "sealed_refused", value: sealedRefused),
            Counter(name: "haves_sent", value: havesSent),
            Counter(name: "wants_sent", value: wantsSent),
            Counter(name: "history_sent", value: historySent),
            Counter(name: "history_received", value: historyReceived),
            Counter(name: "haves_refused", value: havesRefused),
            Counter(name: "wants_refused", value: wantsRefused),
            Counter(name: "wanted_in_vain", value: wantedInVain),
            Counter(name: "id_lists_malformed", value: idListsMalformed),
        ]
            + admission.tally.counters(prefix: "admitted_") + sent.counters(prefix: "sent_")
            + LinkError.allCases.map { Counter(name: "link_\($0.rawValue)", value: linkErrors[$0] ?? 0) }
            + DropReason.allCases.map { Counter(name: "dropped_\($0.rawValue)", value: admission.drops[$0] ?? 0) }
    }
}

extension PayloadTally {
    /// One for each kind, those that are zero too.
    fileprivate func counters(prefix: String) -> [Counter] {
        PayloadType.allCases.map { Counter(name: prefix + $0.counterName, value: self[$0]) }
    }
}

extension PayloadType {
    /// How `/stats` calls it.
    package var counterName: String {
        switch self {
        case .publicMessage: "public_message"
        case .presence: "presence"
        case .typing: "typing"
        case .edit: "edit"
        case .delete: "delete"
        case .dmRequest: "dm_request"
        case .dmAccept: "dm_accept"
        case .dmDecline: "dm_decline"
        case .dmLeave: "dm_leave"
        case .directMessage: "direct_message"
        case .delivered: "delivered"
        case .read: "read"
        }
    }
}

/// Refusals outside admission, for `/stats`.
extension Node {
    var refusalCounters: [Counter] {
        let refused = router.refusals
        return Refusal.allCases.map { Counter(name: "refused_\($0.rawValue)", value: refused[$0] ?? 0) }
            + transport.refusals + discoveries.flatMap(\.refusals)
    }
}
