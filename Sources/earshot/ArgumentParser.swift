import Chat

extension Arguments {
    /// Reads a command line, the program's own name left out.
    ///
    /// `--help` and `--version` win over whatever else is right in the line.
    init(parsing words: [String]) throws(UsageError) {
        var rest = words[...]
        var operands: [String] = []
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            try take(option: word == "-h" ? "--help" : word, rest: &rest)
        }
        try check(operands)
    }

    private mutating func take(option word: String, rest: inout ArraySlice<String>) throws(UsageError) {
        let equals = word.firstIndex(of: "=")
        let name = String(word[..<(equals ?? word.endIndex)])
        let attached = equals.map { String(word[word.index(after: $0)...]) }
        guard let option = Option.all.first(where: { $0.name == name }) else { throw Arguments.unknown(option: name) }
        switch option.kind {
        case .flag(let apply):
            guard attached == nil else { throw UsageError("\(name) takes no value; write \(name) alone") }
            apply(&self)
        case .value(let placeholder, let wanted, let apply):
            guard let value = attached ?? rest.popFirst() else {
                throw UsageError("\(name) needs a value; write \(name) \(placeholder)")
            }
            guard apply(&self, value) else {
                throw UsageError("\(name) can not be \(Arguments.quoted(value)); give \(wanted)")
            }
        }
    }

    private func check(_ operands: [String]) throws(UsageError) {
        guard let first = operands.first else { return }
        if first == "chat" {
            guard operands.count > 1 else { return }
            throw UsageError("unexpected \(Arguments.quoted(operands[1])); see earshot --help")
        }
        let hint = Suggestion.nearest(to: first, among: ["chat"]).map { "did you mean \($0)?" }
        throw UsageError("no command \(Arguments.quoted(first)) in this version; \(hint ?? "see earshot --help")")
    }

    private static func unknown(option name: String) -> UsageError {
        let hint = Suggestion.nearest(to: name, among: Option.all.map(\.name)).map { "did you mean \($0)?" }
        return UsageError("no option \(quoted(name)) in this version; \(hint ?? "see earshot --help")")
    }

    /// What somebody typed, in quotes, safe to show and not without end.
    private static func quoted(_ text: String) -> String {
        "\"\(DisplayGuard.safe(String(text.prefix(64))))\""
    }
}
