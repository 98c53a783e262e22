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
    /// As sent by the peer: checked, but not made safe for display; empty while unknown.
    package let nickname: String
    package let stage: SenderStage
    package let key: PeerID
    /// The user's own name for the peer; nil unless it is a contact.
    package let contact: String?

    package init(
        number: Int, suffix: Int?, nickname: String, stage: SenderStage, key: PeerID, contact: String? = nil
    ) {
        self.number = number
        self.suffix = suffix
        self.nickname = nickname
        self.stage = stage
        self.key = key
        self.contact = contact
    }

    /// `#4821`, or `#4821-3377` if the number is shared.
    package var numberText: String { suffix.map { "#\(number)-\($0)" } ?? "#\(number)" }

    /// `quiet-otter#4821`; the stage replaces an unknown nickname: `newcomer#4821`.
    package var displayName: String { (nickname.isEmpty ? "\(stage)" : nickname) + numberText }
}
