import Chat
import ChatNode

/// Decides what is worth a sound in a terminal: a direct message, a request, or a mention of one's name.
struct Bell: Sendable {
    let isQuiet: Bool
    private var nickname = ""

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
    }

    /// Whether a report rings; keeps up with the own nickname.
    mutating func rings(for report: Report) -> Bool {
        switch report {
        case .event(.ready(let me, port: _, room: _, discovery: _)), .answer(.done(command: "nick", let me)):
            nickname = me.nickname.lowercased()
            return false
        case .event(.request): return !isQuiet
        case .event(.message(let message)): return !isQuiet && concerns(message)
        case .event, .answer, .error: return false
        }
    }

    private func concerns(_ message: MessageView) -> Bool {
        guard !message.isFromCurrentUser, !message.isHistory else { return false }
        switch message.conversation {
        case .direct: return true
        case .publicRoom: return !nickname.isEmpty && message.text.lowercased().contains(nickname)
        }
    }
}
