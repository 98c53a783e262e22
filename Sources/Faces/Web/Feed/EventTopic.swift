import Chat
import ChatNode
import Commands
import Model
import Wire

/// The subject of an event or a text that is kept: with it, the texts of a room, a conversation, a message or a peer are found
/// when they are to be forgotten.
struct EventTopic: Hashable, Sendable {
    /// The number of the room.
    let room: Int
    /// Nil for what is of no conversation.
    var conversation: ConversationID?
    /// The message whose text it has; nil for none.
    var message: MessageID?
    /// The peer that wrote the text.
    var author: PeerID?

    init(_ message: MessageView, in room: RoomLabel) {
        self.room = room.number
        conversation = ConversationID(room, message.conversation)
        self.message = message.id
        author = message.from.key
    }

    /// That of a text about a room.
    init(_ room: RoomLabel) { self.room = room.number }

    init(_ report: RoomReport) {
        room = report.room.number
        switch report.report {
        case .event(.message(let view)), .event(.edited(let view)), .event(.deleted(let view)):
            conversation = ConversationID(report.room, view.conversation)
            (message, author) = (view.id, view.from.key)
        case .event(.request(let from, text: _)):
            conversation = ConversationID(report.room, .direct(with: from))
            author = from.key
        case .event, .error, .answer, .entered, .opened, .viewed, .leaving, .snapshot, .listening:
            conversation = ConversationID(of: report)
        }
    }
}

extension Erasure {
    func takes(_ topic: EventTopic) -> Bool {
        switch self {
        case .everything: true
        case .room(let number): topic.room == number
        case .request(let id): topic.conversation == id
        case .message(let id, let message): topic.conversation == id && topic.message == message
        case .author(let peer, let room): topic.room == room && topic.author == peer
        }
    }
}
