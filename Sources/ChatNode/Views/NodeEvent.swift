package import Chat
package import Phrases
package import Wire

/// Code of a notice to the user.
package enum NoticeCode: String, Sendable, CaseIterable {
    case discoveryChanged = "discovery_changed"
    case discoveryLost = "discovery_lost"
    case clockSkew = "clock_skew"
    case signedOut = "signed_out"
    /// A peer of `--peer` has no address, or no route leads to it.
    case peerUnreachable = "peer_unreachable"
    /// No interface leads to other machines.
    case noInterface = "no_interface"
    /// A bridge carries this room to other networks.
    case roomBridged = "room_bridged"
    /// No bridge does so any more.
    case roomUnbridged = "room_unbridged"
    /// This node's bridge has reached a broker.
    case bridgeConnected = "bridge_connected"
    /// This node's bridge has no broker.
    case bridgeLost = "bridge_lost"
    /// That broker is reached, and takes no publication now.
    case bridgeBlocked = "bridge_blocked"
    /// It takes them again.
    case bridgeUnblocked = "bridge_unblocked"
    /// No other node of a room with a key has answered.
    case roomUnanswered = "room_unanswered"

    /// Whether bridges carry the room from now on; nil for a notice about something else.
    package var isRoomBridged: Bool? {
        switch self {
        case .roomBridged, .bridgeConnected: true
        case .roomUnbridged: false
        case .discoveryChanged, .discoveryLost, .clockSkew, .signedOut, .peerUnreachable, .noInterface, .bridgeLost,
            .bridgeBlocked, .bridgeUnblocked, .roomUnanswered:
            nil
        }
    }

    /// Whether no peer can be reached until the user changes something: faces show it like an error.
    package var isWarning: Bool {
        switch self {
        case .discoveryLost, .peerUnreachable, .noInterface, .bridgeLost, .bridgeBlocked: true
        case .discoveryChanged, .clockSkew, .signedOut, .roomBridged, .roomUnbridged, .bridgeConnected,
            .bridgeUnblocked, .roomUnanswered:
            false
        }
    }
}

/// An event for the program. The node delivers events in batches, in order, with the names at the time of the event.
package enum NodeEvent: Sendable {
    case ready(me: PeerName, port: UInt16, room: String, discovery: DiscoveryMode)
    /// `reason` is nil unless the peer is away and gave one; not made safe for display. `was` is a peer that
    /// is here before it changed its name, state or reason; nil for an arrival and a departure.
    case peer(PresenceState, PeerName, reason: String? = nil, was: PeerSighting? = nil, online: Int)
    /// The user has another nickname, whichever face asked for it.
    case renamed(PeerName, was: PeerName)
    /// The user blocked a peer, or takes that back: faces forget what they keep of its messages.
    case blocked(PeerName, isOn: Bool)
    /// Arrivals and departures of a crowd since the last such event, and the peers here now. Those of contacts, marked
    /// peers and peers of direct conversations have events `.peer` too.
    case crowd(came: Int, left: Int, online: Int)
    /// As `peer`, for a peer in another network.
    case elsewhere(PresenceState, PeerName, reason: String? = nil, was: PeerSighting? = nil)
    case message(MessageView)
    case request(from: PeerName, text: String)
    case direct(DirectChange, with: PeerName)
    /// A peer invites the user to a room. `isThere`: the program is in that room already, which the node does not know.
    case invitation(from: PeerName, to: Room, isThere: Bool = false)
    /// The message in its present form.
    case edited(MessageView)
    /// The message without its text, which is forgotten.
    case deleted(MessageView)
    case delivered(with: PeerName, ids: [MessageID])
    case read(with: PeerName, ids: [MessageID])
    /// Own direct messages that the node no longer tries to deliver.
    case failed(with: PeerName, messages: [Undelivered])
    case typing(PeerName, ConversationView, isOn: Bool)
    case notice(NoticeCode, Sentence)
    /// The last event of a node.
    case stopped(StopReason)
}

/// Why a node stopped.
package enum StopReason: Sendable, Equatable {
    case asked
    /// Another session of our identity continues instead.
    case signedOut
    /// An error ended the node; the text describes it.
    case failed(String)
}

/// A conversation with the current name of its peer.
package enum ConversationView: Hashable, Sendable {
    case publicRoom
    case direct(with: PeerName)
}

/// A message with the names to show.
package struct MessageView: Hashable, Sendable {
    package let conversation: ConversationView
    package let id: MessageID
    package let from: PeerName
    /// Not made safe for display: that is done where it is shown.
    package var text: String
    package let sentAt: Timestamp
    package let receivedAt: Timestamp
    package let isFromCurrentUser: Bool
    package let isHistory: Bool
    /// History that was said after this node came to the room: it counts as unread.
    package var isMissed = false
    package var isEdited: Bool
    /// Unread messages in the conversation once this one is in it.
    package let unread: Int
    /// Of a direct message of ours; nil for all others.
    package var delivery: Delivery?
    /// True for an own direct message that the peer gets as a request, to be accepted first.
    package var isRequest = false
    /// True if another user's text names this one.
    package var isMention = false

    /// The message once it is deleted.
    var withoutText: MessageView {
        var message = self
        message.text = ""
        return message
    }
}

extension MessageView {
    /// Where a message belongs in a list of the same conversation, which is in the order of the node's own
    /// (`MessageRing`).
    package func position(in list: [MessageView]) -> Int {
        guard isHistory else { return list.count }
        guard isMissed else {
            return list.firstIndex { !$0.isFromBefore || sentAt < $0.sentAt } ?? list.count
        }
        var position = list.count
        while position > 0, !list[position - 1].isFromBefore, placeTime < list[position - 1].placeTime { position -= 1 }
        return position
    }

    private var isFromBefore: Bool { isHistory && !isMissed }

    private var placeTime: Timestamp {
        isHistory ? min(sentAt, receivedAt) : sentAt.placeTime(receivedAt: receivedAt)
    }
}

/// A row of `/who`.
package struct PeerView: Hashable, Sendable {
    package let who: PeerName
    package let state: PresenceState
    /// Since when it is here, or gone.
    package let since: Timestamp
    /// Nil before the first ping came back, and when offline.
    package let roundTrip: Duration?
    package let isMuted: Bool
    package let isVerified: Bool
    /// Whether its links are refused.
    package let isBlocked: Bool
    /// Nil unless the peer is away and gave one. Not made safe for display: that is done where it is shown.
    package var reason: String?
    /// Not made safe for display either.
    package var profile = Profile()
    /// Whether it is in another network.
    package var isElsewhere = false
}

/// A row of `/unread`.
package struct ConversationSummary: Hashable, Sendable {
    package let conversation: ConversationView
    package let isActive: Bool
    package let unread: Int
    package let last: MessageView?
}

/// The peers that a command can be about.
package enum MeantPeers: Hashable, Sendable {
    case all
    /// Those whose request for a direct conversation is open.
    case requesting
    /// Those with a direct conversation.
    case conversing
    case muted
    case blocked
    case contacts
}
