import Chat
import ChatNode
import Commands
import LineEditor
import Model
import Phrases
import Rendering
import Wire

/// The prompt: where the user is, under which name, how many are here, and what is unread elsewhere.
struct Prompt: Sendable {
    let language: Language
    let theme: Theme
    let model: ChatModel
    /// The open conversation; nil before the first room begins.
    let open: ConversationID?

    /// `kitchen · quiet-otter#6220 · 3 here [2 small-fox 1!] > `, or less of it where that would take more than half of a
    /// row.
    func text(columns: Int) -> StyledText {
        let (heads, unreadForms) = (heads, unreadForms)
        let forms = heads.flatMap { head in unreadForms.map { (head, $0) } }
        // A shorter head first, then less about what is unread.
        let ordered = forms.enumerated().sorted { left, right in
            let (l, r) = (left.offset, right.offset)
            let count = unreadForms.count
            return (l % count, l / count) < (r % count, r / count)
        }.map(\.element)
        for (head, unread) in ordered {
            let line = styled(head: head, unread: unread)
            if 2 * line.width <= columns { return line }
        }
        return StyledText("> ", style)
    }

    private var style: Style { open?.peer == nil ? theme.prompt : theme.directPrompt }

    /// The forms of the beginning, the longest first.
    private var heads: [String] {
        guard let open, let room = model.room(open.room), let conversation = model.conversation(open) else {
            return [language(.hereCount, "1")]
        }
        return switch conversation.view {
        case .publicRoom: heads(of: room)
        case .direct(let who): heads(of: who, room.people[who.key]?.state ?? .left)
        }
    }

    private func heads(of room: ModelRoom) -> [String] {
        let label = Prompt.withoutLocks(DisplayGuard.safe(room.label.name))
        let lock = room.isPrivate ? Prompt.lock + " " : ""
        let name = lock + label + (room.isBridged ? " ⇄" : "")
        let short = label.count > 12 ? lock + label.prefix(11) + "…" : name
        let here = language(.hereCount, "\(room.online + 1)")
        let me = room.me?.displayName ?? ""
        let away = room.status.state == .away ? " (\(language(.stateAway)))" : ""
        return [
            [name, me + away, here], [name, me, here], [name, room.me?.numberText ?? "", here], [name, here],
            [short, here], [short, "\(room.online + 1)"], [short],
        ].map { $0.filter { !$0.isEmpty }.joined(separator: " · ") }
    }

    /// In front of the name of a private room.
    private static let lock = "🔒"

    /// No open room is to look like a private one.
    private static func withoutLocks(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { (0x1f50f...0x1f513).contains($0.value) ? "\u{fffd}" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }

    private func heads(of who: PeerName, _ state: PresenceState) -> [String] {
        let away =
            switch state {
            case .here: ""
            case .away: " (\(language(.stateAway)))"
            case .left: " (\(language(.stateOffline)))"
            }
        return ["→ \(who.displayName)\(away)", "→ \(who.displayName)", "→ \(who.numberText)"]
    }

    /// The forms of what is unread, the longest first; one empty form if nothing is.
    private var unreadForms: [String] {
        let rows = model.conversations.filter { $0.asksForAttention && $0.id != open }.sorted {
            (model.number(of: $0.id) ?? .max) < (model.number(of: $1.id) ?? .max)
        }
        guard !rows.isEmpty else { return [""] }
        let full = rows.map { number($0, " ") + "\(name($0)) \(count($0))" }.joined(separator: ", ")
        let short = rows.map { number($0, ":") + count($0) }.joined(separator: " ")
        let total = rows.reduce(0) { $0 + $1.unread.messages }
        let level = rows.map(\.unread.level).max() ?? .message
        let sum = rows.contains { $0.request != nil } ? "\(total)?" : "\(total)\(level.mark)"
        return [full, short, sum].map { "[\($0)] " }
    }

    private func number(_ conversation: ModelConversation, _ end: String) -> String {
        model.number(of: conversation.id).map { "\($0)\(end)" } ?? ""
    }

    private func name(_ conversation: ModelConversation) -> String {
        switch conversation.view {
        case .publicRoom: DisplayGuard.safe(model.room(conversation.id.room)?.label.name ?? "")
        case .direct(let who): who.displayWord ?? who.numberText
        }
    }

    private func count(_ conversation: ModelConversation) -> String {
        let unread = conversation.unread
        return (unread.messages > 0 ? "\(unread.messages)\(unread.level.mark)" : "")
            + (conversation.request == nil ? "" : "?")
    }

    private func styled(head: String, unread: String) -> StyledText {
        var line = StyledText(head + " ", style)
        line.append(unread, theme.unread)
        line.append("> ", style)
        return line
    }
}

extension Unread.Level {
    /// The sign behind the count.
    fileprivate var mark: String {
        switch self {
        case .message: ""
        case .direct: "!"
        case .mention: "@"
        }
    }
}

extension ModelConversation {
    fileprivate var asksForAttention: Bool { unread.messages > 0 || request != nil }

    /// A request asks for an answer as a direct message does.
    fileprivate var urgency: Unread.Level { request == nil ? unread.level : .direct }
}

extension ChatModel {
    /// The conversation with a number; nil for one that is over, and has nothing unread.
    func conversation(numbered number: Int) -> ModelConversation? {
        conversations.first { conversation in
            let isOver = conversation.id.peer != nil && conversation.standing == .over
            return self.number(of: conversation.id) == number
                && (!isOver || conversation.asksForAttention || conversation.isActive)
        }
    }

    /// The conversation that most needs attention, with the most important level first; nil for none.
    func next(besides open: ConversationID?) -> ModelConversation? {
        conversations.filter { $0.asksForAttention && $0.id != open }.max { $0.urgency < $1.urgency }
    }
}
