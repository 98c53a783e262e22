/// The settings of `earshot help`.
struct HelpSettings: CommandSettings {
    package static let summary = "show how a command is called, the manual page, or a shell's completion"
    package static let operands = "[COMMAND]"
    static let options: [Option<HelpSettings>] = [
        Option(
            name: "--man", help: "the manual page, as man(1) takes it", kind: .flag { $0.document = .manual }),
        Option(
            name: "--completion", help: "the completion of a shell: bash, zsh or fish",
            kind: .value("SHELL", wanted: "bash, zsh or fish") { settings, value in
                Document.Shell(rawValue: value).map { settings.document = .completion($0) } != nil
            }, choices: Document.Shell.allCases.map(\.rawValue)),
    ]

    package var command = Invocation.CommandName.chat
    /// Instead of the help of the command.
    package var document: Document?

    package mutating func take(operands: [String]) throws(UsageError) {
        guard let first = operands.first else { return }
        guard let command = Invocation.CommandName(rawValue: first) else {
            throw UsageError("no command \(UsageError.quoted(first)); see earshot --help")
        }
        guard operands.count == 1 else {
            throw UsageError("unexpected \(UsageError.quoted(operands[1])); see earshot help --help")
        }
        self.command = command
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
