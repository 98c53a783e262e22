package import Chat
import ChatNode
import Commands
package import Wire

/// A peer of a room as the node last told of it.
package struct ModelPerson: PersonRow, Hashable, Sendable {
    /// With the names of now.
    package internal(set) var who: PeerName
    package internal(set) var state: PresenceState
    /// Nil unless the peer is away and gave one. Not made safe for display.
    package internal(set) var reason: String?
    /// When it came or left, by the wall clock.
    package internal(set) var since: Timestamp
    package internal(set) var isElsewhere = false
    package internal(set) var isMuted = false
    package internal(set) var isVerified = false
    package internal(set) var isBlocked = false

    package var isHere: Bool { state != .left }

    init(_ who: PeerName, _ state: PresenceState, reason: String? = nil, since: Timestamp) {
        (self.who, self.state, self.reason, self.since) = (who, state, reason, since)
    }

    init(_ row: Roster.Row) {
        self.init(row.who, row.state, reason: row.reason, since: row.since)
        (isElsewhere, isMuted, isVerified, isBlocked) = (
            row.isElsewhere, row.isMuted, row.isVerified, row.isBlocked
        )
    }
}

/// The peers of one room: those that are here, at most 16,384, and the last 64 that left. Of more that are here, a new one is
/// not kept, as no face could show it; of more that left, the one that left first is forgotten.
package struct People: Sendable {
    private var entries = PackedTable<PeerID, ModelPerson>()
    private var gone = 0

    package init() {}

    package var count: Int { entries.count }

    package subscript(key: PeerID) -> ModelPerson? { entries[key] }

    /// In no order.
    package var all: [ModelPerson] { entries.values }

    /// Takes what an event tells of a peer; its marks stay.
    ///
    /// - Returns: the person before and now.
    mutating func set(
        _ who: PeerName, _ state: PresenceState, reason: String?, isElsewhere: Bool, at time: Timestamp
    ) -> (was: ModelPerson?, now: ModelPerson) {
        let was = entries[who.key]
        var now = was ?? ModelPerson(who, state, since: time)
        if was.map({ $0.isHere != (state != .left) }) ?? false { now.since = time }
        (now.who, now.state, now.reason) = (who, state, reason)
        now.isElsewhere = isElsewhere && state != .left
        put(now, was)
        return (was, now)
    }

    /// Changes a known person.
    ///
    /// - Returns: the person before and now; nil if it is not known or stays the same.
    mutating func update(
        _ key: PeerID, _ change: (inout ModelPerson) -> Void
    ) -> (was: ModelPerson, now: ModelPerson)? {
        guard let was = entries[key] else { return nil }
        var now = was
        change(&now)
        guard now != was else { return nil }
        put(now, was)
        return (was, now)
    }

    /// Takes a row of the list of a room.
    mutating func put(_ person: ModelPerson) { put(person, entries[person.who.key]) }

    private mutating func put(_ person: ModelPerson, _ was: ModelPerson?) {
        if was == nil, person.isHere, entries.count - gone >= Limits.knownPeers { return }
        if was?.isHere == false { gone -= 1 }
        if !person.isHere { gone += 1 }
        entries[person.who.key] = person
        if gone > Limits.offlinePeersShown { forgetOne() }
    }

    private mutating func forgetOne() {
        let left = entries.values.filter { !$0.isHere }
        guard let first = left.min(by: { ($0.since, $0.who.key) < ($1.since, $1.who.key) }) else { return }
        entries[first.who.key] = nil
        gone -= 1
    }
}

extension PeerName {
    /// The name of a message's author, which keeps the nickname and stage of its time, with the number and the user's own name
    /// of now.
    func renamed(like now: PeerName) -> PeerName {
        PeerName(
            number: now.number, suffix: now.suffix, isTwin: now.isTwin, nickname: nickname, stage: stage, key: key,
            contact: now.contact, isAlike: nickname == now.nickname ? now.isAlike : isAlike)
    }

    func hasLabel(of other: PeerName) -> Bool {
        number == other.number && suffix == other.suffix && isTwin == other.isTwin && contact == other.contact
            && isAlike == other.isAlike
    }
}
