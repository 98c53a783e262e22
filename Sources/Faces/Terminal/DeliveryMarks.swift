import Chat
import ChatNode
import Commands
import LineEditor
import Model
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
    /// Draws delivery states behind the lines of messages that are on the screen, and tells those of others in the open
    /// conversation.
    mutating func showDeliveries(at time: Timestamp) {
        for case .delivery(let id, let message, let delivery, at: _) in view.changes {
            guard !redraw(message, as: delivery), id == view.open,
                let phrase = TerminalSession.phrase(for: delivery),
                let conversation = view.model.conversation(id), case .direct(let who) = conversation.view,
                let text = conversation.log[message]?.text
            else { continue }
            let line = language(phrase, who.displayName, PlainOutput.beginning(of: text))
            view.add(view.rendering.notice(line, at: time), of: time)
        }
    }

    /// Nil for a state without a line of its own: a failure has one as an event.
    private static func phrase(for delivery: DeliveryState) -> Phrase? {
        switch delivery {
        case .delivered: .deliveredText
        case .read: .hasReadText
        case .sending, .failed: nil
        }
    }

    /// False if the message is not on the screen.
    private mutating func redraw(_ id: MessageID, as delivery: DeliveryState) -> Bool {
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
