package import Chat
package import Commands
package import Wire

/// A change by a reduction, for faces that draw piece by piece: no face compares two states, or keeps one of its own.
package enum ModelChange: Hashable, Sendable {
    case began(RoomLabel)
    /// The user's name, the number of peers, the bridge or the readiness of a room.
    case changed(RoomLabel)
    /// Arrivals and departures of a crowd, where not each of them has an event.
    case moved(RoomLabel, came: Int, left: Int)
    case ended(RoomLabel)
    /// `was` is nil for a peer that was not known. Reported for each event of a peer, even if nothing differs.
    case person(RoomLabel, ModelPerson, was: ModelPerson?)
    /// A conversation is new, or has another name or standing.
    case conversation(ConversationID)
    case conversationEnded(ConversationID)
    /// A message at its place. `at` is nil for one that is too old to be kept; `evicted` made room for it.
    case message(ConversationID, MessageView, at: Int?, evicted: MessageID?)
    /// A message in its present form, and its text before; `was` and `at` are nil for one that is not kept.
    case edited(ConversationID, MessageView, was: String?, at: Int?)
    /// A message as it was, which was deleted, whose author the user blocked, or whose room has ended, and the place that it had; nil
    /// for one that was not kept, and has no text.
    case removed(ConversationID, MessageView, at: Int?)
    /// A message has other reactions; `at` is nil for one that is not kept.
    case reacted(ConversationID, ReactionEvent, at: Int?)
    /// A card was put up on the notice board of a room, or is off it, as its room may be.
    case board(RoomLabel, CardView, isUp: Bool)
    /// The delivery state of an own message.
    case delivery(ConversationID, MessageID, DeliveryState, at: Int?)
    /// The messages of a conversation are others: a view draws all of them again. Those that came and those that went, each in the
    /// order in which they are shown.
    case refreshed(ConversationID, came: [MessageView], gone: [MessageView])
    case unread(ConversationID, Unread)
    case typing(ConversationID)
    /// The note behind the last message of a conversation.
    case note(ConversationID, ConversationNote)
    /// The request of the peer of a conversation is open, or no longer.
    case request(ConversationID, isOpen: Bool)
    case invitations
    /// A view shows the conversation now, or the last view of it has ceased to.
    case active(ConversationID, isOn: Bool)
    /// These texts are gone.
    case erased(Erasure)
}

/// The unread messages of a conversation.
package struct Unread: Hashable, Sendable {
    /// Why a conversation asks for attention, in growing order.
    package enum Level: Int, Comparable, Sendable {
        case message, direct, mention

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    package var messages = 0
    /// Those of the kept ones that name the user.
    package var mentions = 0
    package let isDirect: Bool

    package var level: Level {
        if mentions > 0 { return .mention }
        return isDirect && messages > 0 ? .direct : .message
    }
}
