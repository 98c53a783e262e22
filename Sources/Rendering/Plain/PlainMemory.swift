import Chat
import ChatNode
import Wire

/// The authors and times of the last messages shown, so that a notice about one can name its author. At most 256.
struct PlainMemory: Sendable {
    package static let capacity = 256

    package struct Entry: Sendable {
        package let author: String
        package let time: Timestamp
        let key: PeerID
    }

    private var entries: [MessageID: Entry] = [:]
    private var order: [MessageID] = []

    subscript(id: MessageID) -> Entry? { entries[id] }

    package mutating func record(_ message: MessageView) {
        guard entries[message.id] == nil else { return }
        if order.count == PlainMemory.capacity { entries[order.removeFirst()] = nil }
        order.append(message.id)
        entries[message.id] = Entry(
            author: PlainMessage(message).author, time: PlainMessage.time(of: message), key: message.from.key)
    }

    /// Forgets a message that its author deleted.
    mutating func forget(_ id: MessageID) {
        guard entries.removeValue(forKey: id) != nil else { return }
        order.removeAll { $0 == id }
    }

    /// Forgets the messages of an author.
    mutating func forget(_ author: PeerID) {
        entries = entries.filter { $0.value.key != author }
        order.removeAll { entries[$0] == nil }
    }
}
