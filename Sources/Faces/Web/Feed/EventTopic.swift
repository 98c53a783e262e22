import Chat
import ChatNode
import Commands
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
        case .event, .error, .answer, .entered, .opened, .listening: conversation = ConversationID(of: report)
        }
    }
}

/// An end of texts: nothing that is kept has them any more.
enum Erasure: Hashable, Sendable {
    /// The room was left or wiped.
    case room(Int)
    /// The request for the direct conversation was declined.
    case conversation(ConversationID)
    case message(ConversationID, MessageID)
    /// The user blocked the peer in the room of this number.
    case author(PeerID, in: Int)

    /// Nil for a report behind which every text stays.
    init?(behind report: RoomReport) {
        switch report.report {
        case .event(.stopped): self = .room(report.room.number)
        case .event(.deleted(let view)): self = .message(ConversationID(report.room, view.conversation), view.id)
        // One that was left is still history, which the node gives.
        case .event(.direct(.declined, let who)):
            self = .conversation(ConversationID(report.room, .direct(with: who)))
        case .event(.blocked(let who, isOn: true)): self = .author(who.key, in: report.room.number)
        case .event, .error, .answer, .entered, .opened, .listening: return nil
        }
    }

    func takes(_ topic: EventTopic) -> Bool {
        switch self {
        case .room(let number): topic.room == number
        case .conversation(let id): topic.conversation == id
        case .message(let id, let message): topic.conversation == id && topic.message == message
        case .author(let peer, let room): topic.room == room && topic.author == peer
        }
    }
}
