import Chat
import ChatNode
import Wire

/// A conversation of this user.
enum Place: Hashable, Sendable {
    case publicRoom
    case direct(PeerID)

    init(_ conversation: ConversationView) {
        switch conversation {
        case .publicRoom: self = .publicRoom
        case .direct(let who): self = .direct(who.key)
        }
    }
}

/// The conversations in the order of their numbers, with what is unread in each.
struct ConversationList: Sendable {
    /// Why a conversation asks for attention, in growing order.
    enum Level: Int, Comparable, Sendable {
        case message, direct, mention

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// The sign behind the count.
        var mark: String {
            switch self {
            case .message: ""
            case .direct: "!"
            case .mention: "@"
            }
        }
    }

    struct Row: Sendable {
        let place: Place
        var conversation: ConversationView
        var unread = 0
        var level = Level.message
        var hasRequest = false

        var asksForAttention: Bool { unread > 0 || hasRequest }
    }

    private(set) var rows = [Row(place: .publicRoom, conversation: .publicRoom)]

    /// The conversation with a number from 1 on.
    func conversation(_ number: Int) -> ConversationView? {
        rows.indices.contains(number - 1) ? rows[number - 1].conversation : nil
    }

    /// The conversation that most needs attention, with the most important level first, and its number; nil for none.
    func next(besides open: Place) -> ConversationView? {
        rows.filter { $0.asksForAttention && $0.place != open }.max { left, right in
            (left.hasRequest ? 1 : left.level.rawValue) < (right.hasRequest ? 1 : right.level.rawValue)
        }?.conversation
    }

    /// Notes the number of unread messages, and the level of the latest one; a count of 0 ends the level too.
    mutating func note(_ conversation: ConversationView, unread: Int, level: Level? = nil) {
        change(conversation) { row in
            row.unread = unread
            if unread == 0 { row.level = .message } else if let level { row.level = max(row.level, level) }
        }
    }

    mutating func note(requestBy who: PeerName, isOpen: Bool) {
        guard isOpen || rows.contains(where: { $0.place == .direct(who.key) }) else { return }
        change(.direct(with: who)) { $0.hasRequest = isOpen }
    }

    /// Removes the numbers of a conversation that ended, unless something in it is unread.
    mutating func remove(_ who: PeerName) {
        rows.removeAll { $0.place == .direct(who.key) && $0.unread == 0 }
    }

    private mutating func change(_ conversation: ConversationView, _ body: (inout Row) -> Void) {
        let place = Place(conversation)
        if let index = rows.firstIndex(where: { $0.place == place }) {
            rows[index].conversation = conversation
            body(&rows[index])
        } else if rows.count <= Limits.directConversations {
            var row = Row(place: place, conversation: conversation)
            body(&row)
            rows.append(row)
        }
    }
}
