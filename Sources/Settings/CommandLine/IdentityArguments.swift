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
        guard let first = operands.first else {
            throw UsageError("earshot identity does not say what to do; write earshot identity \(Self.operands)")
        }
        guard let action = Action(rawValue: first) else {
            throw UsageError(
                "earshot identity can not \(UsageError.quoted(first)); write earshot identity \(Self.operands)")
        }
        guard operands.count > 1, !operands[1].isEmpty else {
            throw UsageError("earshot identity \(first) needs a file; write earshot identity \(first) FILE")
        }
        guard operands.count == 2 else {
            throw UsageError("unexpected \(UsageError.quoted(operands[2])); see earshot identity --help")
        }
        self.action = action
        file = operands[1]
    }
}
