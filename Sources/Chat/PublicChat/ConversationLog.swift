package import Wire

/// The messages that a conversation keeps, public or direct, with the reactions to them, and how many of them are unread.
package struct ConversationLog: Sendable {
    package private(set) var messages = MessageRing()
    package private(set) var reactions: Reactions
    /// Whether the user looks at it: then nothing is unread.
    package var isActive = false {
        didSet { if isActive { readAll() } }
    }
    private var unread: Set<MessageID> = []
    /// Unread messages that the ring evicted: they still count.
    private var unreadEvicted = 0

    /// - Parameter isHistory: as for `Reactions`.
    init(isHistory: Bool) { reactions = Reactions(isHistory: isHistory) }

    package var unreadCount: Int { unread.count + unreadEvicted }

    package var last: Message? { messages.last }

    func isUnread(_ id: MessageID) -> Bool { unread.contains(id) }

    /// Unread messages that are kept, oldest first.
    var unreadMessages: [MessageID] {
        unread.isEmpty ? [] : messages.lazy.map(\.id).filter { [unread] in unread.contains($0) }
    }

    /// Adds a message. It counts as unread if the user does not look at the conversation, and if it is not from before the
    /// user came.
    ///
    /// - Parameter correction: of the wall clock, in milliseconds.
    /// - Returns: the unread messages with it; nil for a duplicate, and for history from before the ring, which are not reported.
    ///   A live message, and one that was missed lately, is reported even if it is too old to be kept.
    mutating func add(
        _ message: Message, isOwn: Bool, correction: Int64 = 0
    ) -> (unread: Int?, placement: MessageRing.Placement) {
        let placement = keep(message)
        let isNews = !isOwn && !message.isFromBefore && !isActive
        switch placement {
        case .duplicate:
            return (nil, placement)
        case .tooOld:
            guard !message.isHistory || message.isMissedLately(correction) else { return (nil, placement) }
            if isNews { unreadEvicted += 1 }
        case .kept:
            if isNews { unread.insert(message.id) }
        }
        return (unreadCount, placement)
    }

    /// Keeps a message that the user has read.
    @discardableResult
    mutating func keep(_ message: Message) -> MessageRing.Placement {
        let placement = messages.insert(message)
        guard case .kept(let evicted?) = placement else { return placement }
        reactions.drop(evicted.id)
        if !unread.isEmpty, unread.remove(evicted.id) != nil { unreadEvicted += 1 }
        return placement
    }

    /// Keeps an author's reaction to a message that is here.
    mutating func react(
        _ emojis: [String], to message: MessageID, by source: VerifiedPayload, from giver: Giver
    ) -> Reactions.Placement {
        reactions.keep(emojis, on: message, by: source, from: giver)
    }

    /// Notes a reaction that is not kept.
    mutating func recordPassed(_ reaction: UInt64) { reactions.recordPassed(reaction) }

    /// Applies an author's edit or deletion.
    ///
    /// - Returns: the edited message, or the deleted one as it was; nil if the message is not here or has another author, or if a
    ///   later edit is shown.
    mutating func apply(_ change: MessageChange) -> Message? {
        guard let message = messages[id: change.target], message.author == change.author else { return nil }
        switch change.kind {
        case .edit(let text):
            return messages.update(change.target) { $0.show(text, as: change.authorClock) }
        case .delete:
            messages.delete(change.target)
            reactions.drop(change.target)
            unread.remove(change.target)
            return message
        }
    }

    /// Keeps the message's payload with its signature checked.
    mutating func replaceSource(with proven: VerifiedPayload) {
        _ = messages.update(proven.id) { message in
            message.replaceSource(with: proven)
            return true
        }
    }

    /// Counts no kept message of an author as unread any more.
    mutating func readAll(of author: PeerID) {
        guard !unread.isEmpty else { return }
        for message in messages where message.author == author { unread.remove(message.id) }
    }

    private mutating func readAll() {
        unread.removeAll(keepingCapacity: true)
        unreadEvicted = 0
    }
}

/// The conversation of a message: the public room, or the direct conversation with a peer.
package enum Conversation: Hashable, Sendable {
    case publicRoom
    case direct(PeerID)
}
