/// What `--help` and `--version` print.
enum HelpText {
    static let version = "earshot \(Version.current)\n"

    /// The program's own help is that of `chat`, with the list of commands.
    static func text(for command: Invocation.CommandName) -> String {
        switch command {
        case .chat: chat
        case .simulate: text(command, SimulateArguments.self)
        }
    }

    private static let chat = """
        Anonymous, encrypted chat on the local network.

        Usage: earshot [chat] [options]
               earshot COMMAND [options]

        \(commands)
        \(table(of: Arguments.self, besides: [("--version", "show the version and leave")]))
        A line of input is a message; one that begins with / is a command: /help lists them.
        Example: earshot --nick quiet-otter --room kitchen

        """

    /// The commands with what they do. `chat` is the one whose help this is part of.
    private static var commands: String {
        let rows = Invocation.CommandName.allCases.map { ($0.rawValue, summary(of: $0)) }
        return aligned(rows)
    }

    private static func summary(of command: Invocation.CommandName) -> String {
        switch command {
        case .chat: Arguments.summary
        case .simulate: SimulateArguments.summary
        }
    }

    /// The help of any other command.
    private static func text<Settings: CommandSettings>(_ command: Invocation.CommandName, _: Settings.Type) -> String {
        """
        Usage: earshot \(command.rawValue)\(Settings.operands.isEmpty ? "" : " " + Settings.operands) [options]
        \(Settings.summary)

        \(table(of: Settings.self, besides: []))
        """
    }

    private static func table<Settings: CommandSettings>(
        of _: Settings.Type, besides others: [(left: String, right: String)]
    ) -> String {
        let rows =
            Settings.options.map { (left: usage($0), right: $0.help) } + [("--help", "show this and leave")] + others
        return aligned(rows)
    }

    private static func aligned(_ rows: [(left: String, right: String)]) -> String {
        let width = rows.map(\.left.count).max() ?? 0
        return rows.map { "  \($0.left)\(String(repeating: " ", count: width - $0.left.count))  \($0.right)\n" }
            .joined()
    }

    private static func usage<Settings>(_ option: Option<Settings>) -> String {
        switch option.kind {
        case .flag: option.name
        case .value(let placeholder, _, _): "\(option.name) \(placeholder)"
        }
    }
}

/// The program's version, as `--version` and the `ready` event tell it.
enum Version {
    static let current = "0.1.0"
}
