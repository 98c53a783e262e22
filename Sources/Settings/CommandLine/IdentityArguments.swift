import Glibc

/// The settings of `earshot identity`.
package struct IdentityArguments: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, CaseIterable { case new, show }

    package var action = Action.show
    package var file = ""
    package var asksForPhrase = false
    /// Where the pass phrase is read; nil for the terminal.
    package var phraseDescriptor: CInt?
    package var isJSON = false

    package init() {}
}

extension IdentityArguments: CommandSettings {
    package static let command = Invocation.CommandName.identity
    package static let summary = "make an identity that is kept in a file, or show whose a file is"
    package static let operands = "new|show FILE"
    package static let options: [Option<IdentityArguments>] = [
        .flag("--passphrase", "protect the new file with a pass phrase, asked for at the terminal") {
            $0.asksForPhrase = true
        },
        .descriptor("--passphrase-fd", "take the pass phrase from this open descriptor, its first line") {
            $0.phraseDescriptor = $1
        },
        .flag("--json", "the answer as a line of JSON") { $0.isJSON = true },
    ]

    package mutating func take(operands: [String]) throws(UsageError) {
        let (verb, object) = try verbAndObject(of: operands)
        (action, file) = (Action(rawValue: verb) ?? action, object)
    }
}
