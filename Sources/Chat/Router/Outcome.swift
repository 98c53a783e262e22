package import Wire

/// A payload of ours and whom it is for.
package struct Outgoing: Hashable, Sendable {
    package enum Destination: Hashable, Sendable {
        case everyone
        case peer(PeerID)
    }

    package let payload: VerifiedPayload
    package let destination: Destination
}

/// What came of something the person did: what to tell, in order, and what to send, in order.
package struct Outcome: Hashable, Sendable {
    package var events: [ChatEvent] = []
    package var outgoing: [Outgoing] = []
}

/// A conversation as a list of them shows it.
package struct ConversationOverview: Hashable, Sendable {
    package let conversation: Conversation
    package let isActive: Bool
    package let unread: Int
    package let last: Message?
}
