/// The presence of a peer.
package enum PresenceState: UInt8, Sendable, CaseIterable {
    case here = 0
    case away = 1
    case left = 2
}

/// The content of a presence payload: what a peer tells about itself (Protocol.md section 6).
package struct Presence: Hashable, Sendable {
    package let state: PresenceState
    package let stage: SenderStage
    package let nickname: String
    /// Why the peer is away; nil unless it is, and gave a reason.
    package let reason: String?
    package let profile: Profile

    package init(
        _ state: PresenceState, stage: SenderStage, nickname: String, reason: String? = nil,
        profile: Profile = Profile()
    ) {
        (self.state, self.stage, self.nickname) = (state, stage, nickname)
        (self.reason, self.profile) = (reason, profile)
    }
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
