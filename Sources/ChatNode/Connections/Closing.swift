import Chat
import Noise
import Wire

/// The reason of a goodbye: the body of its frame (Protocol.md section 5).
enum GoodbyeReason: UInt8 {
    case leaving = 0
    /// Another link to the same peer took over.
    case replaced = 1
    case superseded = 2
    /// Neither end has chosen the link (Protocol.md section 13).
    case unneeded = 3

    var frame: [UInt8] { [FrameType.goodbye.rawValue, rawValue] }
}

/// Why a link ends. Each reason has a row in the tables `goodbye`, `manner` and `end`.
enum Closing {
    /// A frame broke the protocol in a way that an honest node can cause.
    case violation
    /// A frame broke the protocol in a way that no honest node can cause: the key and its address are refused for a while.
    case ban
    /// The user blocked the peer.
    case blocked
    /// There is no room for the link, or another peer answered than the one that was dialled.
    case refused
    /// The node leaves, and the peer did not take all bytes in time.
    case leaving
    case failed(LinkError)
    /// A better link to the same run of the peer is up.
    case replaced
    /// It leads to another session of our own identity.
    case ownSession
    /// A later session of the peer's identity is known, by this certificate.
    case superseded(by: Certificate)
    /// This node signs out, because a later session of our own identity has this certificate.
    case signedOut(by: Certificate)
    /// Neither end has chosen the link, or it is a guest link that was idle.
    case unneeded
    /// The room is large, and there is no room for the link.
    case full
    /// The peer said goodbye; nil for an empty frame.
    case farewell(reason: UInt8?)
    /// The transport reported the end; nil for one without an error.
    case transportClosed(TransportError?)

    enum Manner {
        /// At once; waiting bytes are lost.
        case abort
        /// Waiting bytes are sent first.
        case finish
        /// No frame of our own is sent any more; after 2 s, or when the peer says the same, as `finish`.
        case linger
        /// The connection has ended already.
        case ended
    }

    var isBan: Bool { if case .ban = self { true } else { false } }

    /// No byte comes from the peer any more.
    var isSilence: Bool {
        switch self {
        case .failed(let error): error == .silent || error == .unanswered
        case .transportClosed(let error): error == .timedOut || error == .unreachable
        case .violation, .ban, .blocked, .refused, .leaving, .replaced, .ownSession, .superseded, .signedOut,
            .unneeded, .full, .farewell:
            false
        }
    }

    /// The frames that tell the peer why.
    var goodbye: [[UInt8]] {
        switch self {
        case .replaced: [GoodbyeReason.replaced.frame]
        case .superseded(let better):
            [[FrameType.superseded.rawValue] + better.bytes, GoodbyeReason.superseded.frame]
        case .signedOut(let better):
            [[FrameType.certificate.rawValue] + better.bytes, GoodbyeReason.superseded.frame]
        case .unneeded: [GoodbyeReason.unneeded.frame]
        case .full: [TreeFrame.busy(.full).bytes]
        case .violation, .ban, .blocked, .refused, .leaving, .failed, .ownSession, .farewell, .transportClosed: []
        }
    }

    var manner: Manner {
        switch self {
        case .violation, .ban, .blocked, .refused, .leaving: .abort
        case .failed(let error): error == .expired ? .finish : .abort
        case .replaced, .ownSession: .linger
        case .superseded, .signedOut, .unneeded, .full, .farewell: .finish
        case .transportClosed: .ended
        }
    }

    /// The end as the roster sees it: it decides how long the peer may take to come back without a report.
    var end: LinkEnd {
        switch self {
        case .blocked, .unneeded, .full: .goodbye
        // A superseded session's peer has not gone: its later session is, or will be, here. A link that was replaced
        // leaves another one.
        case .farewell(let reason):
            switch reason.flatMap(GoodbyeReason.init(rawValue:)) {
            case .superseded, .replaced: .lost
            case .leaving, .unneeded, nil: .goodbye
            }
        case .failed(let error): error == .silent ? .silent : .lost
        // The system of a killed process resets the connection where bytes from us were unread.
        case .transportClosed(let error): error == nil || error == .reset ? .closed : .lost
        case .violation, .ban, .refused, .leaving, .replaced, .ownSession, .superseded, .signedOut: .lost
        }
    }
}
