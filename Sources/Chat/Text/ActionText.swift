/// The texts of `/me`, which say what their author does: they begin with the nickname that the message was said under.
package enum ActionText {
    package static func text(_ action: String, by nickname: String) -> String { start(nickname) + action }

    /// The action of a text, without the nickname in front; nil for other texts.
    package static func of(_ text: String, by nickname: String) -> String? {
        let start = start(nickname)
        guard !nickname.isEmpty, text.utf8.starts(with: start.utf8) else { return nil }
        return String(Substring(text.utf8.dropFirst(start.utf8.count)))
    }

    private static func start(_ nickname: String) -> String { "* \(nickname) " }
}
