import Commands
import Chat

extension ConfigurableSettings {
    /// Reads the words of a command over `EARSHOT_` variables over a configuration file: the first of them, in this
    /// order, that names an option decides it alone.
    init(parsing words: [String], in surroundings: Surroundings) throws(UsageError) {
        var asked = Self()
        var taken = try asked.take(words: words)
        self.init()
        let variables = Self.variables(in: surroundings).filter { !taken.has($0.option) }
        taken.formUnion(variables.map(\.option.name))
        for (line, option, value, place) in try Self.entries(of: asked.configuration, in: surroundings) {
            // A wrong value is wrong also where another one wins.
            var other = Self()
            try other.apply(option, value, at: "\(place):\(line): ", called: option.key)
            if !taken.has(option) { try apply(option, value, at: "", called: option.key) }
        }
        for (option, value) in variables { try apply(option, value, at: "", called: option.variable) }
        _ = try take(words: words)
    }

    private mutating func apply(
        _ option: Option<Self>, _ value: String, at place: String, called name: String
    ) throws(UsageError) {
        switch option.kind {
        case .flag(let apply):
            guard value == "true" || value == "false" else {
                throw UsageError("\(place)\(name) can not be \(UsageError.quoted(value)); give true or false")
            }
            if value == "true" { apply(&self) }
        case .number(_, let wanted, let apply):
            guard value != "false" else { return }
            guard apply(&self, value == "true" ? nil : value) else {
                throw UsageError("\(place)\(name) can not be \(UsageError.quoted(value)); give true or \(wanted)")
            }
        case .value(_, let wanted, let apply):
            guard apply(&self, value) else {
                throw UsageError("\(place)\(name) can not be \(UsageError.quoted(value)); give \(wanted)")
            }
        }
    }

    /// A variable for an option that may be given again holds several values, with spaces between them.
    private static func variables(in surroundings: Surroundings) -> [(option: Option<Self>, value: String)] {
        options.filter { OptionNames.configurable.contains($0.key) }.flatMap {
            option -> [(option: Option<Self>, value: String)] in
            guard let value = surroundings.variable(option.variable), !value.isEmpty else { return [] }
            guard option.takesList else { return [(option, value)] }
            return value.split(separator: " ").map { (option, String($0)) }
        }
    }

    private typealias Setting = (line: Int, option: Option<Self>, value: String, place: String)

    private static func entries(
        of choice: ConfigurationChoice, in surroundings: Surroundings
    ) throws(UsageError) -> [Setting] {
        let path: String
        switch choice {
        case .none: return []
        case .file(let chosen): path = chosen
        case .own:
            guard let own = surroundings.ownFile else { return [] }
            path = own
        }
        let place = DisplayGuard.safe(path)
        guard let bytes = try surroundings.read(path, ConfigurationFile.maximumSize + 1) else {
            if choice == .own { return [] }
            throw UsageError("no file \(UsageError.quoted(path)); see --config")
        }
        do throws(ConfigurationError) {
            return try settings(ConfigurationFile.entries(in: bytes), place: place)
        } catch {
            throw UsageError("\(place)\(error.line.map { ":\($0)" } ?? ""): \(error.message)")
        }
    }

    /// One file serves all commands: the options of other commands are skipped.
    private static func settings(
        _ entries: [ConfigurationEntry], place: String
    ) throws(ConfigurationError) -> [Setting] {
        var lines: [String: Int] = [:]
        var settings: [Setting] = []
        for entry in entries {
            guard OptionNames.configurable.contains(entry.name) else { throw unknown(entry) }
            guard let option = options.first(where: { $0.key == entry.name }) else { continue }
            if let first = lines[entry.name], !option.isRepeatable {
                throw ConfigurationError(
                    line: entry.line, message: "\(entry.name) was set in line \(first); take one of the two out")
            }
            lines[entry.name] = entry.line
            settings.append((entry.line, option, entry.value, place))
        }
        return settings
    }

    private static func unknown(_ entry: ConfigurationEntry) -> ConfigurationError {
        let hint = Suggestion.nearest(to: entry.name, among: OptionNames.configurable.sorted())
        let advice = hint.map { "did you mean \($0)?" } ?? "see earshot --help"
        return ConfigurationError(line: entry.line, message: "no option \(UsageError.quoted(entry.name)); \(advice)")
    }
}

extension Set<String> {
    /// Whether a source before this one has set an option, or the one that it is about.
    fileprivate func has<Settings>(_ option: Option<Settings>) -> Bool {
        contains(option.name) || (option.qualified.map(contains) ?? false)
    }
}

/// The names by which options stand in a configuration file.
enum OptionNames {
    /// Those of every command but the ones that say which file it is.
    static let configurable = Set(Arguments.options.map(\.key) + DoctorSettings.options.map(\.key))
        .subtracting(["config", "no-config"])
}
