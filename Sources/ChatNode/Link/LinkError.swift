/// Why a link ended that did not end politely. The raw value is its counter in `/stats`.
package enum LinkError: String, Error, Sendable, CaseIterable {
    case illegalLength = "illegal_length"
    case handshakeFailed = "handshake_failed"
    case handshakeTimeout = "handshake_timeout"
    case badCertificate = "bad_certificate"
    case connectedToSelf = "connected_to_self"
    case undecipherable
    case badFraming = "bad_framing"
    case recordTimeout = "record_timeout"
    case silent
    /// Nothing came after a change of our own network.
    case unanswered
    case tooSlow = "too_slow"
    /// The keys were not replaced in time (Protocol.md section 4).
    case expired
}
