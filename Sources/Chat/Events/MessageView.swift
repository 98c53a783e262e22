package import Wire

/// A conversation with the current name of its peer.
package enum ConversationView: Hashable, Sendable {
    case publicRoom
    case direct(with: PeerName)
}

/// A message with the names to show.
package struct MessageView: Hashable, Sendable {
    package var conversation: ConversationView
    package let id: MessageID
    package var from: PeerName
    /// Not made safe for display: that is done where it is shown.
    package var text: String
    package let sentAt: Timestamp
    package let receivedAt: Timestamp
    /// The time of its place (`SortKey`).
    package let placeTime: Timestamp
    package let authorClock: AuthorClock
    package let isFromCurrentUser: Bool
    package let isHistory: Bool
    /// History that was said after this node came to the room: it counts as unread.
    package var isMissed = false
    package var isEdited: Bool
    /// Unread messages in the conversation once this one is in it.
    package var unread: Int
    /// Whether it is one of them; said of stored messages alone.
    package var isUnread = false
    /// Of a direct message of ours; nil for all others.
    package var delivery: DeliveryState?
    /// True for an own direct message that the peer gets as a request, to be accepted first.
    package var isRequest = false
    /// Finds the user's name in another user's text; nil for an own message. Only a face that marks mentions searches.
    package var mention: Mention?
    /// The message that it answers; nil for none.
    package var replyTo: MessageID?
    /// Whether that is a message of this user which is kept, and the answer another user's.
    package var isReplyToOwn = false
    /// At most `Limits.emojisOfMessage`, in the order in which they came here.
    package var reactions: [ReactionCount] = []

    /// True if another user's text names this one, or answers its message.
    package var isMention: Bool { isReplyToOwn || mention?.isIn(text) ?? false }

    /// The text of `/me`, without the author's nickname in front; nil for other texts. Not made safe for display.
    package var action: String? { ActionText.of(text, by: from.nickname) }

    /// History that was said before this node came.
    package var isFromBefore: Bool { isHistory && !isMissed }

    /// Its place among the messages of its conversation; the lowest is evicted first.
    package var place: SortKey {
        SortKey(
            time: placeTime,
            signed: SignedOrder(time: sentAt, author: from.key, authorClock: authorClock, id: id))
    }

    /// The message once it is deleted.
    var withoutText: MessageView {
        var message = self
        message.text = ""
        message.reactions = []
        return message
    }
}

/// Whether a direct conversation is agreed on.
package enum DirectStanding: Sendable {
    case accepted
    /// A request of the user, or of the peer, is open.
    case requestedByUs, requestedByThem
    /// None began, it was left, or its request was declined.
    case over
}

/// A row of `/unread`.
package struct ConversationSummary: Hashable, Sendable {
    package let conversation: ConversationView
    /// Whether any view shows it.
    package let isActive: Bool
    /// Whether it is the one in which commands act; of the room that is open.
    package let isOpen: Bool
    package let unread: Int
    package let last: MessageView?
    /// Of a direct conversation.
    package let standing: DirectStanding

    /// - Parameter isOpen: nil if no further view shows anything.
    init(
        conversation: ConversationView, isActive: Bool, isOpen: Bool? = nil, unread: Int, last: MessageView?,
        standing: DirectStanding = .over
    ) {
        (self.conversation, self.isActive, self.isOpen) = (conversation, isActive, isOpen ?? isActive)
        (self.unread, self.last, self.standing) = (unread, last, standing)
    }
}

extension Limits {
    /// Emojis that are shown on one message; those that the fewest gave are left out. More fill the screen; with fewer, a crowd's choice is cut.
    package static let emojisOfMessage = 20
}
