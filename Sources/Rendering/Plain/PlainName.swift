package import Chat
package import ChatNode

/// Names as plain lines show them: safe for a terminal, and unable to pass for a part of the line.
package enum PlainName {
    /// `quiet-otter#4821`
    package static func of(_ who: PeerName) -> String {
        guard !who.nickname.isEmpty else { return who.displayName }
        return DisplayGuard.safeName(who.nickname) + who.numberText
    }

    /// `public`, or the peer of the direct conversation.
    package static func of(_ conversation: ConversationView) -> String {
        switch conversation {
        case .publicRoom: "public"
        case .direct(let who): of(who)
        }
    }
}
