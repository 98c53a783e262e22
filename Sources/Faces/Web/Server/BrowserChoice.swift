/// The programs that may open a page for the user, from the environment.
struct BrowserChoice: Hashable, Sendable {
    /// The words of each command, in the order in which they are tried.
    let commands: [[String]]

    /// - Parameters:
    ///   - place: the one that they open.
    ///   - isOfOneUser: whether the session is that of the user whose rights the process has.
    /// - Throws: why there are none.
    init(
        opening place: String, isOfOneUser: Bool, in environment: (String) -> String?
    ) throws(BrowserRefusal) {
        guard isOfOneUser else { throw .otherUser }
        let own = BrowserChoice.commands(in: environment("BROWSER") ?? "", opening: place)
        if !own.isEmpty {
            commands = own
            return
        }
        let hasScreen = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment($0) ?? "").isEmpty }
        guard hasScreen else { throw .noScreen }
        commands = [["xdg-open", place]]
    }

    /// Those of `$BROWSER`, with a colon between two: quotation marks and backslashes mean what they mean to a shell, which does
    /// not run. The place stands for `%s`, or comes last.
    private static func commands(in text: String, opening place: String) -> [[String]] {
        var (commands, words): ([[String]], [String]) = ([], [])
        var (word, quote): (String?, Character?) = (nil, nil)
        var rest = text[...]
        func endWord() {
            if let word { words.append(word) }
            word = nil
        }
        func endCommand() {
            endWord()
            if !words.isEmpty { commands.append(words) }
            words = []
        }
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("\\", nil): word = (word ?? "") + (rest.popFirst().map(String.init) ?? "")
            case ("\\", "\"") where rest.first == "\"" || rest.first == "\\": word?.append(rest.removeFirst())
            case ("\"", nil), ("'", nil): (word, quote) = (word ?? "", character)
            case (_, let open?) where character == open: quote = nil
            case (" ", nil), ("\t", nil): endWord()
            case (":", nil): endCommand()
            case (_, _): word = (word ?? "") + String(character)
            }
        }
        endCommand()
        return commands.map { words in
            let filled = words.map { BrowserChoice.filled($0, with: place) }
            return filled == words ? words + [place] : filled
        }
    }

    private static func filled(_ word: String, with place: String) -> String {
        let parts = word.split(separator: "%", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts[0])) {
            $0 + ($1.hasPrefix("s") ? place + $1.dropFirst() : "%" + $1)
        }
    }
}

/// Why no browser is started.
enum BrowserRefusal: String, Error {
    case otherUser = "the program runs as another user than the one of the screen"
    case noScreen = "there is no screen, and $BROWSER is not set"
}
