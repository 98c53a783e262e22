internal import Wire

/// The roster's entry of one peer.
struct KnownPeer: Sendable {
    private(set) var nickname = ""
    /// The reason to be away in the peer's last presence.
    private var saidReason: String?
    /// From the peer's last presence.
    private(set) var profile = Profile()
    /// The payload that nickname and stage come from: an older one does not change them back.
    private var source: AuthorClock?
    // The small fields lie together, as there is an entry for each peer of a crowd.
    private(set) var stage = SenderStage.newcomer
    /// Here or away, from the peer's last presence.
    private(set) var saidState = PresenceState.here
    /// From the peer's last presence.
    private(set) var bridging = Bridging()
    /// True from the first presence that came over a bridge, until the peer is here or gone.
    var isElsewhere = false
    var isLinked = false
    /// The nickname looks like that of another peer, or like the name of a contact.
    var isAlike = false
    /// It is in the room: by its link, and in a crowd by its presence.
    var isHere = false
    /// True from the report of its arrival to that of its departure.
    var isAnnounced = false
    /// The peer announced that it leaves: its departure is reported without delay.
    var isLeaving = false
    let number: SenderNumber
    /// When it came here, or left last; nil for a peer that never was here.
    var since: Timestamp?
    /// `since` from before an arrival or departure that is not reported yet, for one that is soon over.
    private var reportedSince: Timestamp?
    /// Grows with each payload: the smallest is forgotten first.
    var heardAt: UInt64

    init(_ peer: PeerID, heardAt: UInt64) {
        number = SenderNumber(of: peer)
        self.heardAt = heardAt
    }

    /// Its link is lost and its departure not reported, as it may come back in time: until then it is shown as before.
    var isAwaited: Bool { isAnnounced && !isHere && !isElsewhere }

    /// As it is shown.
    var presence: PresenceState { isHere || isElsewhere || isAwaited ? saidState : .left }

    /// Nil unless the peer is away.
    var reason: String? { isHere || isElsewhere || isAwaited ? saidReason : nil }

    /// `since` as it is shown.
    var shownSince: Timestamp? { isAwaited ? reportedSince : since }

    /// Notes that it is here from now on, which is not reported yet.
    mutating func arrive(at time: Timestamp) {
        isHere = true
        isLeaving = false
        if isAnnounced {
            since = reportedSince
        } else {
            reportedSince = since
            since = time
        }
    }

    /// Notes that it is gone from now on, which is not reported yet.
    mutating func depart(at time: Timestamp) {
        isHere = false
        if isAnnounced {
            reportedSince = since
            since = time
        } else {
            since = reportedSince
        }
    }

    /// Takes over a nickname and a stage, and the rest from a presence payload.
    ///
    /// - Returns: the report to make.
    mutating func update(
        _ nickname: String, _ stage: SenderStage?, _ presence: Presence?, as authorClock: AuthorClock
    ) -> Difference {
        let before = change(nickname, stage, presence, as: authorClock)
        if isElsewhere { return before.map { .change(from: $0) } ?? .nothing }
        guard isHere else { return .nothing }
        if isAnnounced { return before.map { .change(from: $0) } ?? .nothing }
        return isLeaving ? .nothing : .arrival
    }

    /// Forgets what the peer wrote of itself besides its name. Its next presence says it again.
    mutating func forgetTexts() { (saidReason, profile) = (nil, Profile()) }

    /// A difference to what was reported.
    enum Difference {
        case nothing
        /// The peer was not announced yet.
        case arrival
        /// A shown property changed.
        case change(from: Shown)
    }

    /// The properties that are shown and that payloads change.
    struct Shown: Equatable {
        let nickname: String
        let stage: SenderStage
        let state: PresenceState
        let reason: String?
    }

    var shown: Shown { Shown(nickname: nickname, stage: stage, state: saidState, reason: saidReason) }

    /// - Returns: what was shown before; nil if the same is shown now.
    private mutating func change(
        _ nickname: String, _ stage: SenderStage?, _ presence: Presence?, as authorClock: AuthorClock
    ) -> Shown? {
        if let source, source > authorClock { return nil }
        source = authorClock
        // Nearly all messages say what is known.
        if presence == nil, self.nickname == nickname, stage == nil || stage == self.stage {
            isLeaving = false
            return nil
        }
        let before = shown
        if self.nickname != nickname { self.nickname = nickname }
        self.stage = stage ?? self.stage
        isLeaving = presence?.state == .left
        if let presence, presence.state != .left {
            (saidState, saidReason, profile) = (presence.state, presence.reason, presence.profile)
            bridging = presence.bridging
        }
        return before == shown ? nil : before
    }
}
