import Chat
import Model
import Wire

/// A page of messages, by the ids at its ends (keyset paging).
struct MessagePage {
    let messages: [MessageView]
    /// The cursor `after` of the messages behind it; nil if there is none.
    let next: MessageID?
    /// The cursor `before` of those in front of it.
    let previous: MessageID?

    /// - Parameters:
    ///   - all: the messages of a conversation, the oldest first.
    ///   - deleted: the places of its deleted messages.
    /// - Returns: nil for a cursor that has no place.
    init?(
        of all: [MessageView], in id: ConversationID, _ deleted: DeletedCursors = DeletedCursors(), before: MessageID?,
        after: MessageID?, limit: Int
    ) {
        var range = all.indices
        if let after {
            guard let place = deleted.place(of: after, in: id, all) else { return nil }
            range = place.upperBound..<range.upperBound
        }
        if let before {
            guard let place = deleted.place(of: before, in: id, all) else { return nil }
            range = range.lowerBound..<max(range.lowerBound, place.lowerBound)
        }
        let page = after == nil ? range.suffix(limit) : range.prefix(limit)
        messages = Array(all[page])
        next = page.upperBound < all.endIndex ? messages.last?.id : nil
        previous = page.lowerBound > all.startIndex ? messages.first?.id : nil
    }
}

/// The places of deleted messages, as their ids may be cursors. Bounded: the 256 that were deleted last.
struct DeletedCursors: Sendable {
    static let capacity = 256

    private struct Deleted {
        let id: MessageID
        let conversation: ConversationID
        /// The message in front of it when it was deleted; nil for none.
        let previous: MessageID?
    }

    private var deleted: [Deleted] = []

    mutating func add(_ id: MessageID, of conversation: ConversationID, behind previous: MessageID?) {
        if deleted.count == DeletedCursors.capacity { deleted.removeFirst() }
        deleted.append(Deleted(id: id, conversation: conversation, previous: previous))
    }

    mutating func erase(_ erasure: Erasure) {
        switch erasure {
        case .everything: deleted = []
        case .room(let number): deleted.removeAll { $0.conversation.room == number }
        case .request, .message, .author: break
        }
    }

    /// The place of a cursor among the messages of a conversation: of a deleted one the empty range between two of them, at the
    /// front if those before it are gone too. Nil if it is not known.
    func place(of cursor: MessageID, in id: ConversationID, _ all: [MessageView]) -> Range<Int>? {
        if let index = all.firstIndex(where: { $0.id == cursor }) { return index..<index + 1 }
        guard var found = row(of: cursor, in: id) else { return nil }
        // Each row was deleted behind the ones in front of it, so this ends; the bound is for ids that came back.
        for _ in deleted {
            guard let previous = found.previous else { break }
            if let index = all.firstIndex(where: { $0.id == previous }) { return index + 1..<index + 1 }
            guard let next = row(of: previous, in: id) else { break }
            found = next
        }
        return 0..<0
    }

    private func row(of cursor: MessageID, in id: ConversationID) -> Deleted? {
        deleted.last { $0.id == cursor && $0.conversation == id }
    }
}
