package import Noise
package import Wire

/// The user's identity in this run, with nickname, state and sequence numbers.
package struct UserSession: ~Copyable {
    package private(set) var identity: Identity
    package let room: RoomID
    /// The epoch of this run (Protocol.md section 9).
    package private(set) var epoch: UInt64
    /// 1 to 24 characters, checked.
    package internal(set) var nickname: String {
        didSet { mention = UserSession.mention(of: nickname, identity.id) }
    }
    /// Finds the own name in texts.
    package private(set) var mention: Mention
    package internal(set) var state = PresenceState.here
    /// The reason to be away, checked; nil if none was given.
    var awayReason: String?
    /// Checked.
    package internal(set) var profile = Profile()
    /// The part of the own presence about bridges.
    package var bridging: Bridging
    package var clock: SigningClock
    private var publicMessages = 0
    /// Of the payloads for the room.
    private var sequence: UInt64 = 0
    private var directNumbers = ReceiverNumbers()

    /// - Parameters:
    ///   - nickname: a result of `Nickname.compose`.
    ///   - profile: its texts are composed.
    package init(
        identity: consuming Identity, room: RoomID, epoch: UInt64, nickname: String, profile: Profile = Profile(),
        bridging: Bridging = Bridging(), clock: SigningClock = SigningClock()
    ) {
        mention = UserSession.mention(of: nickname, identity.id)
        self.identity = identity
        self.room = room
        self.epoch = epoch
        self.nickname = nickname
        self.profile = profile
        self.bridging = bridging
        self.clock = clock
    }

    /// A copy with its own key in memory, for a search that goes on from one state in several ways.
    package borrowing func copy() -> UserSession {
        var copy = UserSession(
            identity: identity.copy(), room: room, epoch: epoch, nickname: nickname, profile: profile,
            bridging: bridging, clock: clock)
        (copy.state, copy.awayReason) = (state, awayReason)
        (copy.publicMessages, copy.sequence, copy.directNumbers) = (publicMessages, sequence, directNumbers)
        return copy
    }

    package var id: PeerID { identity.id }

    package var status: OwnStatus { OwnStatus(state, reason: awayReason, about: profile.about) }

    private static func mention(of nickname: String, _ id: PeerID) -> Mention {
        let number = SenderNumber(of: id)
        return Mention(nickname: nickname, number: number.number, suffix: number.suffix)
    }

    /// A certificate of this identity for the present epoch.
    ///
    /// - Parameter serial: larger than in any earlier one of this run.
    package func certify(noise: PublicKey, dm: PublicKey, serial: UInt64) -> Certificate {
        Certificate.issue(by: identity, noise: noise, dm: dm, epoch: epoch, serial: serial)
    }

    /// Moves to a later epoch. The sequence numbers go on.
    package mutating func advance(to later: UInt64) {
        precondition(later > epoch, "an epoch of \(later) does not come after \(epoch)")
        epoch = later
    }

    /// Zeroes the identity's private key; nothing can be signed afterwards.
    package mutating func forgetKey() {
        identity.forget()
    }

    /// The stage by the number of own public messages (Protocol.md section 2).
    package var stage: SenderStage {
        switch publicMessages {
        case ..<SenderStage.regularFrom: .newcomer
        case ..<SenderStage.residentFrom: .regular
        default: .resident
        }
    }

    /// Encodes a body once, under the next number of the room or of its receiver, with the time of `clock`, and signs one that is for
    /// the room.
    package mutating func sign(_ body: PayloadBody, at wallClock: Timestamp) -> VerifiedPayload {
        switch body {
        case .presence, .typing: sign(body, withTime: clock.roundedTime(at: wallClock))
        case .publicMessage, .edit, .delete, .reaction, .card, .dmRequest, .dmAccept, .dmDecline, .dmLeave,
            .directMessage, .delivered,
            .read, .invitation:
            sign(body, withTime: clock.time(at: wallClock))
        }
    }

    /// As `sign(_:at:)`, with a time that was made of that of `clock`.
    mutating func sign(_ body: PayloadBody, withTime time: Timestamp) -> VerifiedPayload {
        if case .publicMessage = body { publicMessages += 1 }
        let number = takeNumber(for: body.target)
        return VerifiedPayload(
            signing: body, by: identity, in: room, epoch: epoch, sequence: number, timestamp: time)
    }

    private mutating func takeNumber(for receiver: PeerID?) -> UInt64 {
        if let receiver { return directNumbers.takeNext(for: receiver) }
        sequence += 1
        return sequence
    }

    /// Signs the present state, stage, nickname, reason and profile.
    package mutating func signPresence(at wallClock: Timestamp) -> VerifiedPayload {
        let reason = state == .away ? awayReason : nil
        let presence = Presence(
            state, stage: stage, nickname: nickname, reason: reason, profile: profile, bridging: bridging)
        return sign(.presence(presence), at: wallClock)
    }

    /// Signs that the user leaves, to be sent before the links close.
    package mutating func signDeparture(at wallClock: Timestamp) -> VerifiedPayload {
        sign(.presence(Presence(.left, stage: stage, nickname: nickname, bridging: bridging)), at: wallClock)
    }
}

extension SenderStage {
    /// The public messages that make a newcomer a regular, and a regular a resident.
    package static let regularFrom = 10
    package static let residentFrom = 100
}
