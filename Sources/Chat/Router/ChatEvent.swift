package import Wire

/// Whether a peer is there.
package enum PresenceState: UInt8, Sendable, CaseIterable {
    case here = 0
    case away = 1
    case left = 2
}

/// How a direct conversation changed.
package enum DirectChange: String, Sendable {
    case accepted
    case declined
    case left
}

/// What changed in the chats, told live, so that nobody has to leave a room and come back to see it.
package enum ChatEvent: Hashable, Sendable {
    /// added
    case message(Conversation, Message, unread: Int)
    /// modified: the message as it is now.
    case edited(Conversation, Message, unread: Int)
    /// removed
    case deleted(Conversation, MessageID, unread: Int)
    /// Somebody asks for a direct conversation. Told once while the request is open.
    case request(from: PeerID, text: String)
    case direct(DirectChange, with: PeerID)
    /// Only ids of which it was not known.
    case delivered(with: PeerID, ids: [MessageID])
    case read(with: PeerID, ids: [MessageID])
    /// Messages of ours that are given up, in the order in which they were said.
    case failed(with: PeerID, messages: [Undelivered])
    case typing(PeerID, Conversation, isOn: Bool)
    /// A peer came, changed its state, nickname or stage, or went; `online` counts peers with a link.
    case presence(PeerID, PresenceState, online: Int)
}
