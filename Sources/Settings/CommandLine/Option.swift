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

/// The settings of a command, checked: every value can be used as it is.
package protocol CommandSettings: Sendable {
    /// The effect of the command, in one lower-case line.
    static var summary: String { get }
    /// Its operands as `--help` shows them; empty for none.
    static var operands: String { get }
    /// Every option, in the order of `--help`; `--help` itself is one of every command and not in it.
    static var options: [Option<Self>] { get }

    init()

    /// Takes the words that are no options, all of them in order.
    mutating func take(operands: [String]) throws(UsageError)
}
