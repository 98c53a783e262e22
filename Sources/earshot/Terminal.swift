import ChatNode

/// What the program shows to somebody who types into a terminal, on top of the plain lines.
struct Terminal: Sendable {
    private var prompt: Prompt
    private var bell: Bell

    init(prompt: Prompt, bell: Bell) {
        self.prompt = prompt
        self.bell = bell
    }

    /// To be written before lines: takes the prompt away.
    var before: String { prompt.erasing }

    /// To be written behind them: the prompt as it is now.
    var after: String { prompt.text }

    /// Whether a report rings; keeps up with what it tells.
    mutating func note(_ report: Report) -> Bool {
        prompt.note(report)
        return bell.rings(for: report)
    }

    /// What a person said is still in the terminal, where it was typed.
    static func hides(_ report: Report) -> Bool {
        guard case .event(.message(let message)) = report else { return false }
        return message.isFromCurrentUser && !message.isHistory
    }
}
