import Commands
import Chat

extension CommandSettings {
    /// Reads the words of a command, its own name left out. `--name=value` and `--name value` are the same; all behind
    /// `--` are operands.
    init(parsing words: [String]) throws(UsageError) {
        self.init()
        _ = try take(words: words)
    }

    /// Returns the names of the options that were among the words.
    package mutating func take(words: [String]) throws(UsageError) -> Set<String> {
        var rest = words[...]
        var operands: [String] = []
        var names: Set<String> = []
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            names.insert(try take(option: word, rest: &rest))
        }
        try take(operands: operands)
        return names
    }

    private mutating func take(
        option word: String, rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        let equals = word.firstIndex(of: "=")
        let name = String(word[..<(equals ?? word.endIndex)])
        let attached = equals.map { String(word[word.index(after: $0)...]) }
        guard let option = Self.options.first(where: { $0.name == name }) else { throw Self.unknown(option: name) }
        switch option.kind {
        case .flag(let apply):
            guard attached == nil else { throw UsageError("\(name) takes no value; write \(name) alone") }
            apply(&self)
        case .number(_, let wanted, let apply):
            let isNext = rest.first.map { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } } ?? false
            let value = attached ?? (isNext ? rest.popFirst() : nil)
            guard apply(&self, value) else {
                throw UsageError("\(name) can not be \(UsageError.quoted(value ?? "")); give \(wanted)")
            }
        case .value(let placeholder, let wanted, let apply):
            // An option in the place of a value is a value that was forgotten; `--name=--value` says that it is one.
            guard let value = attached ?? (Self.isOption(rest.first) ? nil : rest.popFirst()) else {
                throw UsageError("\(name) needs a value; write \(name) \(placeholder)")
            }
            guard apply(&self, value) else {
                throw UsageError("\(name) can not be \(UsageError.quoted(value)); give \(wanted)")
            }
        }
        return name
    }

    private static func isOption(_ word: String?) -> Bool {
        guard let name = word?.prefix(while: { $0 != "=" }) else { return false }
        return options.contains { $0.name == name }
    }

    private static func unknown(option name: String) -> UsageError {
        let hint = Suggestion.nearest(to: name, among: options.map(\.name) + Invocation.answers)
        let advice = hint.map { "did you mean \($0)?" } ?? "see earshot --help"
        return UsageError("no option \(UsageError.quoted(name)); \(advice)")
    }
}

extension UsageError {
    /// The user's text in quotes, safe to show and of bounded length.
    package static func quoted(_ text: String) -> String { "\"\(DisplayGuard.safe(String(text.prefix(64))))\"" }
}
