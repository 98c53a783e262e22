/// A text that people read, in each language; the extensions are the table of all of them.
package struct Phrase: Hashable, Sendable {
    package let english: String
    package let korean: String

    /// `%1` to `%9` stand for arguments; `{a|b}` is `a` where the first argument is `1`, and `b` otherwise; `{a|b|c}` has
    /// `c` for `0`.
    package init(_ english: String, _ korean: String) {
        self.english = english
        self.korean = korean
    }
}

/// A phrase with its arguments. Arguments are inserted as they are: make them safe for display first.
package struct Sentence: Hashable, Sendable {
    package let phrase: Phrase
    package let arguments: [String]

    package init(phrase: Phrase, arguments: [String]) {
        (self.phrase, self.arguments) = (phrase, arguments)
    }

    package init(_ phrase: Phrase, _ arguments: String...) {
        self.init(phrase: phrase, arguments: arguments)
    }

    package func text(in language: Language) -> String {
        let template =
            switch language {
            case .english: phrase.english
            case .korean: phrase.korean
            }
        var result = ""
        var rest = template[...]
        while let character = rest.popFirst() {
            switch character {
            case "%":
                guard let digit = rest.popFirst()?.wholeNumberValue else { continue }
                result += digit > 0 && digit <= arguments.count ? arguments[digit - 1] : ""
            case "{":
                let forms = rest.prefix { $0 != "}" }.split(separator: "|", omittingEmptySubsequences: false)
                rest = rest.drop { $0 != "}" }.dropFirst()
                result += Sentence.form(of: forms, for: arguments.first) ?? ""
            default: result.append(character)
            }
        }
        return result
    }

    private static func form(of forms: [Substring], for count: String?) -> Substring? {
        switch count {
        case "1": forms.first
        case "0": forms.last
        case _: forms.count > 1 ? forms[1] : forms.first
        }
    }
}
