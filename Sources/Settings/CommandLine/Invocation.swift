import Commands

/// The request of a whole command line: a command with its settings, or a document.
package enum Invocation: Sendable {
    case chat(Arguments)
    case doctor(DoctorSettings)
    case identity(IdentityArguments)
    case room(RoomArguments)
    case bridge(BridgeArguments)
    case simulate(SimulateSettings)
    /// `send`, `tail`, `who` and `stats`.
    case ask(ClientRequest)
    case help(CommandName)
    case document(Document)
    case version

    /// The commands, by the word that names them.
    package enum CommandName: String, Sendable, CaseIterable {
        case chat, send, tail, who, stats, doctor, identity, room, bridge, simulate, help
    }

    /// Options that ask for an answer instead of a command.
    package static let answers = ["--help", "--version"]

    /// Reads a command line, the program's own name left out. The first word may name a command; without one it is `chat`.
    ///
    /// `--help` and `--version` win over whatever else is in the line, but for an operand behind `--`.
    package init(parsing words: [String], in surroundings: Surroundings = .none) throws(UsageError) {
        let command = words.first.flatMap(CommandName.init(rawValue:))
        let rest = Array(command == nil ? words[...] : words.dropFirst())
        let options = rest.prefix { $0 != "--" }
        if options.contains(where: { $0 == "--help" || $0 == "-h" }) {
            self = .help(command ?? .chat)
        } else if options.contains("--version") {
            self = .version
        } else {
            self = try Invocation(command ?? .chat, parsing: rest, in: surroundings)
        }
    }

    private init(
        _ command: CommandName, parsing words: [String], in surroundings: Surroundings
    ) throws(UsageError) {
        switch command {
        case .chat: self = .chat(try Arguments(parsing: words, in: surroundings).checked(in: surroundings, words))
        case .send: self = .ask(try SendSettings(parsing: words, in: surroundings).question)
        case .tail: self = .ask(try TailSettings(parsing: words, in: surroundings).question)
        case .who: self = .ask(try WhoSettings(parsing: words, in: surroundings).question)
        case .stats: self = .ask(try StatsSettings(parsing: words, in: surroundings).question)
        case .doctor:
            let settings = try DoctorSettings(parsing: words, in: surroundings)
            try settings.roomChoice.check()
            try settings.bridge.check()
            self = .doctor(settings)
        case .identity: self = .identity(try IdentityArguments(parsing: words))
        case .room: self = .room(try RoomArguments(parsing: words))
        case .bridge: self = .bridge(try BridgeArguments(parsing: words))
        case .simulate: self = .simulate(try SimulateSettings(parsing: words))
        case .help:
            let settings = try HelpSettings(parsing: words)
            self = settings.document.map(Invocation.document) ?? .help(settings.subject)
        }
    }
}

extension Arguments {
    /// Checks that need the words, the variables and the file together.
    fileprivate func checked(in surroundings: Surroundings, _ words: [String]) throws(UsageError) -> Arguments {
        guard allowsRoot || !surroundings.isRootLogin else {
            throw UsageError("not as root, whose rights a chat has no need of; run it as yourself, or add --allow-root")
        }
        guard phraseDescriptor == nil || identity != nil else {
            throw UsageError("--passphrase-fd is of no use without --identity; give both, or none")
        }
        for room in rooms {
            try room.choice.check()
            try room.bridge.check()
        }
        var checked = self
        // A program that starts a node gets no browser by the file of its user.
        if format == .json, !words.contains("--open") { checked.opensPage = false }
        return checked
    }

    package mutating func take(operands: [String]) throws(UsageError) {
        guard let first = operands.first else { return }
        if first == "chat" {
            guard operands.count > 1 else { return }
            throw UsageError("unexpected \(UsageError.quoted(operands[1])); see earshot --help")
        }
        if let command = Invocation.CommandName(rawValue: first) {
            throw UsageError("\(command.rawValue) has to be the first word; see earshot \(command.rawValue) --help")
        }
        let hint = Suggestion.nearest(to: first, among: Invocation.CommandName.allCases.map(\.rawValue))
        let advice = hint.map { "did you mean \($0)?" } ?? "see earshot --help"
        throw UsageError("no command \(UsageError.quoted(first)); \(advice)")
    }
}
