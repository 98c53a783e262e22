import Chat
import ChatNode
import Commands
import Wire

/// A conversation of this user, in one of the rooms.
struct Place: Hashable, Sendable {
    /// The number of the room.
    let room: Int
    /// Nil for the room's own conversation.
    let peer: PeerID?

    init(_ room: RoomLabel, _ conversation: ConversationView) {
        self.room = room.number
        switch conversation {
        case .publicRoom: peer = nil
        case .direct(let who): peer = who.key
        }
    }
}

/// A conversation with the names of its room and its peer.
struct RoomConversation: Hashable, Sendable {
    let room: RoomLabel
    let conversation: ConversationView

    init(_ room: RoomLabel, _ conversation: ConversationView) {
        (self.room, self.conversation) = (room, conversation)
    }

    var place: Place { Place(room, conversation) }
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
        var target: RoomConversation
        var unread = 0
        var level = Level.message
        var hasRequest = false

        var place: Place { target.place }
        var asksForAttention: Bool { unread > 0 || hasRequest }
    }

    private(set) var rows: [Row] = []

    /// Whether the user is in several rooms.
    var hasRooms: Bool { rows.count { $0.place.peer == nil } > 1 }

    /// The conversation with a number from 1 on.
    func conversation(_ number: Int) -> RoomConversation? {
        rows.indices.contains(number - 1) ? rows[number - 1].target : nil
    }

    /// The conversation that most needs attention, with the most important level first; nil for none.
    func next(besides open: Place?) -> RoomConversation? {
        rows.filter { $0.asksForAttention && $0.place != open }.max { left, right in
            (left.hasRequest ? 1 : left.level.rawValue) < (right.hasRequest ? 1 : right.level.rawValue)
        }?.target
    }

    /// Notes the number of unread messages, and the level of the latest one; a count of 0 ends the level too.
    mutating func record(_ target: RoomConversation, unread: Int, level: Level? = nil) {
        change(target) { row in
            row.unread = unread
            if unread == 0 { row.level = .message } else if let level { row.level = max(row.level, level) }
        }
    }

    mutating func record(requestBy who: PeerName, in room: RoomLabel, isOpen: Bool) {
        let target = RoomConversation(room, .direct(with: who))
        guard isOpen || rows.contains(where: { $0.place == target.place }) else { return }
        change(target) { $0.hasRequest = isOpen }
    }

    /// A peer has another name.
    mutating func rename(_ who: PeerName, in room: RoomLabel) {
        let target = RoomConversation(room, .direct(with: who))
        if let index = rows.firstIndex(where: { $0.place == target.place }) { rows[index].target = target }
    }

    /// The user blocked a peer: nothing of it asks for attention.
    mutating func forget(_ who: PeerName, in room: RoomLabel) {
        let place = Place(room, .direct(with: who))
        guard let index = rows.firstIndex(where: { $0.place == place }) else { return }
        (rows[index].unread, rows[index].level, rows[index].hasRequest) = (0, .message, false)
    }

    /// Removes the number of a conversation that ended, unless something in it is unread.
    mutating func remove(_ target: RoomConversation) {
        rows.removeAll { $0.place == target.place && $0.unread == 0 }
    }

    /// Removes the conversations of a room that was left.
    mutating func remove(_ room: RoomLabel) { rows.removeAll { $0.place.room == room.number } }

    private mutating func change(_ target: RoomConversation, _ body: (inout Row) -> Void) {
        if let index = rows.firstIndex(where: { $0.place == target.place }) {
            rows[index].target = target
            body(&rows[index])
        } else if rows.count <= Limits.directConversations {
            var row = Row(target: target)
            body(&row)
            rows.append(row)
        }
    }
}
