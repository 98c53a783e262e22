import Chat
import ChatNode
import Commands
import LineEditor
import Model
import Phrases
import Rendering
import Wire

/// The rows of messages that were drawn, so that a new delivery state, an edit and a deletion are drawn in the rows of their message.
struct MessageRows: Sendable {
    static let capacity = 256

    struct Entry: Sendable {
        var line: ChatLine
        fileprivate let keys: [Int]
        fileprivate var rows: [StyledText]
    }

    private var entries: [MessageID: Entry] = [:]
    private var order: [MessageID] = []
    private var next = 0

    /// Records the rows of a message's line, and returns their keys.
    mutating func add(_ id: MessageID, _ line: ChatLine, rows: [StyledText]) -> [Int] {
        if entries[id] == nil {
            if order.count == MessageRows.capacity { entries[order.removeFirst()] = nil }
            order.append(id)
        }
        let keys = Array(next + 1...next + rows.count)
        next += rows.count
        entries[id] = Entry(line: line, keys: keys, rows: rows)
        return keys
    }

    /// Forgets the rows of a message that was deleted.
    mutating func remove(_ id: MessageID) {
        guard entries.removeValue(forKey: id) != nil else { return }
        order.removeAll { $0 == id }
    }

    subscript(id: MessageID) -> Entry? { entries[id] }

    /// Draws another line in the rows of a message.
    ///
    /// - Returns: false if it has not the room, or if a row of it is not on the screen any more: nothing is drawn then.
    mutating func redraw(_ id: MessageID, as line: ChatLine, on screen: inout Screen) -> Bool {
        guard let entry = entries[id] else { return false }
        var rows = line.rows(columns: screen.columns)
        guard rows.count <= entry.rows.count else { return false }
        rows += Array(repeating: StyledText(), count: entry.rows.count - rows.count)
        let changed = rows.indices.filter { rows[$0] != entry.rows[$0] }
        // The terminal itself has cut a row that is too wide for it, at places that are not known here.
        let fits = changed.allSatisfy {
            max(rows[$0].width, entry.rows[$0].width) <= screen.columns && screen.shows(entry.keys[$0])
        }
        guard fits else { return false }
        for index in changed { _ = screen.redraw(entry.keys[index], as: rows[index]) }
        entries[id] = Entry(line: line, keys: entry.keys, rows: rows)
        return true
    }
}

extension TerminalSession {
    /// Draws delivery states behind the lines of messages that are on the screen, and tells those of others in the open
    /// conversation.
    mutating func showDeliveries(at time: Timestamp) {
        for case .delivery(let id, let message, let delivery, at: _) in view.changes {
            var line = shownLine(of: message)
            line?.mark = ChatRendering.mark(delivery)
            guard !redraw(message, as: line), id == view.open,
                let phrase = TerminalSession.phrase(for: delivery),
                let conversation = view.model.conversation(id), case .direct(let who) = conversation.view,
                let text = conversation.log[message]?.text
            else { continue }
            let news = language(phrase, who.displayName, PlainOutput.beginning(of: text))
            view.add(view.rendering.notice(news, at: time), of: time)
        }
    }

    /// Draws an edit or a deletion in the rows of its message; says it if these are not on the screen, or if the user's own
    /// message is not among the last lines, where a change is seen.
    mutating func showChanges(by report: RoomReport, at time: Timestamp) {
        guard let changed = report.changedMessage else { return }
        let id = ConversationID(report.room, changed.conversation)
        guard !view.isHeld(changed.id, in: id) else { return }
        let (message, was, place) = view.lastChange(of: changed)
        let line = shownLine(of: changed.id).map { view.line($0, changedTo: message, in: report.room) }
        let isDrawn = redraw(changed.id, as: line)
        let count = view.model.conversation(id)?.log.count ?? 0
        let isSeen = !changed.isFromCurrentUser || place.map { count - $0 <= TerminalSession.seenLines } ?? false
        if !isDrawn || !isSeen { view.tellChange(report, was: was, of: id, at: time) }
    }

    /// Draws reactions behind the text of their message; says one to the user's own message if no row shows it.
    mutating func showReactions(by report: RoomReport, at now: Instant, wallClock: Timestamp) {
        for case .reacted(let id, let reaction, at: _) in view.changes {
            let message = reaction.message
            guard !view.isHeld(message.id, in: id) else { continue }
            let line = shownLine(of: message.id).map { view.line($0, changedTo: message, in: report.room) }
            let isDrawn = redraw(message.id, as: line)
            if isDrawn, line?.showsReactions(columns: screen.columns) ?? false { continue }
            view.tellReaction(by: report, at: now, wallClock: wallClock)
        }
    }

    /// Draws the rows above the answers to messages that were changed or are gone: they have copies of their texts.
    mutating func showQuotes(in room: RoomLabel) {
        for (id, changed) in view.changedMessages {
            for answer in view.model.conversation(id)?.log.messages ?? [] where answer.replyTo == changed {
                let line = shownLine(of: answer.id).map { view.line($0, changedTo: answer, in: room) }
                if !redraw(answer.id, as: line) { drawn.remove(answer.id) }
            }
        }
    }

    /// The user sees that the right one of so many last messages was changed.
    private static let seenLines = 3

    /// Nil for a state without a line of its own: a failure has one as an event.
    private static func phrase(for delivery: DeliveryState) -> Phrase? {
        switch delivery {
        case .delivered: .deliveredText
        case .read: .hasReadText
        case .sending, .failed: nil
        }
    }

    /// The line of a message that was drawn, or is about to be.
    private func shownLine(of id: MessageID) -> ChatLine? { lines.last { $0.message == id } ?? drawn[id]?.line }

    /// Puts another line in the place of that of a message.
    ///
    /// - Returns: false if there is none, or if it has no room for the other.
    @discardableResult
    private mutating func redraw(_ id: MessageID, as line: ChatLine?) -> Bool {
        guard let line else { return false }
        if let index = lines.lastIndex(where: { $0.message == id }) {
            lines[index] = line
            return true
        }
        guard drawn.redraw(id, as: line, on: &screen) else { return false }
        echo()
        return true
    }
}

extension ChatView {
    /// Whether a message waits to be shown: it is shown later as it is then.
    func isHeld(_ message: MessageID, in id: ConversationID) -> Bool {
        timings[id.room]?.arrivals.holds(ArrivalBlock.HeldMessage(conversation: id, id: message)) ?? false
    }

    /// The effect of the report that is shown on a message.
    ///
    /// - Returns: the message of now, nil for one that is gone; its text before, and its place, if it was kept.
    func lastChange(of message: MessageView) -> (now: MessageView?, was: String?, place: Int?) {
        for case .edited(let id, let edited, let was, let place) in changes where edited.id == message.id {
            return (model.conversation(id)?.log[edited.id] ?? edited, was, place)
        }
        for case .removed(_, let removed, let place) in changes where removed.id == message.id {
            return (nil, place == nil ? nil : removed.text, place)
        }
        return (message, nil, nil)
    }

    /// The line of a message that was changed.
    ///
    /// - Parameter message: nil for one that is deleted.
    mutating func line(_ before: ChatLine, changedTo message: MessageView?, in room: RoomLabel) -> ChatLine {
        var line = before
        guard let message else {
            line.erase(language(.deletedMark), rendering.theme.notice)
            return line
        }
        rendering.me = model.room(room.number)?.me
        let id = ConversationID(room, message.conversation)
        line = line.isOneRow ? elsewhere(message, in: room) : self.line(of: message, in: id)
        line.mark = before.mark
        return line
    }

    /// Says that a peer reacted to a message of the user, or the user to one, in a conversation that is shown.
    mutating func tellReaction(by report: RoomReport, at now: Instant, wallClock: Timestamp) {
        guard case .event(.reacted(let reaction)) = report.report,
            isShown(ConversationID(report.room, reaction.message.conversation))
        else { return }
        let texts = notices(of: report, at: wallClock)
        guard !texts.isEmpty else { return }
        // The user's own are no more than the user gives.
        let isFolded =
            !reaction.isFromCurrentUser
            && !change(report.room, { $0.reactions.record(isGiven: !reaction.emojis.isEmpty, at: now) })
        guard !isFolded else { return }
        for text in texts { add(rendering.notice(text, at: wallClock), of: wallClock) }
    }

    /// The messages that the report changed or took away, each with its conversation.
    var changedMessages: [(conversation: ConversationID, message: MessageID)] {
        changes.compactMap { change in
            if case .edited(let id, let message, was: _, at: _) = change { return (id, message.id) }
            if case .removed(let id, let message, at: _) = change { return (id, message.id) }
            return nil
        }
    }

    /// Says that a message of a conversation that is shown was edited or deleted, and what was there.
    mutating func tellChange(_ report: RoomReport, was: String?, of id: ConversationID, at time: Timestamp) {
        guard isShown(id) else { return }
        // The line of an edit says it in a pipe too.
        var isDeletion = false
        if case .event(.deleted) = report.report { isDeletion = true }
        let before = isDeletion ? was.map { language(.wasText, PlainOutput.beginning(of: $0)) } ?? "" : ""
        for text in notices(of: report, at: time) { add(rendering.notice(text + before, at: time), of: time) }
    }
}

extension RoomReport {
    /// The message that its event edited or deleted; nil for another report.
    fileprivate var changedMessage: MessageView? {
        if case .event(.edited(let message)) = report { return message }
        if case .event(.deleted(let message)) = report { return message }
        return nil
    }
}
