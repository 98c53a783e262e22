import Chat
import ChatNode

/// Names as plain lines show them: safe for a terminal, and unable to pass for a part of the line.
enum PlainName {
    /// `quiet-otter#4821`
    static func of(_ who: Who) -> String {
        guard !who.nickname.isEmpty else { return who.displayName }
        return nickname(who.nickname) + who.numberText
    }

    /// `public`, or whom the direct conversation is with.
    static func of(_ conversation: ConversationView) -> String {
        switch conversation {
        case .publicRoom: "public"
        case .direct(let who): of(who)
        }
    }

    /// The marks that plain lines put around names are taken out of nicknames, so that `a#4821> hello` is no author and text.
    static func nickname(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                DisplayGuard.safe(text).unicodeScalars.map { marks.contains($0) ? "\u{fffd}" : $0 }))
    }

    private static let marks: Set<Unicode.Scalar> = ["<", ">", "[", "]", "#", "*"]
}
