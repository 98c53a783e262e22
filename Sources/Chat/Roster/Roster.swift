package import Wire

/// The known peers with their names and presence. A peer is here while it has a link (Protocol.md section 10), in a crowd while
/// its presence holds.
package struct Roster: ~Copyable, Sendable {
    /// How long a new link waits for a payload before its peer is announced: a peer that refuses us closes the link
    /// instead, and must not seem to come and go.
    package static let announcementDelay = Duration.seconds(1)

    package let me: PeerID
    /// Peers that are here.
    package internal(set) var online = 0
    /// Arrivals and departures since `takeMovements`, reported or not.
    var movements = Movements()
    package private(set) var muted = MarkedPeers()
    package private(set) var marks: PeerMarks
    /// The user's own names for peers.
    package private(set) var contacts: [PeerID: String] = [:]
    var known = PackedTable<PeerID, KnownPeer>()
    private(set) var numbers = SharedNumbers()
    private(set) var lookAlikes = LookAlikes()
    /// Peers whose names got a suffix that is still to be reported.
    private(set) var renamed: [SharedNumbers.Renamed] = []
    private let capacity: Int
    private var moments: UInt64 = 0
    /// The index in `known` of the peer noted last, which is nearly always the next one too.
    private var latest = 0
    /// The peers in other networks.
    package var elsewhere: Set<PeerID> = []
    /// When linked peers are announced, and when the departure of the others is reported.
    var deadlines: [PeerID: Instant] = [:]

    /// - Parameters:
    ///   - marks: from earlier runs. A marked peer is known, so that its number names it.
    ///   - accepted: the peers of direct conversations from earlier runs, known likewise.
    ///   - capacity: the most known peers; the one without a payload for the longest time is forgotten.
    package init(
        me: PeerID, marks: PeerMarks = PeerMarks(), accepted: [PeerID] = [], capacity: Int = Limits.knownPeers
    ) {
        self.me = me
        self.marks = marks
        self.capacity = capacity
        for peer in marks.verified.inOrder + marks.blocked.inOrder + accepted where peer != me { meet(peer) }
        meet(me)
    }

    /// A copy that goes on by itself, for a search that goes on from one state in several ways.
    borrowing func copy() -> Roster {
        var copy = Roster(me: me, marks: marks, capacity: capacity)
        (copy.online, copy.movements, copy.muted) = (online, movements, muted)
        (copy.contacts, copy.known, copy.numbers) = (contacts, known, numbers)
        (copy.lookAlikes, copy.renamed, copy.moments) = (lookAlikes, renamed, moments)
        (copy.latest, copy.elsewhere, copy.deadlines) = (latest, elsewhere, deadlines)
        return copy
    }

    package var count: Int { known.count }

    /// True if it has a link.
    package func isOnline(_ peer: PeerID) -> Bool { known[peer]?.isLinked ?? false }

    /// True if it is in the room, with a link or without.
    package func isHere(_ peer: PeerID) -> Bool { known[peer]?.isHere ?? false }

    /// For how long a peer has been here; nil for one that is not.
    func stay(of peer: PeerID, at now: Timestamp) -> Duration? {
        guard let entry = known[peer], entry.isHere, let since = entry.since else { return nil }
        return since < now ? .milliseconds(Int64(since.distance(to: now))) : .zero
    }

    /// True if it is, or was, here and that was reported.
    package func hasBeenHere(_ peer: PeerID) -> Bool { known[peer]?.since != nil }

    /// Whether no peer has been here yet.
    package var isUnmet: Bool { known.values.allSatisfy { $0.since == nil } }

    /// The stage in the peer's last payload.
    package func stage(of peer: PeerID) -> SenderStage { known[peer]?.stage ?? .newcomer }

    /// Muted or blocked: its payloads are neither shown nor counted.
    package func isHidden(_ peer: PeerID) -> Bool {
        (!muted.isEmpty && muted.contains(peer)) || isBlocked(peer)
    }

    package func isMuted(_ peer: PeerID) -> Bool { !muted.isEmpty && muted.contains(peer) }

    /// The blocked peers, in the order in which they were blocked; those of earlier runs too.
    package var blocked: [PeerName] { marks.blocked.inOrder.map { who($0) } }

    package func isBlocked(_ peer: PeerID) -> Bool { !marks.blocked.isEmpty && marks.blocked.contains(peer) }

    package mutating func setMuted(_ peer: PeerID, _ isMuted: Bool) {
        if isMuted && peer != me { muted.insert(peer) } else { muted.remove(peer) }
    }

    package mutating func setBlocked(_ peer: PeerID, _ isBlocked: Bool) {
        if isBlocked && peer != me { marks.blocked.insert(peer) } else { marks.blocked.remove(peer) }
    }

    /// Forgets what a blocked peer wrote of itself besides its name.
    mutating func forgetTexts(of peer: PeerID) {
        if let index = known.index(forKey: peer) { known.values[index].forgetTexts() }
    }

    /// Takes over the user's own names for peers, each of which is known from then on.
    ///
    /// - Returns: the events of the peers that have another name now.
    @discardableResult
    package mutating func setContacts(_ contacts: [PeerID: String]) -> [NodeEvent] {
        let before = self.contacts
        self.contacts = contacts.filter { $0.key != me }
        for peer in self.contacts.keys.sorted() { meet(peer) }
        lookAlikes.setContacts(self.contacts)
        let now = self.contacts
        let named = Set(before.keys).union(now.keys).filter { before[$0] != now[$0] }
        return named.union(compareAll()).sorted().compactMap { marked($0) }
    }

    /// Takes over the user's nickname: peers whose nicknames look like it are marked.
    ///
    /// - Returns: the events of these peers, and of those that have no mark any more.
    @discardableResult
    mutating func setOwnNickname(_ nickname: String) -> [NodeEvent] {
        lookAlikes.setOwnNickname(nickname)
        return compareAll().sorted().compactMap { marked($0) }
    }

    /// Compares all nicknames again.
    ///
    /// - Returns: the peers that got or lost the mark of look-alikes.
    private mutating func compareAll() -> Set<PeerID> {
        var changed: Set<PeerID> = []
        for index in known.indices where known.keys[index] != me && !known.values[index].nickname.isEmpty {
            let isAlike = lookAlikes.isAlike(known.values[index].nickname, of: known.keys[index])
            if known.values[index].isAlike != isAlike { changed.insert(known.keys[index]) }
            known.values[index].isAlike = isAlike
        }
        return changed
    }

    /// The event of a peer that the user marked or named; nil for one that never was here.
    func marked(_ peer: PeerID) -> NodeEvent? { row(of: peer).map { .person($0) } }

    /// Takes over marks from a room where the user has the same identity.
    package mutating func setMarks(_ marks: PeerMarks) { self.marks = marks }

    /// The open rooms that the peers here say to be in, with the number of those peers.
    package var announcedRooms: [String: Int] {
        var rooms: [String: Int] = [:]
        for (peer, entry) in known where entry.isHere && peer != me && !isHidden(peer) {
            for room in Set(entry.profile.rooms.map(NFC.normalized)) { rooms[room, default: 0] += 1 }
        }
        return rooms
    }

    package mutating func setVerified(_ peer: PeerID, _ isVerified: Bool) {
        if isVerified && peer != me { marks.verified.insert(peer) } else { marks.verified.remove(peer) }
    }

    /// The present name of a peer. A number that two peers have shared in this run keeps its suffix.
    package func who(_ peer: PeerID) -> PeerName {
        let entry = known[peer] ?? KnownPeer(peer, heardAt: 0)
        return PeerName(
            number: entry.number.number, suffix: isShared(entry.number.number) ? entry.number.suffix : nil,
            isTwin: numbers.isTwin(entry.number), nickname: entry.nickname, stage: entry.stage, key: peer,
            contact: contact(peer), isAlike: entry.isAlike)
    }

    /// The name of a message's author: the nickname in the message with the present number.
    package func who(of message: Message) -> PeerName {
        who(message.author, as: message.senderNickname, message.senderStage)
    }

    /// The name of a card's author, likewise.
    func who(of card: Card) -> PeerName {
        who(card.author, as: card.source.payload.senderNickname ?? "", card.senderStage)
    }

    private func who(_ author: PeerID, as nickname: String, _ stage: SenderStage) -> PeerName {
        let index = known.index(forKey: author, first: latest)
        let number = index.map { known.values[$0].number } ?? SenderNumber(of: author)
        return PeerName(
            number: number.number, suffix: isShared(number.number) ? number.suffix : nil,
            isTwin: numbers.isTwin(number), nickname: nickname, stage: stage, key: author, contact: contact(author),
            isAlike: isAlike(nickname, of: author, index))
    }

    /// A message may have an earlier nickname than the present one.
    ///
    /// - Parameter index: that of its author in `known`; nil if it is not known.
    private func isAlike(_ nickname: String, of author: PeerID, _ index: Int?) -> Bool {
        guard let index, author != me else { return false }
        if known.values[index].nickname == nickname { return known.values[index].isAlike }
        return lookAlikes.isAlike(nickname, of: author)
    }

    private func contact(_ peer: PeerID) -> String? { contacts.isEmpty ? nil : contacts[peer] }

    func isShared(_ number: Int) -> Bool { numbers.isShared(number) }

}

/// Updates from payloads and links.
extension Roster {
    /// Takes over a nickname and a stage from a payload.
    ///
    /// - Parameter events: gets an event if the peer is announced by this, or is announced and changed; before it, the
    ///   event of a peer with the same number, whose name gets a suffix.
    mutating func recordName(
        _ author: PeerID, nickname: String, stage: SenderStage?, as authorClock: AuthorClock,
        into events: inout [NodeEvent]
    ) {
        record(author, nickname, stage, nil, as: authorClock, into: &events)
    }

    /// Takes over all of a presence payload. As `noteName`; a new profile alone makes no event.
    mutating func record(
        _ presence: Presence, of author: PeerID, as authorClock: AuthorClock, into events: inout [NodeEvent]
    ) {
        record(author, presence.nickname, presence.stage, presence, as: authorClock, into: &events)
    }

    private mutating func record(
        _ author: PeerID, _ nickname: String, _ stage: SenderStage?, _ presence: Presence?,
        as authorClock: AuthorClock, into events: inout [NodeEvent]
    ) {
        let index = meet(author)
        if !renamed.isEmpty { events += drainRenamed() }
        switch update(nickname, stage, presence, of: author, at: index, as: authorClock, into: &events) {
        case .nothing: break
        case .arrival: events.append(ifPresent: announce(author))
        case .change(let before): events.append(report(author, known.values[index], from: before))
        }
    }

    /// Takes over what a payload says of its author, whose entry is at `index`.
    mutating func update(
        _ nickname: String, _ stage: SenderStage?, _ presence: Presence?, of author: PeerID, at index: Int,
        as authorClock: AuthorClock, into events: inout [NodeEvent]
    ) -> KnownPeer.Difference {
        let before = known.values[index].nickname
        let news = known.values[index].update(nickname, stage, presence, as: authorClock)
        if before != nickname, known.values[index].nickname == nickname {
            compare(nickname, from: before, of: author, into: &events)
        }
        return news
    }

    /// Marks a new nickname that looks like another's, and that other one, and takes the mark from a name that the author had one
    /// like.
    private mutating func compare(
        _ nickname: String, from before: String, of author: PeerID, into events: inout [NodeEvent]
    ) {
        guard author != me else { return }
        let others = lookAlikes.move(author, from: before, to: nickname) { [known, contacts] peer in
            guard let entry = known[peer] else { return false }
            // It may have another nickname by now.
            return LookAlikes.areAlike(entry.nickname, nickname)
                && (contacts[peer] != nil || entry.isHere || entry.isElsewhere)
        }
        if let index = known.index(forKey: author) {
            known.values[index].isAlike = lookAlikes.isAlike(nickname, of: author)
        }
        for other in Set(others).sorted() {
            guard let index = known.index(forKey: other) else { continue }
            let isAlike = lookAlikes.isAlike(known.values[index].nickname, of: other)
            guard known.values[index].isAlike != isAlike else { continue }
            let was = sighting(of: other, known.values[index], known.values[index].shown)
            known.values[index].isAlike = isAlike
            if known.values[index].isAnnounced { events.append(report(other, known.values[index], was: was)) }
        }
    }

    /// Notes the first link to a peer, which is announced at its first payload or by `tick`.
    ///
    /// - Returns: the event of a peer with the same number, whose name gets a suffix.
    package mutating func linkOpened(_ peer: PeerID, at moment: Moment) -> [NodeEvent] {
        meet(peer)
        guard var entry = known[peer], !entry.isLinked, peer != me else { return [] }
        entry.isLinked = true
        if entry.isElsewhere {
            entry.isElsewhere = false
            elsewhere.remove(peer)
        }
        let isNew = !entry.isHere
        if isNew { entry.arrive(at: moment.wallClock) }
        known[peer] = entry
        guard isNew else { return drainRenamed() }
        online += 1
        deadlines[peer] = entry.isAnnounced ? nil : moment.instant + Roster.announcementDelay
        return drainRenamed()
    }

    /// Notes the end of the last link to a peer. Its departure is reported here, or by `tick` once it has not come back
    /// in time.
    ///
    /// - Parameter staysHere: true if its presence holds without the link, as in a crowd.
    package mutating func linkClosed(
        _ peer: PeerID, _ end: LinkEnd, staysHere: Bool = false, at moment: Moment
    ) -> NodeEvent? {
        guard var entry = known[peer], entry.isLinked else { return nil }
        entry.isLinked = false
        guard !staysHere, entry.isHere else {
            known[peer] = entry
            return nil
        }
        entry.depart(at: moment.wallClock)
        known[peer] = entry
        online -= 1
        let reconnectGrace = entry.isLeaving ? .zero : end.reconnectGrace
        deadlines[peer] = entry.isAnnounced ? moment.instant + reconnectGrace : nil
        return entry.isAnnounced && reconnectGrace == .zero ? depart(peer) : nil
    }

    package var nextDeadline: Instant? { deadlines.isEmpty ? nil : deadlines.values.min() }

    package mutating func tick(_ now: Instant) -> [NodeEvent] {
        guard !deadlines.isEmpty else { return [] }
        let due = deadlines.filter { $0.value <= now }.map(\.key).sorted()
        return due.compactMap { isHere($0) ? announce($0) : depart($0) }
    }

    mutating func announce(_ peer: PeerID) -> NodeEvent? {
        deadlines[peer] = nil
        guard let index = known.index(forKey: peer) else { return nil }
        if !known.values[index].isAnnounced { movements.came += 1 }
        known.values[index].isAnnounced = true
        return report(peer, known.values[index])
    }

    /// - Parameter before: what was shown before a change; nil for an arrival.
    func report(_ peer: PeerID, _ entry: KnownPeer, from before: KnownPeer.Shown? = nil) -> NodeEvent {
        let was = before.map { sighting(of: peer, entry, $0) }
        return report(peer, entry, was: was)
    }

    private func report(_ peer: PeerID, _ entry: KnownPeer, was: PeerSighting?) -> NodeEvent {
        entry.isElsewhere
            ? .elsewhere(entry.presence, who(peer), reason: shownReason(of: peer, entry), was: was)
            : .peer(entry.presence, who(peer), reason: shownReason(of: peer, entry), was: was, online: online)
    }

    /// - Parameter hadSuffix: whether the name had one; nil for a name with the same number as now.
    private func sighting(
        of peer: PeerID, _ entry: KnownPeer, _ shown: KnownPeer.Shown, hadSuffix: Bool? = nil
    ) -> PeerSighting {
        let hasSuffix = hadSuffix ?? isShared(entry.number.number)
        let who = PeerName(
            number: entry.number.number, suffix: hasSuffix ? entry.number.suffix : nil,
            isTwin: hadSuffix == nil && numbers.isTwin(entry.number), nickname: shown.nickname,
            stage: shown.stage, key: peer, contact: contact(peer), isAlike: entry.isAlike)
        return PeerSighting(who, shown.state, reason: isHidden(peer) ? nil : shown.reason)
    }

    /// A text of the peer: that of a muted one is not shown.
    func shownReason(of peer: PeerID, _ entry: KnownPeer) -> String? { isHidden(peer) ? nil : entry.reason }

    mutating func depart(_ peer: PeerID) -> NodeEvent? {
        if elsewhere.contains(peer) { return departElsewhere(peer) }
        deadlines[peer] = nil
        if let index = known.index(forKey: peer) { known.values[index].isAnnounced = false }
        movements.left += 1
        return .peer(.left, who(peer), online: online)
    }

    /// Creates an entry for a peer, or notes that it was heard from again.
    @discardableResult
    mutating func meet(_ peer: PeerID) -> Int {
        moments += 1
        if let index = known.index(forKey: peer, first: latest) {
            known.values[index].heardAt = moments
            latest = index
            return index
        }
        if known.count >= capacity { forgetOne() }
        let entry = KnownPeer(peer, heardAt: moments)
        known[peer] = entry
        if let holder = numbers.add(entry.number, of: peer) { renamed.append(holder) }
        guard let index = known.index(forKey: peer) else { preconditionFailure("an entry that was just made is gone") }
        latest = index
        return index
    }

    mutating func drainRenamed() -> [NodeEvent] {
        guard !renamed.isEmpty else { return [] }
        defer { renamed = [] }
        return renamed.compactMap { renamed in
            let peer = renamed.peer
            guard let entry = known[peer], entry.isHere, entry.isAnnounced else { return nil }
            return report(peer, entry, was: sighting(of: peer, entry, entry.shown, hadSuffix: renamed.hadSuffix))
        }
    }

    private mutating func forgetOne() {
        let gone = known.lazy.filter { [me] in
            $0.key != me && !$0.value.isHere && !$0.value.isAnnounced && !$0.value.isElsewhere
        }
        if let oldest = gone.min(by: { $0.value.heardAt < $1.value.heardAt }) {
            known[oldest.key] = nil
            return
        }
        // In a crowd larger than the table a peer without a link is forgotten, as if it had never been here.
        let unlinked = known.lazy.filter { [me] in $0.key != me && !$0.value.isLinked && $0.value.isHere }
        guard let oldest = unlinked.min(by: { $0.value.heardAt < $1.value.heardAt }) else { return }
        known[oldest.key] = nil
        online -= 1
    }
}
