package import Chat
import ChatNode
package import Commands
package import Model
package import Wire

/// The subject of an event or a text that is kept: with it, the texts of a room, a conversation, a message or a peer are found
/// when they are to be forgotten.
package struct EventTopic: Hashable, Sendable {
    /// The number of the room.
    package let room: Int
    /// Nil for what is of no conversation.
    package var conversation: ConversationID?
    /// The message whose text it has; nil for none.
    package var message: MessageID?
    /// The peer that wrote the text.
    package var author: PeerID?
    /// Those of an answer that has several texts.
    private(set) var parts: [EventTopic] = []

    package init(_ message: MessageView, in room: RoomLabel) {
        self.room = room.number
        conversation = ConversationID(room, message.conversation)
        self.message = message.id
        author = message.from.key
    }

    /// That of a text about a room.
    package init(_ room: RoomLabel) { self.init(room: room.number) }

    /// That of a text about several peers of a room.
    package init(_ room: RoomLabel, about peers: [PeerID]) {
        self.init(room)
        parts = peers.map { EventTopic(of: $0, room: room.number) }
    }

    init(room: Int) { self.room = room }

    private init(of author: PeerID, room: Int) {
        self.init(room: room)
        self.author = author
    }

    private init(_ text: AnswerText) {
        room = text.room.number
        conversation = text.conversation.map { ConversationID(text.room, $0) }
        (message, author) = (text.message, text.author)
    }

    package init(_ report: RoomReport) {
        room = report.room.number
        switch report.report {
        case .event(.message(let view)), .event(.edited(let view)), .event(.deleted(let view)):
            conversation = ConversationID(report.room, view.conversation)
            (message, author) = (view.id, view.from.key)
        case .event(.reacted(let reaction)):
            conversation = ConversationID(report.room, reaction.message.conversation)
            // Some faces tell it with the text of the message.
            (message, author) = (reaction.message.id, reaction.message.from.key)
            // One that takes emojis away stays behind a block, whose event it belongs to.
            if !reaction.emojis.isEmpty { parts = [EventTopic(of: reaction.by.key, room: room)] }
        case .event(.card(let card)):
            conversation = ConversationID(report.room, .publicRoom)
            (message, author) = (card.id, card.from.key)
        case .event(.cardRemoved(let card, _)):
            conversation = ConversationID(report.room, .publicRoom)
            message = card.id
        case .event(.request(let from, text: _)):
            conversation = ConversationID(report.room, .direct(with: from))
            author = from.key
        case .event(.invitation(let from, to: _, isThere: _)): author = from.key
        case .event(.peer(_, let who, reason: _, was: _, online: _)), .event(.elsewhere(_, let who, reason: _, was: _)):
            if report.withoutReason != nil { author = who.key }
        case .event(.person(let row)): if row.reason != nil { author = row.who.key }
        case .answer(let answer): parts = answer.content.texts(in: report.room).map { EventTopic($0) }
        case .event, .error, .entered, .opened, .viewed, .leaving, .snapshot, .listening, .entering:
            conversation = ConversationID(of: report)
        }
    }
}

extension RoomReport {
    /// The event without the reason that a peer gave for being away; nil for one without any.
    var withoutReason: RoomReport? {
        guard case .event(let event) = report else { return nil }
        return event.withoutReason.map { RoomReport(room, .event($0)) }
    }
}

extension Erasure {
    package func takes(_ topic: EventTopic) -> Bool {
        if topic.parts.contains(where: takes) { return true }
        return switch self {
        case .everything: true
        case .room(let number): topic.room == number
        case .request(let id): topic.conversation == id
        case .message(let id, let message): topic.conversation == id && topic.message == message
        case .author(let peer, let room): topic.room == room && topic.author == peer
        }
    }
}

extension EventTopic {
    /// Nil for a report without a text that is said in a room.
    package init?(textOf report: RoomReport) {
        switch report.report {
        case .event(.message), .event(.edited), .event(.reacted), .event(.card), .event(.request), .event(.failed),
            .event(.invitation), .event(.status), .opened, .answer:
            self.init(report)
        case .event where report.withoutReason != nil: self.init(report)
        case .event, .error, .entered, .viewed, .leaving, .snapshot, .listening, .entering: return nil
        }
    }
}
