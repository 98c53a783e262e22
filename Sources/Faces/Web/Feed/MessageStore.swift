import Chat
import ChatNode
import Commands
import Model
import Wire

/// The messages that were seen, for pages of them: a page is stable while a node forgets its oldest messages.
struct MessageStore: Sendable {
    /// In each conversation; a node keeps 100.
    static let capacity = 256

    /// The place of a message, which stays when it is deleted: its id may be a cursor.
    struct Place: Sendable {
        let id: MessageID
        /// Nil for one that was deleted.
        var message: MessageView?
    }

    private var conversations: [ConversationID: [Place]] = [:]

    /// Takes an event.
    mutating func record(_ report: RoomReport) {
        switch report.report {
        case .event(.message(let message)):
            let id = ConversationID(report.room, message.conversation)
            guard !(conversations[id] ?? []).contains(where: { $0.id == message.id }) else { return }
            conversations[id, default: []].append(Place(id: message.id, message: message))
            trim(id)
        case .event(.edited(let message)):
            change(message.id, of: ConversationID(report.room, message.conversation)) {
                ($0.text, $0.isEdited) = (message.text, true)
            }
        case .event(.delivered(let who, let ids)): set(.delivered, ids, with: who, in: report.room)
        case .event(.read(let who, let ids)): set(.read, ids, with: who, in: report.room)
        case .event(.failed(let who, let messages)): set(.failed, messages.map(\.id), with: who, in: report.room)
        case .event, .error, .answer, .entered, .opened, .leaving, .snapshot, .listening: break
        }
    }

    mutating func erase(_ erasure: Erasure) {
        switch erasure {
        case .room(let number): conversations = conversations.filter { $0.key.room != number }
        case .everything: conversations = [:]
        case .request(let id): conversations[id] = nil
        case .message(let id, let message):
            guard let index = conversations[id]?.firstIndex(where: { $0.id == message }) else { return }
            conversations[id]?[index].message = nil
        case .author(let peer, let room):
            for (id, places) in conversations where id.room == room {
                for (index, place) in places.enumerated() where place.message?.from.key == peer {
                    conversations[id]?[index].message = nil
                }
            }
        }
    }

    /// A message as it is now; nil for one that is not known.
    func message(_ topic: EventTopic) -> MessageView? { place(topic)?.message }

    func isDeleted(_ topic: EventTopic) -> Bool { place(topic).map { $0.message == nil } ?? false }

    /// The places of a conversation, the oldest first.
    ///
    /// - Parameter history: the messages that the node keeps, in its order: they are the latest ones.
    mutating func places(of id: ConversationID, with history: [MessageView]) -> [Place] {
        let kept = Set(history.map(\.id))
        let before = conversations[id] ?? []
        var places: [Place] = []
        // A deleted message stays behind the one that it was behind.
        var gone: [MessageID: [Place]] = [:]
        var last: MessageID?
        for place in before {
            if kept.contains(place.id) {
                last = place.id
            } else if let last, place.message == nil {
                gone[last, default: []].append(place)
            } else {
                places.append(place)
            }
        }
        for message in history {
            places.append(Place(id: message.id, message: message))
            places += gone[message.id] ?? []
        }
        conversations[id] = places
        trim(id)
        return conversations[id] ?? []
    }

    private func place(_ topic: EventTopic) -> Place? {
        topic.conversation.flatMap { conversations[$0] }?.first { $0.id == topic.message }
    }

    private mutating func set(_ delivery: DeliveryState, _ ids: [MessageID], with who: PeerName, in room: RoomLabel) {
        let id = ConversationID(room, .direct(with: who))
        for message in ids { change(message, of: id) { $0.delivery = delivery } }
    }

    private mutating func change(_ message: MessageID, of id: ConversationID, _ change: (inout MessageView) -> Void) {
        guard let index = conversations[id]?.lastIndex(where: { $0.id == message }),
            var changed = conversations[id]?[index].message
        else { return }
        change(&changed)
        conversations[id]?[index].message = changed
    }

    private mutating func trim(_ id: ConversationID) {
        let excess = (conversations[id]?.count ?? 0) - MessageStore.capacity
        if excess > 0 { conversations[id]?.removeFirst(excess) }
    }
}
