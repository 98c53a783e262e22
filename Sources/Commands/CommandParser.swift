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
        let entry = try CommandEntry.named(typed[..<end])
        let rest = typed[end...].trimmed()
        self = try entry.make(Operands(command: entry.name, usage: entry.usage, rest: rest))
    }
}
