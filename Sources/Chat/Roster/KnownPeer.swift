internal import Wire

/// What the roster knows of one peer.
struct KnownPeer: Sendable {
    let number: SenderNumber
    private(set) var nickname = ""
    private(set) var stage = SenderStage.newcomer
    /// Here or away, as the peer last said.
    private(set) var saidState = PresenceState.here
    /// What nickname and stage are taken from: an older payload does not change them back.
    private var source: AuthorClock?
    var isLinked = false
    /// Whether listeners were told that it came, and not yet that it went.
    var isAnnounced = false
    /// It said that it leaves: nobody waits for it to come back.
    var isLeaving = false
    /// Since when it has a link, or since when it has none; nil for a peer that never had one.
    var since: Timestamp?
    /// `since` as it was before the link was lost, for a peer that is soon back.
    var linkedSince: Timestamp?
    /// `since` as it was before a link that came to nothing: nobody was told of it.
    var goneSince: Timestamp?
    /// Grows with each time it is heard of: the smallest is forgotten first.
    var heardAt: UInt64

    init(_ peer: PeerID, heardAt: UInt64) {
        number = SenderNumber(of: peer)
        self.heardAt = heardAt
    }

    var presence: PresenceState { isLinked ? saidState : .left }

    /// Takes over what the peer calls itself and, from a presence payload, its state.
    ///
    /// - Returns: what is to be told of it.
    mutating func take(
        _ nickname: String, _ stage: SenderStage?, _ state: PresenceState?, as authorClock: AuthorClock
    ) -> News {
        let isChanged = change(nickname, stage, state, as: authorClock)
        guard isLinked else { return .nothing }
        if isAnnounced { return isChanged ? .change : .nothing }
        return isLeaving ? .nothing : .arrival
    }

    /// What is heard of a peer, as far as listeners do not know it.
    enum News {
        case nothing
        /// It has not been announced.
        case arrival
        /// Something that is shown is different now.
        case change
    }

    private mutating func change(
        _ nickname: String, _ stage: SenderStage?, _ state: PresenceState?, as authorClock: AuthorClock
    ) -> Bool {
        if let source, source > authorClock { return false }
        source = authorClock
        let before = (self.stage, saidState)
        let isRenamed = self.nickname != nickname
        if isRenamed { self.nickname = nickname }
        self.stage = stage ?? self.stage
        isLeaving = state == .left
        if let state, state != .left { saidState = state }
        return isRenamed || before != (self.stage, saidState)
    }
}
