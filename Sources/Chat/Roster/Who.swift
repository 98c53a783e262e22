package import Wire

/// How settled a sender is under its identity (Protocol.md section 2).
package enum SenderStage: UInt8, Sendable, CaseIterable, Comparable {
    case newcomer = 0
    /// 10 public messages.
    case regular = 1
    /// 100 public messages.
    case resident = 2

    package static func < (left: SenderStage, right: SenderStage) -> Bool { left.rawValue < right.rawValue }
}

/// A peer as people name it at one moment: all of it is a label, only `key` is an identity.
package struct Who: Hashable, Sendable {
    /// 1000 to 9999, computed from the key.
    package let number: Int
    /// Set when two known peers share the number; 1000 to 9999.
    package let suffix: Int?
    /// As the peer sent it, checked but not made safe for display; empty while unknown.
    package let nickname: String
    package let stage: SenderStage
    package let key: PeerID

    package init(number: Int, suffix: Int?, nickname: String, stage: SenderStage, key: PeerID) {
        self.number = number
        self.suffix = suffix
        self.nickname = nickname
        self.stage = stage
        self.key = key
    }

    /// `#4821`, or `#4821-3377` where the number is not unique.
    package var numberText: String { suffix.map { "#\(number)-\($0)" } ?? "#\(number)" }

    /// `quiet-otter#4821`; the stage stands for a nickname not known yet: `newcomer#4821`.
    package var displayName: String { (nickname.isEmpty ? "\(stage)" : nickname) + numberText }
}
