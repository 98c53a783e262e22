import ChatNode
import Wire

/// Who said the last messages that were shown, and when, so that a notice about one can say whose it is. At most 256.
struct PlainMemory: Sendable {
    static let capacity = 256

    struct Entry: Sendable {
        let author: String
        let time: Timestamp
    }

    private var entries: [MessageID: Entry] = [:]
    private var order: [MessageID] = []

    subscript(id: MessageID) -> Entry? { entries[id] }

    mutating func note(_ message: MessageView) {
        guard entries[message.id] == nil else { return }
        if order.count == PlainMemory.capacity { entries[order.removeFirst()] = nil }
        order.append(message.id)
        entries[message.id] = Entry(author: PlainMessage(message).author, time: PlainMessage.time(of: message))
    }
}
