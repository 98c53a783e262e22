import Chat
import Model
import Wire

/// Holds what comes right after the first peer, so that history is shown in its order and before everything else.
///
/// A node gets history from several peers at once, and messages that waited for it at the same time. Only ids are held: the
/// lines show what the chat has when the block ends.
struct ArrivalBlock: Sendable {
    /// After the first peer, and after the latest message of history.
    static let firstPause = Duration.milliseconds(600)
    static let pause = Duration.milliseconds(300)
    /// The longest delay of a message.
    static let longest = Duration.seconds(2)
    /// Messages of history.
    static let capacity = 1_024
    /// Of what is shown behind the history: half of what a conversation keeps, so that none of it is gone at the end.
    static let laterCapacity = MessageLog.capacity / 2

    private var end: Instant?
    private var last: Instant?
    private var history: [HeldMessage] = []
    private var later: [HeldEvent] = []

    struct HeldMessage: Hashable, Sendable {
        let conversation: ConversationID
        let id: MessageID
    }

    /// An event that is shown behind the history.
    enum HeldEvent: Hashable, Sendable {
        case message(HeldMessage)
        /// The request of the peer of a direct conversation.
        case request(ConversationID)
    }

    var deadline: Instant? { end }
    /// Whether the block is to end before more is held.
    var isFull: Bool { later.count >= ArrivalBlock.laterCapacity }

    /// The first peer came.
    mutating func begin(at now: Instant) {
        guard end == nil else { return }
        (end, last) = (now + ArrivalBlock.firstPause, now + ArrivalBlock.longest)
    }

    /// Holds a message if it is of history, or if history is awaited. False if it is to be shown at once.
    mutating func hold(_ message: MessageView, in conversation: ConversationID, at now: Instant) -> Bool {
        let held = HeldMessage(conversation: conversation, id: message.id)
        guard message.isHistory else { return hold(.message(held)) }
        guard history.count < ArrivalBlock.capacity else { return false }
        history.append(held)
        let limit = last ?? now + ArrivalBlock.longest
        (end, last) = (min(now + ArrivalBlock.pause, limit), limit)
        return true
    }

    /// Holds an event until the history is shown. False if nothing is awaited, or there is no room.
    mutating func hold(_ event: HeldEvent) -> Bool {
        guard end != nil, !isFull else { return false }
        later.append(event)
        return true
    }

    func holds(_ message: HeldMessage) -> Bool { history.contains(message) || later.contains(.message(message)) }

    /// Ends the block: the messages of history in the order in which they came, and what follows them.
    mutating func take() -> (history: [HeldMessage], later: [HeldEvent]) {
        defer { self = ArrivalBlock() }
        return (history, later)
    }
}
