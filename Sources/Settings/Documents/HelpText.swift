import Commands

/// The output of `--help` and `--version`.
package enum HelpText {
    package static let version = "earshot \(Version.current)\n"

    /// The program's own help is that of `chat`, with the list of commands.
    package static func text(for name: Invocation.CommandName) -> String {
        guard let command = CommandManual.all.first(where: { $0.name == name }) else { return "" }
        switch name {
        case .chat: return chat(command)
        case .send, .tail, .who, .stats, .doctor, .identity, .room, .bridge, .simulate, .help: return text(command)
        }
    }

    private static func chat(_ command: CommandManual) -> String {
        let others = CommandManual.all.filter { $0.name != command.name }
        return """
            Anonymous, encrypted chat on the local network.

            Usage: earshot [chat] [options]

            \(table(command.options.map { (usage($0), $0.help) }))
            Other commands, each with a --help of its own:
            \(table(others.map { ("earshot \($0.name.rawValue)", $0.summary) }))
            A line of input is a message; one that begins with / is a command: /help lists them.
            Example: earshot --nick quiet-otter --room kitchen

            """
    }

    /// The help of any other command.
    private static func text(_ command: CommandManual) -> String {
        """
        Usage: earshot \(command.name.rawValue)\(command.operands.isEmpty ? "" : " " + command.operands) [options]
        \(command.summary)

        \(table(command.options.map { (usage($0), $0.help) }))
        """
    }

    private static func table(_ rows: [(left: String, right: String)]) -> String {
        let width = rows.map(\.left.count).max() ?? 0
        return rows.map { "  \($0.left)\(String(repeating: " ", count: width - $0.left.count))  \($0.right)\n" }
            .joined()
    }

    private static func usage(_ option: CommandManual.Entry) -> String {
        option.placeholder.map { "\(option.name) \($0)" } ?? option.name
    }
}
