/// A language of the texts that people read.
package enum Language: Hashable, Sendable, CaseIterable {
    case english
    case korean

    /// The language of a POSIX locale such as `ko_KR.UTF-8`; English for all others, and for encodings other than UTF-8.
    package init(locale: String) {
        let isKorean = locale == "ko" || locale.hasPrefix("ko_") || locale.hasPrefix("ko.")
        let encoding = locale.split(separator: ".", maxSplits: 1).dropFirst().first.map { $0.lowercased() } ?? "utf-8"
        self = isKorean && (encoding.hasPrefix("utf-8") || encoding.hasPrefix("utf8")) ? .korean : .english
    }

    /// The language that the environment asks for: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty.
    package init(environment: (String) -> String?) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        self.init(locale: names.lazy.compactMap(environment).first { !$0.isEmpty } ?? "")
    }

    /// The text of a phrase with its arguments, which are inserted as they are.
    package func callAsFunction(_ phrase: Phrase, _ arguments: String...) -> String {
        Sentence(phrase: phrase, arguments: arguments).text(in: self)
    }
}
