package import Phrases
package import Wire

/// An event for the program. The node delivers events in batches, in order, with the names at the time of the event.
package enum NodeEvent: Equatable, Sendable {
    /// `room` is the name of the room, which is private if it has a key.
    case ready(me: PeerName, port: UInt16, room: String, isPrivate: Bool = false, discovery: DiscoveryMode)
    /// `reason` is nil unless the peer is away and gave one; not made safe for display. `was` is a peer that
    /// is here before it changed its name, stage, state or reason; nil for an arrival and a departure.
    /// `online` counts the peers that are here.
    case peer(PresenceState, PeerName, reason: String? = nil, was: PeerSighting? = nil, online: Int)
    /// The user has another nickname, whichever face asked for it.
    case renamed(PeerName, was: PeerName)
    /// The user is away, is back, or has another line of its own, whichever face asked for it.
    case status(OwnStatus, was: OwnStatus)
    /// The user marked a peer or gave it another name: the peer's row of now.
    case person(Roster.Row)
    /// The user blocked a peer, or takes that back: faces forget what they keep of its messages.
    case blocked(PeerName, isOn: Bool)
    /// Arrivals and departures of a crowd since the last such event, and the peers here now. Those of contacts, marked
    /// peers and peers of direct conversations have events `.peer` too.
    case crowd(came: Int, left: Int, online: Int)
    /// As `peer`, for a peer in another network, once a bridge brought its presence.
    case elsewhere(PresenceState, PeerName, reason: String? = nil, was: PeerSighting? = nil)
    case message(MessageView)
    /// A peer asks for a direct conversation. Reported once while the request is open.
    case request(from: PeerName, text: String)
    case direct(DirectChange, with: PeerName)
    /// A peer invites the user to a room. `isThere`: the program is in that room already, which the node does not know.
    case invitation(from: PeerName, to: Room, isThere: Bool = false)
    /// The message in its present form.
    case edited(MessageView)
    /// The message without its text, which is forgotten.
    case deleted(MessageView)
    /// The reactions to a message are others.
    case reacted(ReactionEvent)
    /// A card was put up on the notice board of the room.
    case card(CardView)
    case cardRemoved(CardView, CardEnd)
    /// Only ids whose delivery was not reported yet.
    case delivered(with: PeerName, ids: [MessageID])
    case read(with: PeerName, ids: [MessageID])
    /// Own direct messages that are given up, in the order in which they were said.
    case failed(with: PeerName, messages: [Undelivered])
    case typing(PeerName, ConversationView, isOn: Bool)
    case notice(NoticeCode, Sentence)
    /// The last event of a node.
    case stopped(StopReason)
}

extension NodeEvent {
    /// `ready` of a node in a room.
    package static func started(
        in room: Room, as me: PeerName, port: UInt16, _ discovery: DiscoveryMode
    ) -> NodeEvent {
        .ready(me: me, port: port, room: room.name, isPrivate: room.isPrivate, discovery: discovery)
    }

    /// The event without the reason that a peer gave for being away; nil for one without any.
    package var withoutReason: NodeEvent? {
        switch self {
        case .peer(let state, let who, let reason, let was, let online) where reason != nil || was?.reason != nil:
            .peer(state, who, was: was?.withoutReason, online: online)
        case .elsewhere(let state, let who, let reason, let was) where reason != nil || was?.reason != nil:
            .elsewhere(state, who, was: was?.withoutReason)
        case .person(let row) where row.reason != nil: .person(row.withoutTexts)
        case .ready, .peer, .renamed, .status, .person, .blocked, .crowd, .elsewhere, .message, .request, .direct,
            .invitation, .edited, .deleted, .reacted, .card, .cardRemoved, .delivered, .read, .failed, .typing, .notice,
            .stopped:
            nil
        }
    }
}

/// Why a node stopped.
package enum StopReason: Sendable, Equatable {
    case asked
    /// Another session of our identity continues instead.
    case signedOut
    /// An error ended the node; the text describes it.
    case failed(String)
}

/// A change of a direct conversation's state.
package enum DirectChange: String, Sendable {
    case accepted
    case declined
    case left
}
