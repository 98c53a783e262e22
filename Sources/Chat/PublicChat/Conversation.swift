package import Wire

/// Where a message belongs: the public room, or the direct conversation with a peer.
package enum Conversation: Hashable, Sendable {
    case publicRoom
    case direct(PeerID)
}
