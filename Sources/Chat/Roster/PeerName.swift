package import Wire

/// How long a sender has taken part under its identity (Protocol.md section 2).
package enum SenderStage: UInt8, Sendable, CaseIterable, Comparable {
    case newcomer = 0
    /// From 10 public messages on.
    case regular = 1
    /// From 100 public messages on.
    case resident = 2

    package static func < (left: SenderStage, right: SenderStage) -> Bool { left.rawValue < right.rawValue }
}

/// The name of a peer at one moment: only `key` is an identity, the rest is a label.
package struct PeerName: Hashable, Sendable {
    /// 1000 to 9999, computed from the key.
    package let number: Int
    /// 1000 to 9999; nil unless two known peers share the number.
    package let suffix: Int?
    /// True if two known peers share number and suffix: then the name has the beginning of the key.
    package let isTwin: Bool
    /// As sent by the peer: checked, but not made safe for display; empty while unknown.
    package let nickname: String
    package let stage: SenderStage
    package let key: PeerID
    /// The user's own name for the peer; nil unless it is a contact.
    package let contact: String?
    /// True if the nickname looks like that of another peer, or like the name of a contact, and is none of these.
    package let isAlike: Bool

    package init(
        number: Int, suffix: Int?, isTwin: Bool = false, nickname: String, stage: SenderStage, key: PeerID,
        contact: String? = nil, isAlike: Bool = false
    ) {
        (self.isTwin, self.isAlike) = (isTwin, isAlike)
        self.number = number
        self.suffix = suffix
        self.nickname = nickname
        self.stage = stage
        self.key = key
        self.contact = contact
    }

    /// `#4821`, or `#4821-3377` if the number is shared, or `#4821-3377-0a1b2c3d` with the beginning of the key if all of that
    /// is shared.
    package var numberText: String {
        guard let suffix else { return "#\(number)" }
        return "#\(number)-\(suffix)" + (isTwin ? "-\(key.hexadecimal.prefix(PeerName.keyDigits))" : "")
    }

    /// With number and suffix they are as hard to find for another key as 58 bits.
    static let keyDigits = 8

    /// The name that every face shows: `quiet-otter#4821`, or `★Bob#4821` by the user's own name for a contact; the stage
    /// replaces an unknown nickname, as in `newcomer#4821`. Safe for display: it has one `#`, before the number, which is
    /// whole, a star only for a contact, and `≈` only before a nickname that looks like another's.
    package var displayName: String { (displayWord ?? "\(stage)") + numberText }

    /// `displayName` without the number: `quiet-otter` or `★Bob`; nil where the nickname is not known.
    package var displayWord: String? {
        if let contact { return PeerName.contactMark + DisplayGuard.safeName(contact) }
        guard !nickname.isEmpty else { return nil }
        return (isAlike ? PeerName.alikeMark : "") + DisplayGuard.safeName(nickname)
    }

    /// Before a nickname that looks like another's; no other name has it.
    package static let alikeMark = "≈"

    /// Before the name that the user gave a contact; no other name has it.
    package static let contactMark = "★"
}
