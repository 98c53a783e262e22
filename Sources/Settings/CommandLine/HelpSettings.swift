/// The settings of `earshot help`.
struct HelpSettings: CommandSettings {
    static let command = Invocation.CommandName.help
    package static let summary = "show how a command is called, the manual page, or a shell's completion"
    package static let operands = "[COMMAND]"
    static let options: [Option<HelpSettings>] = [
        .flag("--man", "the manual page, as man(1) takes it") { $0.document = .manual },
        .choice("--completion", "SHELL", "the completion of a shell: bash, zsh or fish") {
            $0.document = .completion($1)
        },
    ]

    /// The command whose help is shown.
    var subject = Invocation.CommandName.chat
    /// Instead of the help of the command.
    package var document: Document?

    package mutating func take(operands: [String]) throws(UsageError) {
        guard let first = operands.first else { return }
        guard let subject = Invocation.CommandName(rawValue: first) else {
            throw UsageError("no command \(UsageError.quoted(first)); see earshot --help")
        }
        guard operands.count == 1 else {
            throw UsageError("unexpected \(UsageError.quoted(operands[1])); see earshot help --help")
        }
        self.subject = subject
    }
}

/// Documents for other programs than a terminal, from the tables of options.
package enum Document: Hashable, Sendable {
    package enum Shell: String, Hashable, Sendable, CaseIterable { case bash, zsh, fish }

    case manual
    case completion(Shell)

    package var text: String {
        switch self {
        case .manual: ManualPage.text
        case .completion(.bash): Completion.bash
        case .completion(.zsh): Completion.zsh
        case .completion(.fish): Completion.fish
        }
    }
}
