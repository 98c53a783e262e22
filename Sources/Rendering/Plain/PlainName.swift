package import Chat

/// Names as plain lines show them: safe for a terminal, and unable to pass for a part of the line.
package enum PlainName {
    /// `quiet-otter#4821`
    package static func of(_ who: PeerName) -> String {
        guard !who.nickname.isEmpty else { return who.displayName }
        return DisplayGuard.safeName(who.nickname) + who.numberText
    }
}
