package import Chat
import Wire

/// The numbers by which users open conversations: counted from 1 over all rooms, in the order in which conversations
/// began. `Program` owns them, and gives faces those of a room when one of it begins.
///
/// A conversation keeps its number while the program is in its room, and no number is used again before a wipe. Of 512
/// conversations of a room, those give theirs up that the node no longer has.
package struct ConversationNumbers: Sendable {
    private static let mostOfRoom = 2 * Limits.directConversations

    /// By the numbers of the rooms.
    private var rooms: [Int: [Conversation: Int]] = [:]
    private var last = 0

    package init() {}

    /// Those of the conversations of a room.
    package subscript(room: RoomLabel) -> [Conversation: Int] { rooms[room.number] ?? [:] }

    /// Gives a conversation the next number, unless it has one.
    ///
    /// - Parameter isKept: whether the node has a conversation still.
    /// - Returns: the numbers of its room; nil if they stay as they are.
    package mutating func add(
        _ conversation: Conversation, of room: RoomLabel, isKept: (Conversation) -> Bool = { _ in true }
    ) -> [Conversation: Int]? {
        guard self[room][conversation] == nil else { return nil }
        if self[room].count >= ConversationNumbers.mostOfRoom {
            rooms[room.number] = self[room].filter { isKept($0.key) }
        }
        last += 1
        rooms[room.number, default: [:]][conversation] = last
        return self[room]
    }

    /// As above, of the conversation that begins by an event; nil if none does.
    package mutating func add(
        _ event: NodeEvent, of room: RoomLabel, isKept: (Conversation) -> Bool = { _ in true }
    ) -> [Conversation: Int]? {
        event.begun.flatMap { add($0, of: room, isKept: isKept) }
    }

    /// The program is not in the room any more.
    mutating func remove(_ room: RoomLabel) { rooms[room.number] = nil }
}

extension NodeEvent {
    /// The conversation that is there from the event on, if it was not before; nil for none.
    fileprivate var begun: Conversation? {
        switch self {
        case .ready: .publicRoom
        case .message(let message): message.conversation == .publicRoom ? nil : Conversation(message.conversation)
        case .request(let who, text: _), .direct(.accepted, let who): .direct(who.key)
        // Peers type in accepted conversations alone, of which one from an earlier run has had no event.
        case .typing(_, let view, isOn: true): view == .publicRoom ? nil : Conversation(view)
        case .peer, .renamed, .status, .person, .blocked, .crowd, .elsewhere, .direct, .invitation, .edited, .deleted,
            .reacted, .card, .cardRemoved, .delivered, .read, .failed, .typing, .notice, .stopped:
            nil
        }
    }
}
