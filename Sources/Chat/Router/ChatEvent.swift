package import Wire

/// A change of a direct conversation's state.
package enum DirectChange: String, Sendable {
    case accepted
    case declined
    case left
}

/// A change in the conversations, reported live.
package enum ChatEvent: Hashable, Sendable {
    /// A message was added.
    case message(Conversation, Message, unread: Int)
    /// The message was edited; this is its present form.
    case edited(Conversation, Message, unread: Int)
    /// The message, as it was, is deleted.
    case deleted(Conversation, Message, unread: Int)
    /// A peer asks for a direct conversation. Reported once while the request is open.
    case request(from: PeerID, text: String)
    case direct(DirectChange, with: PeerID)
    case invitation(from: PeerID, Invitation)
    /// Only ids whose delivery was not reported yet.
    case delivered(with: PeerID, ids: [MessageID])
    case read(with: PeerID, ids: [MessageID])
    /// Own messages that are given up, in the order in which they were said.
    case failed(with: PeerID, messages: [Undelivered])
    case typing(PeerID, Conversation, isOn: Bool)
    /// A peer in another network arrived, left, or changed; reported once a bridge brought its presence. `was` as for
    /// `presence`.
    case elsewhere(PeerID, PresenceState, reason: String? = nil, was: PeerSighting? = nil)
    /// A peer arrived, left, or changed its state, nickname, stage or reason to be away; `was` is the
    /// peer before a change, and nil for an arrival and a departure. `online` counts linked peers.
    case presence(PeerID, PresenceState, reason: String? = nil, was: PeerSighting? = nil, online: Int)
    /// The user blocked a peer, or takes that back. No message of a blocked peer is shown any more.
    case blocked(PeerID, isOn: Bool)
}

extension [ChatEvent] {
    mutating func note(_ event: ChatEvent?) {
        if let event { append(event) }
    }
}
