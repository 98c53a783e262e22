package import Noise
package import Wire

/// Who we are in this run: the identity, what it is called, and the counting of what it signs.
package struct UserSession: ~Copyable {
    package private(set) var identity: Identity
    package let room: RoomID
    /// Protocol.md section 9.
    package private(set) var epoch: UInt64
    /// 1 to 24 characters, checked.
    package internal(set) var nickname: String
    package internal(set) var state = PresenceState.here
    private var publicMessages = 0
    private var sequence: UInt64 = 0

    /// - Parameter nickname: one that `Nickname` has let through.
    package init(identity: consuming Identity, room: RoomID, epoch: UInt64, nickname: String) {
        self.identity = identity
        self.room = room
        self.epoch = epoch
        self.nickname = nickname
    }

    package var id: PeerID { identity.id }

    /// A certificate of this identity for the epoch that we speak under.
    package func certify(noise: PublicKey, dm: PublicKey, at time: Timestamp) -> Certificate {
        Certificate.issue(by: identity, noise: noise, dm: dm, epoch: epoch, at: time)
    }

    /// Speaks under a later epoch from now on. The counting goes on.
    package mutating func advance(to later: UInt64) {
        precondition(later > epoch, "an epoch of \(later) does not come after \(epoch)")
        epoch = later
    }

    /// Zeroes the identity's key: we have nothing more to say.
    package mutating func forgetKey() {
        identity.forget()
    }

    /// How settled we are: by the public messages said so far (Protocol.md section 2).
    package var stage: SenderStage {
        switch publicMessages {
        case ..<SenderStage.regularFrom: .newcomer
        case ..<SenderStage.residentFrom: .regular
        default: .resident
        }
    }

    /// Signs what we say or do, once, under the next sequence number.
    package mutating func sign(_ body: PayloadBody, at time: Timestamp) -> VerifiedPayload {
        sequence += 1
        if case .publicMessage = body { publicMessages += 1 }
        return VerifiedPayload(
            signing: body, by: identity, in: room, epoch: epoch, sequence: sequence, timestamp: time)
    }

    /// Our state, stage and nickname as the others should know them now.
    package mutating func signPresence(at time: Timestamp) -> VerifiedPayload {
        sign(.presence(state, stage: stage, nickname: nickname), at: time)
    }

    /// That we leave: what the others hear before the link closes.
    package mutating func signDeparture(at time: Timestamp) -> VerifiedPayload {
        sign(.presence(.left, stage: stage, nickname: nickname), at: time)
    }
}

extension SenderStage {
    /// Public messages that make a newcomer a regular, and a regular a resident.
    package static let regularFrom = 10
    package static let residentFrom = 100
}
