package import Chat
import Wire

extension Command {
    /// Reads a line: a message, or after a `/` a command; `//` begins a message that begins with `/`.
    package init(line: String) throws(ChatError) {
        guard line.utf8.first == UInt8(ascii: "/") else {
            self = .say(line)
            return
        }
        guard !line.utf8.dropFirst().starts(with: [UInt8(ascii: "/")]) else {
            self = .say(String(Substring(line.utf8.dropFirst())))
            return
        }
        let typed = Substring(line.utf8.dropFirst())
        let end = typed.firstIndex(where: \.isWhitespace) ?? typed.endIndex
        let name = typed[..<end].lowercased()
        guard let entry = CommandEntry.all.first(where: { $0.name == name }) else {
            throw Command.unknown(String(typed[..<end]))
        }
        let rest = typed[end...].trimmed()
        self = try entry.make(Operands(command: entry.name, usage: entry.usage, rest: rest))
    }

    private static func unknown(_ name: String) -> ChatError {
        let shown = DisplayGuard.safe(String(name.prefix(32)))
        let hint = Suggestion.nearest(to: name, among: CommandEntry.all.map(\.name)).map { "did you mean /\($0)?" }
        return ChatError(
            .unknownCommand, "no command /\(shown); \(hint ?? "/help lists them, // begins a message with a slash")")
    }
}
