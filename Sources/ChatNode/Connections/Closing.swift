import Chat
import Noise

/// Why this node ends a link. A row of `rule` decides how.
enum Closing {
    /// A frame broke the protocol in a way that an honest node can cause.
    case violation
    /// A frame broke the protocol in a way that no honest node can cause: the key and its address are banned.
    case ban
    /// The user blocked the peer.
    case blocked
    /// There is no room for the link, or another peer answered than the one that was dialled for.
    case refused
    /// A later session of the peer's identity is known, by this certificate.
    case superseded(by: Certificate)
    /// Neither end has chosen the link.
    case unneeded
    /// The room is large, and this node has no room for the link.
    case full
    /// A guest link was idle, or there are too many guests.
    case guestIdle
    /// The node leaves, and the peer took too long.
    case leaving
}
