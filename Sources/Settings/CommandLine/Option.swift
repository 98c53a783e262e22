/// One option of a command. Parsing and `--help` are both read from the tables of these.
package struct Option<Settings>: Sendable {
    package enum Kind: Sendable {
        case flag(@Sendable (inout Settings) -> Void)
        /// The placeholder of the value in `--help`, the description of a valid value, and the setter; false for an invalid
        /// value.
        case value(String, wanted: String, @Sendable (inout Settings, String) -> Bool)
        /// As `value`, or without one: the setter gets nil. A number behind the option is its value.
        case number(String, wanted: String, @Sendable (inout Settings, String?) -> Bool)
    }

    package let name: String
    package let help: String
    package let kind: Kind
    /// Whether each further value is one more, instead of replacing the one before.
    var isRepeatable = false
    /// The values that there are, where they can be listed.
    package var choices: [String] = []
    /// The option that this one is about: a source that gives that one anew takes this one back.
    var qualified: String?

    /// Whether a variable may hold several values with spaces between them: not of what may contain spaces itself, a room's
    /// name or the path of its key.
    var takesList: Bool { isRepeatable && name != "--room" && qualified == nil }

    /// How a configuration file calls it: without dashes in front.
    package var key: String { String(name.drop { $0 == "-" }) }

    /// The environment variable that sets it, like `EARSHOT_LOG_LEVEL`.
    var variable: String { "EARSHOT_" + String(key.uppercased().map { $0 == "-" ? "_" : $0 }) }
}

/// Options by the kind of their value.
extension Option {
    static func flag(_ name: String, _ help: String, _ set: @escaping @Sendable (inout Settings) -> Void) -> Option {
        Option(name: name, help: help, kind: .flag(set))
    }

    /// - Parameters:
    ///   - placeholder: stands for the value in `--help`.
    ///   - wanted: the description of a valid value.
    ///   - read: the value of a text; nil for an invalid one.
    static func value<Value>(
        _ name: String, _ placeholder: String, _ help: String, wanted: String,
        _ read: @escaping @Sendable (String) -> Value?, _ set: @escaping @Sendable (inout Settings, Value) -> Void
    ) -> Option {
        Option(
            name: name, help: help,
            kind: .value(placeholder, wanted: wanted) { settings, text in read(text).map { set(&settings, $0) } != nil }
        )
    }

    /// The path of a file.
    static func file(
        _ name: String, _ help: String, wanted: String = "a file",
        _ set: @escaping @Sendable (inout Settings, String) -> Void
    ) -> Option {
        value(name, "FILE", help, wanted: wanted, { $0.isEmpty ? nil : $0 }, set)
    }

    /// The number of an open descriptor.
    static func descriptor(
        _ name: String, _ help: String, _ set: @escaping @Sendable (inout Settings, CInt) -> Void
    ) -> Option {
        value(name, "N", help, wanted: "the number of an open descriptor", { CInt(decimal: $0) }, set)
    }

    static func port(
        _ name: String, _ help: String, _ set: @escaping @Sendable (inout Settings, UInt16) -> Void
    ) -> Option {
        value(name, "N", help, wanted: Option.wantedPort, { UInt16(decimal: $0) }, set)
    }

    /// A port for other programs of this machine.
    ///
    /// - Parameter port: where it is without a value.
    static func server(
        _ name: String, _ help: String, port standard: UInt16,
        _ set: @escaping @Sendable (inout Settings, UInt16) -> Void
    ) -> Option {
        Option(
            name: name, help: "\(help) (default port \(standard))",
            kind: .number("PORT", wanted: Option.wantedPort) { settings, value in
                guard let port = value.map({ UInt16(decimal: $0) }) ?? standard else { return false }
                set(&settings, port)
                return true
            })
    }

    /// The name of a network interface, which may be given again.
    static func interface(
        _ help: String, _ set: @escaping @Sendable (inout Settings, String) -> Void
    ) -> Option {
        let isName: @Sendable (String) -> Bool = { (1...15).contains($0.utf8.count) && !$0.contains("/") }
        let wanted = "an interface's name of 1 to 15 characters"
        return value("--interface", "NAME", help, wanted: wanted, { isName($0) ? $0 : nil }, set).repeatable()
    }

    /// One of some words, in the order in which they are listed.
    static func choice(
        _ name: String, _ placeholder: String, _ help: String, among words: [String],
        _ set: @escaping @Sendable (inout Settings, String) -> Void
    ) -> Option {
        let wanted = "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
        var option = value(name, placeholder, help, wanted: wanted, { words.contains($0) ? $0 : nil }, set)
        option.choices = words
        return option
    }

    /// One of the cases of an enum.
    static func choice<Choice: RawRepresentable<String> & CaseIterable & SendableMetatype>(
        _ name: String, _ placeholder: String, _ help: String,
        _ set: @escaping @Sendable (inout Settings, Choice) -> Void
    ) -> Option {
        choice(name, placeholder, help, among: Choice.allCases.map(\.rawValue)) { settings, word in
            if let choice = Choice(rawValue: word) { set(&settings, choice) }
        }
    }

    /// - Parameter qualified: the option that it is about, if any.
    func repeatable(_ isRepeatable: Bool = true, about qualified: String? = nil) -> Option {
        var option = self
        (option.isRepeatable, option.qualified) = (isRepeatable, qualified)
        return option
    }

    static var wantedPort: String { "a port from 0 to 65535" }
}

/// The settings of a command, checked: every value can be used as it is.
package protocol CommandSettings: Sendable {
    /// The effect of the command, in one lower-case line.
    static var summary: String { get }
    /// Its operands as `--help` shows them; empty for none.
    static var operands: String { get }
    /// Every option, in the order of `--help`; `--help` itself is one of every command and not in it.
    static var options: [Option<Self>] { get }

    init()

    /// The word that names it.
    static var command: Invocation.CommandName { get }

    /// Takes the words that are no options, all of them in order.
    mutating func take(operands: [String]) throws(UsageError)
}

/// A command that takes nothing but options.
extension CommandSettings {
    package static var operands: String { "" }

    package mutating func take(operands: [String]) throws(UsageError) { try refuse(operands) }

    /// Reads operands that are a verb and its object, as in `Self.operands`: `new|show FILE`.
    func verbAndObject(of operands: [String]) throws(UsageError) -> (verb: String, object: String) {
        let form = Self.operands.split(separator: " ")
        let command = "earshot \(Self.command.rawValue)"
        guard let verb = operands.first else {
            throw UsageError("\(command) does not say what to do; write \(command) \(Self.operands)")
        }
        guard form[0].split(separator: "|").contains(verb[...]) else {
            throw UsageError("\(command) can not \(UsageError.quoted(verb)); write \(command) \(Self.operands)")
        }
        guard operands.count > 1, !operands[1].isEmpty else {
            throw UsageError("\(command) \(verb) needs a \(form[1].lowercased()); write \(command) \(verb) \(form[1])")
        }
        try refuse(Array(operands.dropFirst(2)))
        return (verb, operands[1])
    }

    func refuse(_ operands: [String]) throws(UsageError) {
        guard let first = operands.first else { return }
        throw UsageError("unexpected \(UsageError.quoted(first)); see earshot \(Self.command.rawValue) --help")
    }
}
