import Chat
import ChatNode
import Wire

/// Holds what comes right after the first peer, so that history is shown in its order and before everything else.
///
/// A node gets history from several peers at once, and messages that waited for it at the same time.
struct ArrivalBlock: Sendable {
    /// After the first peer, and after the latest message of history.
    static let firstPause = Duration.milliseconds(600)
    static let pause = Duration.milliseconds(300)
    /// The longest delay of a message.
    static let longest = Duration.seconds(2)
    static let capacity = 1_024

    private var end: Instant?
    private var last: Instant?
    private var history: [MessageView] = []
    private var later: [HeldEvent] = []

    /// An event that is shown behind the history.
    enum HeldEvent: Sendable {
        case message(MessageView)
        case request(PeerName, String)
    }

    var deadline: Instant? { end }
    var isEmpty: Bool { history.isEmpty && later.isEmpty }

    /// The first peer came.
    mutating func begin(at now: Instant) {
        guard end == nil else { return }
        (end, last) = (now + ArrivalBlock.firstPause, now + ArrivalBlock.longest)
    }

    /// Holds a message if it is of history, or if history is awaited. False if it is to be shown at once.
    mutating func holds(_ message: MessageView, at now: Instant) -> Bool {
        message.isHistory ? hold(message, at: now) : hold(.message(message))
    }

    /// Holds a message of history. False if there is no room.
    mutating func hold(_ message: MessageView, at now: Instant) -> Bool {
        guard history.count < ArrivalBlock.capacity else { return false }
        history.append(message)
        let limit = last ?? now + ArrivalBlock.longest
        (end, last) = (min(now + ArrivalBlock.pause, limit), limit)
        return true
    }

    /// Holds an event until the history is shown. False if nothing is awaited, or there is no room.
    mutating func hold(_ event: HeldEvent) -> Bool {
        guard end != nil, later.count < ArrivalBlock.capacity else { return false }
        later.append(event)
        return true
    }

    /// Applies an edit to a held message; false if it is not held.
    mutating func edit(_ id: MessageID, to text: String) -> Bool {
        if let index = history.firstIndex(where: { $0.id == id }) {
            history[index].text = text
            return true
        }
        for index in later.indices {
            guard case .message(var message) = later[index], message.id == id else { continue }
            message.text = text
            later[index] = .message(message)
            return true
        }
        return false
    }

    /// Removes a held message; false if it is not held.
    mutating func delete(_ id: MessageID) -> Bool {
        let count = history.count + later.count
        history.removeAll { $0.id == id }
        later.removeAll { if case .message(let message) = $0 { message.id == id } else { false } }
        return history.count + later.count < count
    }

    /// Removes the held messages of a peer that the user blocked, and its request.
    mutating func forget(_ author: PeerID) {
        history.removeAll { $0.from.key == author }
        later.removeAll { event in
            switch event {
            case .message(let message): message.from.key == author
            case .request(let who, _): who.key == author
            }
        }
    }

    /// Ends the block: the history from before the user came and what was missed since, the oldest first, and what
    /// follows them.
    mutating func take() -> (before: [MessageView], missed: [MessageView], later: [HeldEvent]) {
        defer { self = ArrivalBlock() }
        // Stable: messages of one millisecond keep the order of their arrival, which is that of the sender's ring.
        let ordered = history.sorted { $0.sentAt < $1.sentAt }
        return (ordered.filter { !$0.isMissed }, ordered.filter(\.isMissed), later)
    }
}
