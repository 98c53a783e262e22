import Chat
import Wire

/// The public payloads that came or were said lately, for neighbours that lack them, with the neighbours that have each.
struct RecentPayloads: Sendable {
    struct Entry: Sendable {
        let payload: VerifiedPayload
        /// As another neighbour gets it.
        let hops: UInt8
        let at: Instant
        /// The neighbours known to have it, or to get it.
        var known = SlotSet()

        var id: UInt64 { payload.id.prefix }
        var tree: Int { Trees.index(of: payload.author) }
    }

    /// A ring in the order of arrival; once it is full, `next` is the oldest.
    private var entries: [Entry] = []
    private var next = 0
    private var places: [UInt64: Int] = [:]

    subscript(id: UInt64) -> Entry? { places[id].map { entries[$0] } }

    mutating func insert(_ entry: Entry) {
        if entries.count < Limits.recentPayloads {
            places[entry.id] = entries.count
            return entries.append(entry)
        }
        if places[entries[next].id] == next { places[entries[next].id] = nil }
        entries[next] = entry
        places[entry.id] = next
        next = (next + 1) % entries.count
    }

    /// A neighbour has a payload, or gets it now; false if the payload is not here.
    @discardableResult
    mutating func record(_ id: UInt64, knownAt slot: UInt8) -> Bool {
        guard let place = places[id] else { return false }
        entries[place].known.insert(slot)
        return true
    }

    /// Names a payload to a neighbour.
    ///
    /// - Returns: false if the neighbour has it, or got it along its tree, or if it is not here any more. A neighbour that has become a child
    ///   since is named it.
    mutating func tell(_ id: UInt64, to neighbour: Neighbour) -> Bool {
        guard let place = places[id], !entries[place].known.contains(neighbour.slot) else { return false }
        entries[place].known.insert(neighbour.slot)
        return true
    }

    /// A neighbour is gone: its slot may become another's.
    mutating func forget(_ slot: UInt8) {
        for index in entries.indices { entries[index].known.remove(slot) }
    }

    /// The ids of the last 30 s, the newest first, at most as many as fit a `latest`.
    func latest(at now: Instant) -> [UInt64] {
        var ids: [UInt64] = []
        for distance in 1...max(1, entries.count) where ids.count < Limits.latestPayloads {
            guard distance <= entries.count else { break }
            let entry = entries[(next + entries.count - distance) % entries.count]
            guard now < entry.at + Limits.latestTime else { break }
            ids.append(entry.id)
        }
        return ids
    }
}

extension Limits {
    /// Payloads that a node can give to a neighbour that grafts them, and ids in the tables of what is announced
    /// and promised: several minutes of talk at 2 messages a second, 30 s at 17. More cost memory; with fewer,
    /// a neighbour asks in vain in a busy room.
    static let recentPayloads = 512
    /// Age of the payloads that neighbours compare. A longer one makes the lists longer; with a shorter one, a payload
    /// that two comparisons missed is left to the history.
    static let latestTime = Duration.seconds(30)
}
