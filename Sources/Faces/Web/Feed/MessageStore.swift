import Chat
import ChatNode
import Commands
import Wire

/// The messages that were seen, for pages of them: a page is stable while a node forgets its oldest messages.
struct MessageStore: Sendable {
    /// In each conversation; a node keeps 100.
    static let capacity = 256

    private var conversations: [ConversationID: [MessageView]] = [:]

    /// Takes an event.
    mutating func note(_ report: RoomReport) {
        switch report.report {
        case .event(.message(let message)):
            let id = ConversationID(report.room, message.conversation)
            guard !(conversations[id] ?? []).contains(where: { $0.id == message.id }) else { return }
            conversations[id, default: []].append(message)
            trim(id)
        case .event(.edited(let view, let message, let text, unread: _)):
            let id = ConversationID(report.room, view)
            guard let index = conversations[id]?.firstIndex(where: { $0.id == message }) else { return }
            conversations[id]?[index].text = text
        case .event(.deleted(let view, let message, unread: _)):
            conversations[ConversationID(report.room, view)]?.removeAll { $0.id == message }
        case .event(.direct(.left, let who)), .event(.direct(.declined, let who)):
            conversations[ConversationID(report.room, .direct(with: who))] = nil
        case .event(.stopped): conversations = conversations.filter { $0.key.room != report.room.number }
        case .event, .error, .answer, .entered, .opened, .listening: break
        }
    }

    /// All messages of a conversation, the oldest first.
    ///
    /// - Parameter history: those that the node keeps, in its order: they are the latest ones.
    mutating func messages(of id: ConversationID, with history: [MessageView]) -> [MessageView] {
        let kept = Set(history.map(\.id))
        conversations[id] = (conversations[id] ?? []).filter { !kept.contains($0.id) } + history
        trim(id)
        return conversations[id] ?? []
    }

    private mutating func trim(_ id: ConversationID) {
        let excess = (conversations[id]?.count ?? 0) - MessageStore.capacity
        if excess > 0 { conversations[id]?.removeFirst(excess) }
    }
}

/// A page of messages, by the ids at its ends (keyset paging).
struct MessagePage {
    let messages: ArraySlice<MessageView>
    /// The cursor `after` of the messages behind it; nil if there is none.
    let next: MessageID?
    /// The cursor `before` of those in front of it.
    let previous: MessageID?

    /// - Returns: nil for a cursor that is not among the messages.
    init?(of all: [MessageView], before: MessageID?, after: MessageID?, limit: Int) {
        var range = all.indices
        if let after {
            guard let index = all.firstIndex(where: { $0.id == after }) else { return nil }
            range = index + 1..<range.upperBound
        }
        if let before {
            guard let index = all.firstIndex(where: { $0.id == before }) else { return nil }
            range = range.lowerBound..<max(range.lowerBound, index)
        }
        messages = after == nil ? all[range].suffix(limit) : all[range].prefix(limit)
        next = messages.endIndex < all.count ? messages.last?.id : nil
        previous = messages.startIndex > 0 ? messages.first?.id : nil
    }
}
