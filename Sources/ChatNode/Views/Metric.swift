package import Chat

/// A metric with its name in `/stats` and its name, type and description for Prometheus. This table is its only declaration.
package struct Metric: Hashable, Sendable {
    package enum Kind: String, Sendable { case counter, gauge }

    /// The unit of the values in `/stats`; Prometheus gets seconds.
    package enum Unit: Sendable { case one, microseconds }

    /// The name in `/stats`.
    package let name: String
    /// The name of the family of samples for Prometheus; nil for a sum, which `/stats` alone shows.
    package let family: String?
    package let kind: Kind
    package let help: String
    /// The label's name and this sample's value of it; nil for the only sample of a family.
    package let label: String?
    package let labelValue: String
    package let unit: Unit

    private init(
        _ kind: Kind, _ name: String, family: String?, _ help: String, label: String? = nil, labelValue: String = "",
        unit: Unit = .one
    ) {
        (self.kind, self.name, self.help, self.unit) = (kind, name, help, unit)
        (self.label, self.labelValue) = (label, labelValue)
        self.family = family.map { "earshot_" + $0 }
    }

    private static func gauge(_ name: String, as family: String, _ help: String, unit: Unit = .one) -> Metric {
        Metric(.gauge, name, family: family, help, unit: unit)
    }

    private static func total(_ name: String, as family: String? = nil, _ help: String) -> Metric {
        Metric(.counter, name, family: (family ?? name) + "_total", help)
    }

    private static func byReason(_ prefix: String, _ reason: String, as family: String, _ help: String) -> Metric {
        Metric(.counter, prefix + reason, family: family + "_total", help, label: "reason", labelValue: reason)
    }

    private static func byKind(_ prefix: String, _ type: PayloadType, as family: String, _ help: String) -> Metric {
        let kind = type.counterName
        return Metric(.counter, prefix + kind, family: family + "_total", help, label: "kind", labelValue: kind)
    }
}

/// The state of the node.
extension Metric {
    package static let peersOnline = gauge(
        "peers_online", as: "peers", "Peers that are here: with a link, and in a crowd by their presence.")
    package static let connections = gauge(
        "connections", as: "connections", "Connections, including those in their handshake.")
    package static let candidates = gauge("candidates", as: "candidates", "Addresses at which a peer may be reached.")
    package static let knownNodes = gauge("known_nodes", as: "known_nodes", "Other nodes of the room that are known.")
    package static let isOverlay = gauge(
        "overlay", as: "overlay", "1 while the node links with a few peers of a large room; 0 while it links with all.")
    package static let linksChosen = gauge(
        "links_chosen", as: "links_chosen", "Links that this node has chosen in a large room.")
    package static let halfOpenHandshakes = gauge(
        "half_open_handshakes", as: "half_open_handshakes", "Handshakes under way on accepted connections.")
    package static let unreadPublic = unread("public")
    package static let unreadDirect = unread("direct")
    package static let queuedBytes = gauge(
        "queued_bytes", as: "queued_bytes", "Bytes that wait for slow peers, of all links.")
    package static let queuedBytesLongest = gauge(
        "queued_bytes_longest", as: "longest_queue_bytes", "Bytes that wait on the link with most.")

    private static func unread(_ conversation: String) -> Metric {
        Metric(
            .gauge, "unread_" + conversation, family: "unread_messages", "Messages that the user has not looked at.",
            label: "conversation", labelValue: conversation)
    }
}

/// Traffic and refusals.
extension Metric {
    package static let payloadsAdmitted = Metric(
        .counter, "payloads_admitted", family: nil, "The sum of the admitted payloads of all kinds.")
    package static let payloadsReceived = total(
        "payloads_received", as: "payload_frames_received", "Received frames with a payload.")
    package static let payloadsSent = total(
        "payloads_sent", as: "payload_frames_sent", "Sent frames with our own payloads, and sealed ones.")
    package static let bytesReceived = total("bytes_received", as: "received_bytes", "Received bytes.")
    package static let bytesSent = total("bytes_sent", as: "sent_bytes", "Sent bytes.")
    package static let unknownFrames = total("unknown_frames", "Frames of a type that this version does not know.")
    package static let unexpectedFrames = total(
        "unexpected_frames", "Frames that this version does not act on, or that are cut short.")
    package static let pingsUnanswered = total("pings_unanswered", "Pings over a link's rate.")
    package static let bans = total("bans", "Peers that were banned for what they sent.")
    package static let connectionsRefused = total("connections_refused", "Connections that were not accepted.")
    package static let certificatesRefused = total("certificates_refused", "Certificates over a link's rate.")

    package static func admitted(_ type: PayloadType) -> Metric {
        byKind("admitted_", type, as: "payloads_admitted", "Admitted payloads.")
    }

    package static func sent(_ type: PayloadType) -> Metric {
        byKind("sent_", type, as: "payloads_sent", "Sent payloads, counted once for each link.")
    }

    package static func dropped(_ reason: DropReason) -> Metric {
        byReason("dropped_", reason.rawValue, as: "payloads_dropped", "Payloads that were not admitted.")
    }

    package static func refused(_ refusal: Refusal) -> Metric { refused(refusal.rawValue) }
    package static let refusedConnectionsAtLimit = refused("connections_at_limit")
    package static let refusedWithoutDescriptor = refused("without_descriptor")
    package static let refusedByInterface = refused("by_interface")
    package static let refusedInstances = refused("instances")
    package static let refusedMulticast = refused("multicast")

    private static func refused(_ reason: String) -> Metric {
        byReason("refused_", reason, as: "refused", "Refusals by a check of its own.")
    }
}

/// Links, history and relays.
extension Metric {
    package static let handshakesDone = total("handshakes_done", as: "handshakes", "Handshakes that were completed.")
    package static let reconnects = total("reconnects", "Links to peers that had one before.")
    package static let dials = total("dials", "Connections that were tried.")
    package static let dialsFailed = total("dials_failed", as: "dial_failures", "Connection attempts that failed.")
    package static let linksReplaced = total("links_replaced", "Links that a newer one to the same peer replaced.")
    package static let keysReplaced = total("keys_replaced", "New handshakes that replaced the keys of a link.")
    package static let linksSilent = total("links_silent", "Links that ended before the peer said anything.")
    package static let linksRefused = total(
        "links_refused", "Links that others opened in a large room, for which there was no room.")
    package static let linksBusy = total(
        "links_busy", "Dialled links in a large room for which the other side had no room.")
    package static let linksUnneeded = total(
        "links_unneeded", "Links in a large room that ended because neither side had chosen them.")
    package static let modeChanges = total(
        "mode_changes", "Changes between links with all peers and links with a few.")
    package static let superseded = total(
        "superseded", as: "links_superseded", "Links that ended because of a better certificate.")

    /// The end of a link by an error; the family says whether the handshake was completed.
    package static func link(_ error: LinkError) -> Metric {
        switch error {
        case .handshakeFailed, .handshakeTimeout, .badCertificate, .connectedToSelf:
            byReason("link_", error.rawValue, as: "handshake_failures", "Handshakes that were not completed.")
        case .illegalLength, .undecipherable, .badFraming, .recordTimeout, .silent, .unanswered, .tooSlow, .expired:
            byReason("link_", error.rawValue, as: "link_failures", "Links that ended without a goodbye.")
        }
    }

    package static let offersSent = total("haves_sent", as: "history_offers_sent", "Offers of history.")
    package static let requestsSent = total("wants_sent", as: "history_requests_sent", "Requests for history.")
    package static let offersRefused = total("haves_refused", "Offers of history over a link's rate.")
    package static let requestsRefused = total(
        "wants_refused", as: "history_requests_refused", "Peers' requests for history that came too soon.")
    package static let historySent = total("history_sent", as: "history_payloads_sent", "Payloads sent as history.")
    package static let historyReceived = total(
        "history_received", as: "history_payloads_received", "Payloads received as history.")
    package static let requestedInVain = total(
        "wanted_in_vain", as: "history_payloads_absent", "Requested payloads that this node does not have.")
    package static let idListsMalformed = total("id_lists_malformed", "Offers and requests that are not well formed.")
    package static let rostersRefused = total(
        "rosters_refused", "Digests of rosters over a link's rate, and presences that were not asked for.")

    package static let chaffSent = total("chaff_sent", "Frames without content that were sent to hide a receiver.")
    package static let chaffReceived = total("chaff_received", "Frames without content that came.")
    package static let coverAnswers = total("cover_answers", "Records that answer a private message or what hides one.")
    package static let coverSlots = total("cover_slots", "Times at which --cover sent a record on every link.")
    package static let coverBytes = total("cover_bytes", "Bytes of the records that --cover sent.")
    package static let sealedSent = total("sealed_sent", "Direct messages that were sent over relays.")
    package static let sealedUnopened = total("sealed_unopened", "Sealed messages to us that no key of ours opens.")
    package static let sealedRepeated = total("sealed_repeated", "Sealed messages that came again.")
    package static let sealedPassedOn = total("sealed_passed_on", "Sealed messages that were passed on.")
    package static let sealedForOthers = total("sealed_for_others", "Sealed messages that were not passed on.")
    package static let sealedRefused = total(
        "sealed_refused", "Sealed messages over a link's rate, or for a link that is busy.")
}

/// The bridge to other networks.
extension Metric {
    package static let bridgeConnected = gauge(
        "bridge_connected", as: "bridge_connected", "Whether the bridge of this node has a broker.")
    package static let bridgeBlocked = gauge(
        "bridge_blocked", as: "bridge_blocked", "Whether that broker takes no publication now.")
    package static let bridgeWaiting = gauge(
        "bridge_waiting", as: "bridge_publications_waiting", "Publications that the broker has not confirmed.")
    package static let peopleElsewhere = gauge(
        "people_elsewhere", as: "people_elsewhere", "People in other networks.")
    package static let bridgeConnections = total(
        "bridge_connections", "Times that the bridge of this node has reached a broker.")
    package static let bridgePublished = total("bridge_published", as: "bridge_publications", "Publications sent.")
    package static let bridgeReceived = total(
        "bridge_received", as: "bridge_deliveries", "Deliveries that the node took from the broker.")
    package static let bridgeRefused = total(
        "bridge_refused", "Payloads from the broker that were known or not admitted.")
    package static let bridgeWithoutConsent = total(
        "bridge_without_consent", "Payloads that were not published because their authors do not allow it.")
    package static let bridgeDropped = total(
        "bridge_dropped", "Publications that were given up because they waited too long, or too many did.")

    package static func bridgeIntake(_ refusal: BridgeIntake.DeliveryRefusal) -> Metric {
        byReason(
            "bridge_", refusal.rawValue, as: "bridge_deliveries_refused", "Deliveries that the node never saw.")
    }
}

/// The process and its faces.
extension Metric {
    package static let residentBytes = gauge("resident_bytes", as: "resident_memory_bytes", "Memory in use.")
    package static let startToReady = gauge(
        "start_to_ready_us", as: "start_to_ready_seconds", "From the start of the program until it was ready.",
        unit: .microseconds)
    package static let loopTurns = total("loop_turns", "Turns of the node's event loop.")
    package static let loopLastTurn = gauge(
        "loop_last_turn_us", as: "loop_last_turn_seconds", "Duration of the last turn of the node's event loop.",
        unit: .microseconds)
    package static let loopLongestTurn = gauge(
        "loop_longest_turn_us", as: "loop_longest_turn_seconds", "Duration of the longest turn so far.",
        unit: .microseconds)
    package static let eventsNotShown = total(
        "events_not_shown", "Events and answers that were dropped because the reader was too slow.")
    package static let reportsWaiting = gauge(
        "reports_waiting", as: "reports_waiting", "Events and answers that are still to be shown.")
    package static let controlClients = gauge(
        "control_clients", as: "control_clients", "Programs that are connected to the control socket.")
    package static let controlTails = gauge("control_tails", as: "control_tails", "Clients that receive every event.")
    package static let webClients = gauge("web_clients", as: "web_clients", "Connections to the web server.")
    package static let stompClients = gauge("stomp_clients", as: "stomp_clients", "Connections to the STOMP gateway.")
    package static let stompRefusals = total(
        "stomp_refusals", "Clients that the STOMP gateway refused, as without the token.")
    package static let stompDropped = total(
        "stomp_dropped", "Clients of the STOMP gateway that were disconnected because they read too slowly.")
    package static let ircClients = gauge("irc_clients", as: "irc_clients", "Connections to the IRC gateway.")
    package static let ircRefusals = total(
        "irc_refusals", "Clients that the IRC gateway refused, as without the token.")
    package static let ircDropped = total(
        "irc_dropped", "Clients of the IRC gateway that were disconnected because they read too slowly.")
    package static let webRefusals = total(
        "web_refusals", "Requests that the web server refused, as without the token.")
    package static let webDropped = total(
        "web_dropped", "Clients of the web server that were disconnected because they read too slowly.")
    package static let controlTailsDropped = total(
        "control_tails_dropped", "Clients that were disconnected because they read too slowly.")
}

/// A metric's value. Counters count from the start of the program, or of the node after `/wipe`.
package struct Counter: Hashable, Sendable {
    package let metric: Metric
    package let value: Int

    package init(_ metric: Metric, _ value: Int) {
        self.metric = metric
        self.value = value
    }

    /// The counters of several nodes as those of one, in the order of the first: sums, and for the longest queue the largest.
    package static func sums(_ nodes: [[Counter]]) -> [Counter] {
        guard nodes.count > 1, let first = nodes.first else { return nodes.first ?? [] }
        var values: [Metric: Int] = [:]
        for counter in nodes.joined() {
            let (before, isMaximum) = (values[counter.metric] ?? 0, counter.metric == .queuedBytesLongest)
            values[counter.metric] = isMaximum ? max(before, counter.value) : before + counter.value
        }
        let known = Set(first.map(\.metric))
        let others = nodes.dropFirst().joined().map(\.metric).filter { !known.contains($0) }
        let order =
            first.map(\.metric)
            + others.enumerated().filter { others.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        return order.map { Counter($0, values[$0] ?? 0) }
    }
}

extension PayloadType {
    /// The name of the type in `/stats`.
    fileprivate var counterName: String {
        switch self {
        case .publicMessage: "public_message"
        case .presence: "presence"
        case .typing: "typing"
        case .edit: "edit"
        case .delete: "delete"
        case .reaction: "reaction"
        case .card: "card"
        case .dmRequest: "dm_request"
        case .dmAccept: "dm_accept"
        case .dmDecline: "dm_decline"
        case .dmLeave: "dm_leave"
        case .directMessage: "direct_message"
        case .delivered: "delivered"
        case .read: "read"
        case .invitation: "invitation"
        }
    }
}
