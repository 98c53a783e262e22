import Commands
package import LineEditor

/// A request of a session to the terminal's owner, besides writing.
package enum TerminalRequest: Hashable, Sendable {
    /// The others may see that a message is being written, or no longer.
    case typing(Bool)
    /// Ctrl-C came as a byte.
    case interrupt
}

/// The effects of keys.
extension TerminalSession {
    package mutating func take(_ key: Key) {
        let before = editor.text
        let names = names
        let outcome = editor.take(key) { names.completion(of: $0) }
        echo()
        switch outcome {
        case .changed, .refused: noteTyping(before: before)
        case .entered(let line): enter([line], isPaced: false)
        case .pasted(let lines): enter(lines, isPaced: true)
        case .choices(let words): tell("  " + words.prefix(100).joined(separator: "  "))
        case .escaped: dropPaste()
        case .clearScreen: clearScreen()
        case .endOfInput: end()
        case .interrupted: requests.append(.interrupt)
        }
    }

    /// The requests since the last call.
    mutating func takeRequests() -> [TerminalRequest] { exchange(&requests, with: []) }

    private mutating func noteTyping(before: String) {
        let text = editor.text
        guard text != before else { return }
        let isMessage = !text.isEmpty && (!text.hasPrefix("/") || text.hasPrefix("//"))
        requests.append(.typing(isMessage))
    }

    private mutating func enter(_ lines: [String], isPaced: Bool) {
        let room = TerminalSession.mostWaiting - waiting.count
        waiting += lines.prefix(room).map { InputLine(content: .text($0), isPaced: isPaced) }
        guard lines.count > room else { return }
        if !isPaced { lines.suffix(1).forEach { editor.putBack($0) } }
        tell("earshot: \(lines.count - room) lines too many; enter them later")
    }

    private mutating func dropPaste() {
        let count = waiting.count(where: \.isPaced)
        guard count > 0 else { return }
        waiting.removeAll(where: \.isPaced)
        tell("earshot: \(count) pasted \(count == 1 ? "line" : "lines") not sent")
    }
}
