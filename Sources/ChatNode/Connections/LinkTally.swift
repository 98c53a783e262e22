import Chat
import Wire

/// The counters of `Links`.
struct LinkTally {
    var handshakesDone = 0
    var connectionsRefused = 0
    var dials = 0
    var dialsFailed = 0
    /// Links to peers that had one before.
    var reconnects = 0
    var linksReplaced = 0
    /// Links whose keys were replaced by a new handshake, each time.
    var keysReplaced = 0
    /// Links that ended before the peer said anything.
    var linksSilent = 0
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
    /// The records without a payload that were sent on links that have ended.
    var control = ControlTally()
    private var errors: [LinkError: Int] = [:]

    var counters: [Counter] {
        [
            Counter(.handshakesDone, handshakesDone), Counter(.connectionsRefused, connectionsRefused),
            Counter(.dials, dials), Counter(.dialsFailed, dialsFailed), Counter(.reconnects, reconnects),
            Counter(.linksReplaced, linksReplaced), Counter(.keysReplaced, keysReplaced),
            Counter(.linksSilent, linksSilent),
            Counter(.payloadsSent, payloadsSent), Counter(.bytesReceived, bytesReceived),
            Counter(.bytesSent, bytesSent), Counter(.unknownFrames, unknownFrames),
            Counter(.unexpectedFrames, unexpectedFrames), Counter(.pingsUnanswered, pingsUnanswered),
            Counter(.bans, bans), Counter(.superseded, superseded),
        ] + PayloadType.allCases.map { Counter(.sent($0), sent[$0]) }
            + LinkError.allCases.map { Counter(.link($0), errors[$0] ?? 0) }
    }

    mutating func count(_ closing: Closing) {
        switch closing {
        case .failed(let error): errors[error, default: 0] += 1
        case .ban: bans += 1
        case .superseded: superseded += 1
        case .violation, .blocked, .refused, .leaving, .replaced, .ownSession, .signedOut, .unneeded, .full,
            .farewell, .transportClosed:
            break
        }
    }
}
