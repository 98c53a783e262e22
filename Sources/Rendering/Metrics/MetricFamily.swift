import Chat
import ChatNode

/// One metric as Prometheus knows it: the counters of `/stats` that are its samples, told apart by a label.
struct MetricFamily: Sendable {
    package enum Kind: String, Sendable { case counter, gauge }

    /// The unit of the counter; Prometheus wants seconds.
    enum Unit: Sendable { case one, microseconds }

    struct Sample: Sendable {
        /// The name in `/stats`.
        let counter: String
        /// Nil where the metric has no label.
        package let label: String?
    }

    package let name: String
    package let kind: Kind
    package let help: String
    /// The name of the label; empty for none.
    package let label: String
    package let samples: [Sample]
    package let unit: Unit

    /// In `/stats` alone: the sum of samples.
    static let sums: Set<String> = ["payloads_admitted"]

    package static let all = state + traffic + refused + links + history + sealed + program
}

extension MetricFamily {
    private init(
        _ kind: Kind, _ name: String, _ help: String, label: String = "", _ samples: [Sample], in unit: Unit = .one
    ) {
        (self.kind, self.name, self.help) = (kind, "earshot_" + name, help)
        (self.label, self.samples, self.unit) = (label, samples, unit)
    }

    private static func gauge(_ name: String, _ counter: String, _ help: String, in unit: Unit = .one) -> MetricFamily {
        MetricFamily(.gauge, name, help, [Sample(counter: counter, label: nil)], in: unit)
    }

    /// A counter that has the same name in `/stats`, or `counter`.
    private static func total(_ name: String, of counter: String? = nil, _ help: String) -> MetricFamily {
        MetricFamily(.counter, name + "_total", help, [Sample(counter: counter ?? name, label: nil)])
    }

    private static func byReason(_ name: String, _ help: String, _ counters: [String], prefix: String) -> MetricFamily {
        MetricFamily(
            .counter, name + "_total", help, label: "reason",
            counters.map { Sample(counter: prefix + $0, label: $0) })
    }

    private static func byKind(_ name: String, _ help: String, prefix: String) -> MetricFamily {
        let kinds = PayloadType.allCases.map(\.counterName)
        return MetricFamily(
            .counter, name + "_total", help, label: "kind", kinds.map { Sample(counter: prefix + $0, label: $0) })
    }
}

/// Every metric there is.
extension MetricFamily {
    private static let state = [
        gauge("peers", "peers_online", "Peers with a link."),
        gauge("connections", "connections", "Connections, those whose handshake is under way among them."),
        gauge("candidates", "candidates", "Addresses at which a peer may be reached."),
        gauge("half_open_handshakes", "half_open_handshakes", "Handshakes that others began and that are under way."),
        MetricFamily(
            .gauge, "unread_messages", "Messages that the user has not looked at.", label: "conversation",
            [Sample(counter: "unread_public", label: "public"), Sample(counter: "unread_direct", label: "direct")]),
        gauge("queued_bytes", "queued_bytes", "Bytes that wait for slow peers, of all links."),
        gauge("longest_queue_bytes", "queued_bytes_longest", "Bytes that wait on the link with most."),
        gauge("reports_waiting", "reports_waiting", "Events and answers that have still to be shown."),
    ]

    private static let traffic = [
        byKind("payloads_admitted", "Payloads that were taken in.", prefix: "admitted_"),
        byKind("payloads_sent", "Payloads that were sent, once for each link.", prefix: "sent_"),
        total("payload_frames_received", of: "payloads_received", "Payload frames that came, whatever became of them."),
        total("payload_frames_sent", of: "payloads_sent", "Frames with our own payloads, and sealed ones."),
        total("received_bytes", of: "bytes_received", "Bytes that came."),
        total("sent_bytes", of: "bytes_sent", "Bytes that were sent."),
        total("unknown_frames", "Frames of a type that this version does not know."),
        total("pings_unanswered", "Pings over a link's rate."),
        total("haves_refused", "Offers of history over a link's rate."),
        total("unexpected_frames", "Frames that are not acted on, or cut short."),
    ]

    private static let refused = [
        byReason(
            "payloads_dropped", "Payloads that went no further.", DropReason.allCases.map(\.rawValue),
            prefix: "dropped_"),
        byReason(
            "refused", "Refusals by a check of its own.",
            Refusal.allCases.map(\.rawValue) + [
                "connections_at_limit", "without_descriptor", "by_interface", "instances", "multicast",
            ],
            prefix: "refused_"),
        total("bans", "Peers that were cut off for what they sent."),
        total("connections_refused", "Connections that were not taken."),
        total("certificates_refused", "Certificates over a link's rate."),
    ]

    private static let links = [
        total("handshakes", of: "handshakes_done", "Handshakes that were completed."),
        byReason(
            "handshake_failures", "Handshakes that were not completed.", handshakeErrors.map(\.rawValue),
            prefix: "link_"),
        byReason(
            "link_failures", "Links that did not end politely.",
            LinkError.allCases.filter { !handshakeErrors.contains($0) }.map(\.rawValue), prefix: "link_"),
        total("reconnects", "Links to peers that had one before."),
        total("dials", "Connections that were tried."),
        total("dial_failures", of: "dials_failed", "Connections that were tried and did not come about."),
        total("links_replaced", "Links that another to the same peer took over from."),
        total("links_superseded", of: "superseded", "Links that ended because of a better certificate."),
    ]

    /// Errors that occur only before a link is up.
    private static let handshakeErrors: [LinkError] = [
        .handshakeFailed, .handshakeTimeout, .badCertificate, .connectedToSelf,
    ]

    private static let history = [
        total("history_offers_sent", of: "haves_sent", "Offers of history."),
        total("history_requests_sent", of: "wants_sent", "Requests for history."),
        total("history_requests_refused", of: "wants_refused", "Requests of others that came too soon."),
        total("history_payloads_sent", of: "history_sent", "Payloads that were given as history."),
        total("history_payloads_received", of: "history_received", "Payloads that were got as history."),
        total("history_payloads_absent", of: "wanted_in_vain", "Payloads that others asked for and that are not here."),
        total("id_lists_malformed", "Offers and requests that are not well formed."),
    ]

    private static let sealed = [
        total("sealed_sent", "Direct messages that were sent over relays."),
        total("sealed_unopened", "Sealed messages for us that no key of ours opens."),
        total("sealed_repeated", "Sealed messages that came again."),
        total("sealed_passed_on", "Sealed messages that were passed on."),
        total("sealed_for_others", "Sealed messages that were not passed on."),
        total("sealed_refused", "Sealed messages over a link's rate, or for a link that is busy."),
    ]

    private static let program = [
        gauge("resident_memory_bytes", "resident_bytes", "Memory in use."),
        gauge(
            "start_to_ready_seconds", "start_to_ready_us", "From the start of the program until it was ready.",
            in: .microseconds),
        gauge(
            "loop_last_turn_seconds", "loop_last_turn_us", "How long the last turn of the node's event loop took.",
            in: .microseconds),
        gauge(
            "loop_longest_turn_seconds", "loop_longest_turn_us",
            "The longest turn so far: what an event may have had to wait.", in: .microseconds),
        total("loop_turns", "Turns of the node's event loop."),
        total("events_not_shown", "Events and answers that were dropped because the reader was too slow."),
        gauge("control_clients", "control_clients", "Programs that are connected to the control socket."),
        gauge("control_tails", "control_tails", "Clients that receive every event."),
        total("control_tails_dropped", "Those of them that were let go because they read too slowly."),
    ]
}
