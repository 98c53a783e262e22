import Chat
import ChatNode
import Commands
import LineEditor
import Phrases
import Rendering
import Wire

/// The rows of own direct messages, so that a new delivery state is drawn in the row of its message.
struct DeliveryMarks: Sendable {
    static let capacity = 256

    private var rows: [MessageID: (key: Int, unmarked: StyledText)] = [:]
    private var order: [MessageID] = []
    private var next = 0

    /// Notes the last row of a message, and returns its key.
    mutating func add(_ id: MessageID, unmarked: StyledText) -> Int {
        if rows[id] == nil {
            if order.count == DeliveryMarks.capacity { rows[order.removeFirst()] = nil }
            order.append(id)
        }
        next += 1
        rows[id] = (next, unmarked)
        return next
    }

    /// Forgets the row of a message that was deleted.
    mutating func remove(_ id: MessageID) {
        guard rows.removeValue(forKey: id) != nil else { return }
        order.removeAll { $0 == id }
    }

    subscript(id: MessageID) -> (key: Int, unmarked: StyledText)? { rows[id] }
}

extension TerminalSession {
    /// Draws the delivery state behind the lines of messages that are on the screen, and tells that of all others.
    mutating func recordDelivery(_ report: RoomReport, wallClock: Timestamp) {
        switch report.report {
        case .event(.delivered(let who, let ids)): record(.delivered, of: ids, with: who, .deliveredText, at: wallClock)
        case .event(.read(let who, let ids)): record(.read, of: ids, with: who, .hasReadText, at: wallClock)
        case .event(.failed(_, let messages)): for message in messages { _ = redraw(message.id, as: .failed) }
        case .event, .answer, .error, .entered, .opened, .viewed, .leaving, .snapshot, .listening: break
        }
    }

    private mutating func record(
        _ delivery: DeliveryState, of ids: [MessageID], with who: PeerName, _ phrase: Phrase, at time: Timestamp
    ) {
        for id in ids where !redraw(id, as: delivery) {
            guard let message = view.log.last(where: { $0.id == id }) else { continue }
            let text = language(phrase, who.displayName, PlainOutput.beginning(of: message.text))
            view.add(view.rendering.notice(text, at: time), of: time)
        }
    }

    /// False if the message is not on the screen.
    private mutating func redraw(_ id: MessageID, as delivery: DeliveryState) -> Bool {
        if let index = view.log.lastIndex(where: { $0.id == id }) { view.log[index].delivery = delivery }
        let mark = ChatRendering.mark(delivery)
        if let index = lines.lastIndex(where: { $0.delivery?.id == id }) {
            lines[index].delivery?.mark = mark
            return true
        }
        guard let (key, unmarked) = marks[id] else { return false }
        guard screen.redraw(key, as: ChatLine.marked(unmarked, mark)) else { return false }
        echo()
        return true
    }
}
