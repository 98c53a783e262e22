/// A command as documents tell of it, whatever its settings are.
struct CommandManual: Sendable {
    /// An option as documents tell of it.
    package struct Entry: Sendable {
        package let name: String
        package let help: String
        /// The placeholder of its value; nil for a flag.
        let placeholder: String?
        package let choices: [String]
    }

    package let name: Invocation.CommandName
    package let summary: String
    package let operands: String
    /// `--help` among them.
    let options: [Entry]

    package static let all = Invocation.CommandName.allCases.map(CommandManual.init)

    private init(_ name: Invocation.CommandName) {
        switch name {
        case .chat: self.init(name, Arguments.self, besides: [CommandManual.version])
        case .send: self.init(name, SendSettings.self)
        case .tail: self.init(name, TailSettings.self)
        case .who: self.init(name, WhoSettings.self)
        case .stats: self.init(name, StatsSettings.self)
        case .doctor: self.init(name, DoctorSettings.self)
        case .identity: self.init(name, IdentityArguments.self)
        case .room: self.init(name, RoomArguments.self)
        case .bridge: self.init(name, BridgeArguments.self)
        case .simulate: self.init(name, SimulateSettings.self)
        case .help: self.init(name, HelpSettings.self)
        }
    }

    private init<Settings: CommandSettings>(
        _ name: Invocation.CommandName, _: Settings.Type, besides others: [Entry] = []
    ) {
        self.name = name
        summary = Settings.summary
        operands = Settings.operands
        options = Settings.options.map(CommandManual.entry) + [CommandManual.help] + others
    }

    private static let help = Entry(name: "--help", help: "show this and leave", placeholder: nil, choices: [])
    private static let version = Entry(
        name: "--version", help: "show the version and leave", placeholder: nil, choices: [])

    private static func entry<Settings>(_ option: Option<Settings>) -> Entry {
        let placeholder: String? =
            switch option.kind {
            case .flag: nil
            case .value(let placeholder, _, _): placeholder
            case .number(let placeholder, _, _): "[\(placeholder)]"
            }
        return Entry(name: option.name, help: option.help, placeholder: placeholder, choices: option.choices)
    }
}
