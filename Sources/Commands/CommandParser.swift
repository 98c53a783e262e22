package import Chat
import Wire

extension Command {
    /// Reads a line: a message, or after a `/` a command; `//` begins a message that begins with `/`.
    package init(line: String) throws(ChatError) {
        let typed: Substring
        switch SlashRule.Reading(line) {
        case .said(let text):
            self = .say(text)
            return
        case .command(let behind): typed = behind
        }
        let end = typed.firstIndex(where: \.isWhitespace) ?? typed.endIndex
        let entry = try CommandEntry.named(typed[..<end])
        let rest = typed[end...].trimmed()
        self = try entry.make(Operands(command: entry.name, usage: entry.usage, rest: rest))
    }
}
