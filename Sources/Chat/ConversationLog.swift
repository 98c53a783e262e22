internal import Wire

/// What a conversation keeps, public or direct: its last messages and how many of them nobody has looked at.
package struct ConversationLog: Sendable {
    package let conversation: Conversation
    package private(set) var messages = MessageRing()
    /// Whether the person is looking at it: then nothing is unread.
    package var isActive = false {
        didSet { if isActive { readAll() } }
    }
    private var unread: Set<MessageID> = []
    /// Unread messages that the ring no longer holds: they stay counted.
    private var unreadFallen = 0

    package init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    package var unreadCount: Int { unread.count + unreadFallen }

    package var last: Message? { messages.last }

    /// Unread messages that are still kept, oldest first.
    var unreadMessages: [MessageID] {
        unread.isEmpty ? [] : messages.lazy.map(\.id).filter { [unread] in unread.contains($0) }
    }

    /// Adds a message, which counts as unread if it was received now and nobody is looking.
    ///
    /// - Returns: nil for a duplicate, and for history from before what the ring holds.
    mutating func add(_ message: Message, isOwn: Bool) -> ChatEvent? {
        guard keep(message) else { return nil }
        if !isOwn && !message.isHistory && !isActive { unread.insert(message.id) }
        return .message(conversation, message, unread: unreadCount)
    }

    /// Keeps a message that its reader has seen already. False for a duplicate.
    @discardableResult
    mutating func keep(_ message: Message) -> Bool {
        if message.isHistory { return messages.insertHistory(message) }
        guard !messages.contains(id: message.id) else { return false }
        if let fallen = messages.append(message), unread.remove(fallen.id) != nil { unreadFallen += 1 }
        return true
    }

    /// Does to a message what its author wishes. Nil if the message is not here or not that author's, or is newer.
    mutating func apply(_ change: MessageChange) -> ChatEvent? {
        guard messages[id: change.target]?.author == change.author else { return nil }
        switch change.kind {
        case .edit(let text):
            let edited = messages.update(change.target) { $0.show(text, as: change.revision) }
            return edited.map { .edited(conversation, $0, unread: unreadCount) }
        case .delete:
            messages.delete(change.target)
            unread.remove(change.target)
            return .deleted(conversation, change.target, unread: unreadCount)
        }
    }

    private mutating func readAll() {
        unread.removeAll(keepingCapacity: true)
        unreadFallen = 0
    }
}
