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
        let own = (environment("BROWSER") ?? "").split(separator: ":").compactMap {
            BrowserChoice.command($0, opening: place)
        }
        if !own.isEmpty {
            commands = own
            return
        }
        let hasScreen = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment($0) ?? "").isEmpty }
        guard hasScreen else { throw .noScreen }
        commands = [["xdg-open", place]]
    }

    /// One of `$BROWSER`: the place stands for `%s`, or comes last.
    private static func command(_ text: Substring, opening place: String) -> [String]? {
        let words = text.split(separator: " ").map { word in word == "%s" ? place : String(word) }
        guard !words.isEmpty else { return nil }
        return words.contains(place) ? words : words + [place]
    }
}

/// Why no browser is started.
enum BrowserRefusal: String, Error {
    case otherUser = "the program runs as another user than the one of the screen"
    case noScreen = "there is no screen, and $BROWSER is not set"
}
