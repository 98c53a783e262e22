/// What `--help` and `--version` print.
enum HelpText {
    static let version = "earshot \(Version.current)\n"

    static let options: String = {
        let rows = Option.all.map { (left: usage($0), right: $0.help) }
        let width = rows.map(\.left.count).max() ?? 0
        let table = rows.map { "  \($0.left)\(String(repeating: " ", count: width - $0.left.count))  \($0.right)\n" }
        return """
            Anonymous, encrypted chat on the local network.

            Usage: earshot [chat] [options]

            \(table.joined())
            A line of input is a message; one that begins with / is a command: /help lists them.
            Example: earshot --nick quiet-otter --room kitchen

            """
    }()

    private static func usage(_ option: Option) -> String {
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
