/// One option of a command. Parsing and `--help` are both read from the tables of these.
package struct Option<Settings>: Sendable {
    package enum Kind: Sendable {
        case flag(@Sendable (inout Settings) -> Void)
        /// What stands for the value in `--help`, what a right value is, and how it is taken; false for a wrong value.
        case value(String, wanted: String, @Sendable (inout Settings, String) -> Bool)
    }

    package let name: String
    package let help: String
    package let kind: Kind
    /// Whether each further value is one more, instead of replacing the one before.
    var isRepeatable = false
    /// The values that there are, where they can be listed.
    package var choices: [String] = []

    /// How a configuration file calls it: without dashes in front.
    package var key: String { String(name.drop { $0 == "-" }) }

    /// The environment variable that sets it, like `EARSHOT_LOG_LEVEL`.
    var variable: String { "EARSHOT_" + String(key.uppercased().map { $0 == "-" ? "_" : $0 }) }
}

/// What a command's words ask for, checked: everything in it can be used as it is.
package protocol CommandSettings: Sendable {
    /// What the command does, in one lower-case line.
    static var summary: String { get }
    /// What stands for its operands in `--help`; empty for none.
    static var operands: String { get }
    /// Every option, in the order of `--help`; `--help` itself is one of every command and not in it.
    static var options: [Option<Self>] { get }

    init()

    /// Takes the words that are no options, all of them in order.
    mutating func take(operands: [String]) throws(UsageError)
}
