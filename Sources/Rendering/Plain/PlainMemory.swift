import ChatNode
import Wire

/// The authors and times of the last messages shown, so that a notice about one can name its author. At most 256.
struct PlainMemory: Sendable {
    package static let capacity = 256

    package struct Entry: Sendable {
        package let author: String
        package let time: Timestamp
    }

    private var entries: [MessageID: Entry] = [:]
    private var order: [MessageID] = []

    subscript(id: MessageID) -> Entry? { entries[id] }

    package mutating func note(_ message: MessageView) {
        guard entries[message.id] == nil else { return }
        if order.count == PlainMemory.capacity { entries[order.removeFirst()] = nil }
        order.append(message.id)
        entries[message.id] = Entry(author: PlainMessage(message).author, time: PlainMessage.time(of: message))
    }
}
