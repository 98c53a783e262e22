package import Chat

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
