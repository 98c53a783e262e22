package import Wire

/// The presence of a peer.
package enum PresenceState: UInt8, Sendable, CaseIterable {
    case here = 0
    case away = 1
    case left = 2
}

/// The content of a presence payload: the state and profile that a peer publishes (Protocol.md section 6).
package struct Presence: Hashable, Sendable {
    package let state: PresenceState
    package let stage: SenderStage
    package let nickname: String
    /// Why the peer is away; nil unless it is, and gave a reason.
    package let reason: String?
    package let profile: Profile
    package let bridging: Bridging

    package init(
        _ state: PresenceState, stage: SenderStage, nickname: String, reason: String? = nil,
        profile: Profile = Profile(), bridging: Bridging = Bridging()
    ) {
        (self.state, self.stage, self.nickname) = (state, stage, nickname)
        (self.reason, self.profile, self.bridging) = (reason, profile, bridging)
    }
}

/// The part of the own presence that the user sets with `/away` and `/about`. Texts are checked, but not made safe for display.
package struct OwnStatus: Hashable, Sendable {
    package let state: PresenceState
    /// Nil unless the user is away and gave one.
    package let reason: String?
    /// Nil for none.
    package let about: String?

    package init(_ state: PresenceState = .here, reason: String? = nil, about: String? = nil) {
        (self.state, self.reason, self.about) = (state, reason, about)
    }
}

/// The part of a presence about bridges, which carry a room to other networks: one byte (Protocol.md section 6).
package struct Bridging: Hashable, Sendable {
    /// The author lets bridges publish its presence and what it says to the room.
    package var consents: Bool
    /// The author's node is a bridge.
    package var isBridge: Bool
    /// The author is in a crowd, and signs a presence only every ten minutes.
    package var isInCrowd: Bool

    package init(consents: Bool = false, isBridge: Bool = false, isInCrowd: Bool = false) {
        (self.consents, self.isBridge, self.isInCrowd) = (consents, isBridge, isInCrowd)
    }

    /// Nil for a byte with other bits.
    init?(encoded byte: UInt8) {
        guard byte <= 7 else { return nil }
        self.init(consents: byte & 1 != 0, isBridge: byte & 2 != 0, isInCrowd: byte & 4 != 0)
    }

    var encoded: UInt8 { (consents ? 1 : 0) | (isBridge ? 2 : 0) | (isInCrowd ? 4 : 0) }
}

/// The part of a presence that a user writes, besides name and reason. Texts are checked, but not made safe for display.
package struct Profile: Hashable, Sendable {
    /// A line about the user; nil for none.
    package var about: String?
    /// Open rooms that the user says to be in: at most `Limits.announcedRooms` names.
    package var rooms: [String]

    package init(about: String? = nil, rooms: [String] = []) {
        (self.about, self.rooms) = (about, rooms)
    }
}

extension Limits {
    /// Names of rooms in a presence. More make a list that no screen shows whole; with fewer, a user can say less about
    /// where to meet.
    package static let announcedRooms = 3
    /// Bytes in all these names. With more, the record that a link opens with, which has the longest profile, exceeds
    /// `openingPlaintext` bytes, and its size tells of it; with fewer, three rooms with long names do not fit.
    package static let announcedRoomsBytes = 480
}
