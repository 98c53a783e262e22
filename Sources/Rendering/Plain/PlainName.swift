package import Chat
package import Phrases

/// Names as plain lines show them: safe for a terminal, and unable to pass for a part of the line.
package enum PlainName {
    /// Before the name that the user gave a contact; no name has it otherwise.
    private static let contactMark = "★"

    /// `quiet-otter#4821`, or `★Bob#4821` by the user's own name for a contact.
    package static func of(_ who: PeerName) -> String {
        word(of: who).map { $0 + who.numberText } ?? who.displayName
    }

    /// Without the number: `quiet-otter` or `★Bob`; nil where the nickname is not known.
    package static func word(of who: PeerName) -> String? {
        if let contact = who.contact { return contactMark + DisplayGuard.safeName(contact) }
        return who.nickname.isEmpty ? nil : DisplayGuard.safeName(who.nickname)
    }
}

extension Language {
    /// Arrivals and departures in one text; one of the two is above 0.
    package func movements(came: Int, left: Int) -> String {
        if left == 0 { return self(.came, "\(came)") }
        return came == 0 ? self(.left, "\(left)") : self(.cameAndLeft, "\(came)", "\(left)")
    }
}
