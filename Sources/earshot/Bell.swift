import Chat
import ChatNode

/// Decides what is worth a sound in a terminal: a direct message, a request, or a mention of one's name or number.
struct Bell: Sendable {
    let isQuiet: Bool
    private var mention: Mention?

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
    }

    /// Whether a report rings; keeps up with the own name.
    mutating func rings(for report: Report) -> Bool {
        switch report {
        case .event(.ready(let me, port: _, room: _, discovery: _)), .answer(.done(command: "nick", let me)):
            mention = Mention(of: me)
            return false
        case .event(.request): return !isQuiet
        case .event(.message(let message)): return !isQuiet && concerns(message)
        case .event, .answer, .error, .entered: return false
        }
    }

    private func concerns(_ message: MessageView) -> Bool {
        guard !message.isFromCurrentUser, !message.isHistory else { return false }
        switch message.conversation {
        case .direct: return true
        case .publicRoom: return mention?.isIn(message.text) ?? false
        }
    }
}
