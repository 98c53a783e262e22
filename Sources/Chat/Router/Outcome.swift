package import Wire

/// An own payload and its destination.
package struct Outgoing: Hashable, Sendable {
    package enum Destination: Hashable, Sendable {
        case everyone
        case peer(PeerID)
    }

    package let payload: VerifiedPayload
    package let destination: Destination
}

/// The router's result of an operation of the user: events to report and payloads to send, both in order.
package struct Outcome: Sendable {
    package var events: [NodeEvent] = []
    package var outgoing: [Outgoing] = []

    package init(events: [NodeEvent] = [], outgoing: [Outgoing] = []) {
        (self.events, self.outgoing) = (events, outgoing)
    }
}

/// A conversation in a list of conversations.
package struct ConversationOverview: Hashable, Sendable {
    package let conversation: Conversation
    package let isActive: Bool
    package let unread: Int
    package let last: Message?
    package var standing = DirectStanding.over
}
