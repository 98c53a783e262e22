import Chat
import ChatNode
import Commands
import LineEditor
import Phrases
import Rendering
import Wire

/// The prompt: where the user is, under which name, how many are here, and what is unread elsewhere.
struct Prompt: Sendable {
    let language: Language
    let theme: Theme
    /// The open conversation; nil before the first room is ready.
    var open: RoomConversation?
    /// The user in the open room.
    var me: PeerName?
    /// The peers that are in the open room.
    var online = 0
    /// The rooms that bridges carry to other networks.
    var bridged: Set<RoomLabel> = []
    /// The state of the peer of an open direct conversation.
    var correspondent = PresenceState.here
    var conversations = ConversationList()

    /// `kitchen · quiet-otter#6220 · 3 here [2 small-fox 1!] > `, or less of it where that would take more than half of a
    /// row.
    func text(columns: Int) -> StyledText {
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

    private var style: Style {
        if case .direct = open?.conversation { theme.directPrompt } else { theme.prompt }
    }

    /// The forms of the beginning, the longest first.
    private var heads: [String] {
        switch open?.conversation {
        case nil, .publicRoom:
            let isBridged = open.map { bridged.contains($0.room) } ?? false
            let room = DisplayGuard.safe(open?.room.name ?? "") + (isBridged ? " ⇄" : "")
            let short = room.count > 12 ? room.prefix(11) + "…" : room
            let here = language(.hereCount, "\(online + 1)")
            let own = me.map(\.displayName) ?? ""
            return [
                [room, own, here], [room, me?.numberText ?? "", here], [room, here], [short, here],
                [short, "\(online + 1)"], [short],
            ].map { $0.filter { !$0.isEmpty }.joined(separator: " · ") }
        case .direct(let who):
            let away =
                switch correspondent {
                case .here: ""
                case .away: " (\(language(.stateAway)))"
                case .left: " (\(language(.stateOffline)))"
                }
            return ["→ \(who.displayName)\(away)", "→ \(who.displayName)", "→ \(who.numberText)"]
        }
    }

    /// The forms of what is unread, the longest first; one empty form if nothing is.
    private var unreadForms: [String] {
        let rows = conversations.rows.enumerated().filter {
            $0.element.asksForAttention && $0.element.place != open?.place
        }
        guard !rows.isEmpty else { return [""] }
        let full = rows.map { "\($0.offset + 1) \(name($0.element)) \(count($0.element))" }.joined(separator: ", ")
        let short = rows.map { "\($0.offset + 1):\(count($0.element))" }.joined(separator: " ")
        let total = rows.reduce(0) { $0 + $1.element.unread }
        let level = rows.map(\.element.level).max() ?? .message
        let sum = rows.contains { $0.element.hasRequest } ? "\(total)?" : "\(total)\(level.mark)"
        return [full, short, sum].map { "[\($0)] " }
    }

    private func name(_ row: ConversationList.Row) -> String {
        switch row.target.conversation {
        case .publicRoom: DisplayGuard.safe(row.target.room.name)
        case .direct(let who): who.displayWord ?? who.numberText
        }
    }

    private func count(_ row: ConversationList.Row) -> String {
        (row.unread > 0 ? "\(row.unread)\(row.level.mark)" : "") + (row.hasRequest ? "?" : "")
    }

    private func styled(head: String, unread: String) -> StyledText {
        var line = StyledText(head + " ", style)
        line.append(unread, theme.unread)
        line.append("> ", style)
        return line
    }
}
