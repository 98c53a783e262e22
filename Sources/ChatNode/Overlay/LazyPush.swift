import Chat
import Noise
import Wire

/// Announcements: ids for neighbours, and the payloads that are missing here though they were announced
/// (Protocol.md section 13).
struct LazyPush: Sendable {
    /// The grafts to send, and the promises that were broken.
    struct Due: Sendable {
        var grafts: [(peer: PeerID, ids: [UInt64])] = []
        /// Announcers that were asked and gave nothing.
        var broken: [PeerID] = []
    }

    /// A payload that came, as long as this node announces it.
    private struct Announcement: Sendable {
        let id: UInt64
        let since: Instant
        /// The neighbours that learned of it here.
        var told = 0
    }

    private struct Missing: Sendable {
        /// The first announcer.
        let announcer: PeerID
        /// Announcers that were not asked yet.
        var announcers: [PeerID]
        let since: Instant
        var askAt: Instant
    }

    private struct Promise: Sendable {
        let id: UInt64
        let peer: PeerID
        let until: Instant
    }

    /// Ids to announce, in the order of their arrival.
    private var queue: [Announcement] = []
    private(set) var announceAt: Instant?
    /// When ids last went out in records of their own.
    private var announcedAt: Instant?
    private var missing: [UInt64: Missing] = [:]
    /// How many of these each neighbour was the first to announce: one that makes ids up takes no place from another.
    private var places: [PeerID: Int] = [:]
    /// In the order of their deadlines.
    private var promises: [Promise] = []
    /// Ids that came, were refused or were given up; false for one that was refused and may be right by now.
    private var settled = RecentTable<UInt64, Bool>(capacity: Limits.seenMessages)
    private var askAt: Instant?
    /// Among the neighbours that get news in turn, the first of the next turn.
    private var turn = 0

    var nextDeadline: Instant? {
        Instant.earlier(Instant.earlier(announceAt, askAt), promises.first?.until)
    }

    /// A payload came, or was refused for good: it is not asked for any more.
    mutating func settle(_ id: UInt64) {
        settled.set(true, for: id)
        if !missing.isEmpty { forget(id) }
    }

    private mutating func forget(_ id: UInt64) {
        guard let announcer = missing.removeValue(forKey: id)?.announcer,
            let place = places.index(forKey: announcer)
        else { return }
        places.values[place] -= 1
        if places.values[place] == 0 { places.remove(at: place) }
    }

    func isMissing(_ id: UInt64) -> Bool { missing[id] != nil }

    /// A payload that was refused may be right by now.
    mutating func reopen(_ id: UInt64) {
        if isSettled(id) { settled.set(false, for: id) }
    }

    func isSettled(_ id: UInt64) -> Bool { settled[id] ?? false }

    /// A payload of a neighbour is awaited.
    func awaits(_ peer: PeerID) -> Bool { promises.contains { $0.peer == peer } }

    /// A payload came from a neighbour, whatever becomes of it here: the neighbour keeps its promise.
    ///
    /// - Returns: true if the neighbour was asked for it.
    @discardableResult
    mutating func kept(_ id: UInt64, by peer: PeerID) -> Bool {
        let count = promises.count
        promises.removeAll { $0.id == id && $0.peer == peer }
        return promises.count < count
    }

    /// A neighbour that was asked for payloads has them no more, or gave enough: the next announcers are asked at once.
    mutating func refused(_ ids: [UInt64], by peer: PeerID, now: Instant) {
        for id in ids where promises.contains(where: { $0.id == id && $0.peer == peer }) {
            kept(id, by: peer)
            guard missing[id]?.announcers.isEmpty == false else { continue }
            missing[id]?.askAt = now
            wake(now)
        }
    }

    /// A neighbour is gone.
    mutating func close(_ peer: PeerID) {
        promises.removeAll { $0.peer == peer }
        for id in Array(missing.keys) { missing[id]?.announcers.removeAll { $0 == peer } }
    }

    /// Queues the id of a payload that came, for announcements.
    mutating func gather(_ id: UInt64, now: Instant, using randomness: inout Randomness) {
        if queue.count >= Limits.recentPayloads { queue.removeFirst() }
        queue.append(Announcement(id: id, since: now))
        if announceAt == nil { schedule(using: &randomness) }
    }

    /// Ids in records of their own are due some time after the first came, but not soon after the last such records.
    private mutating func schedule(using randomness: inout Randomness) {
        announceAt = queue.first.map { first in
            let due = first.since + .random(in: Limits.newsPauseLeast...Limits.newsPauseMost, using: &randomness)
            return announcedAt.map { max(due, $0 + Limits.newsSpacing.spread(using: &randomness)) } ?? due
        }
    }

    /// A neighbour announced a payload that is not here; it is asked for after `patience`.
    mutating func announced(_ id: UInt64, by peer: PeerID, now: Instant, patience: Duration) {
        if missing[id] != nil {
            guard missing[id]?.announcers.contains(peer) == false,
                missing[id]?.announcers.count ?? 0 < Limits.announcersKept
            else { return }
            // Where all announcers were asked in vain, this one is asked at once.
            if missing[id]?.announcers.isEmpty == true { missing[id]?.askAt = now }
            missing[id]?.announcers.append(peer)
        } else {
            guard places[peer] ?? 0 < Limits.missingPerNeighbour, missing.count < Limits.missing else { return }
            missing[id] = Missing(announcer: peer, announcers: [peer], since: now, askAt: now + patience)
            places[peer, default: 0] += 1
        }
        wake(missing[id]?.askAt)
    }

    /// Ids for a neighbour that fit in a record which goes to it anyway; marks them as announced.
    mutating func riders(
        for neighbour: Neighbour, atMost count: Int, now: Instant, recent: inout RecentPayloads
    ) -> [UInt64] {
        var ids: [UInt64] = []
        for index in queue.indices {
            guard ids.count < count, queue[index].since + Limits.newsPauseLeast <= now else { break }
            guard recent.tell(queue[index].id, to: neighbour) else { continue }
            // A neighbour that only takes names it to no other.
            if neighbour.servedAt != nil { queue[index].told += 1 }
            ids.append(queue[index].id)
        }
        return ids
    }

    /// The announcements to send now in records of their own, by neighbour: the ids that went to few neighbours in other
    /// records. Marks them as announced.
    mutating func announcements(
        now: Instant, neighbours: Neighbours, recent: inout RecentPayloads, using randomness: inout Randomness
    ) -> [(peer: PeerID, ids: [UInt64])] {
        guard let deadline = announceAt, deadline <= now else { return [] }
        let ripe = queue.prefix { $0.since + Limits.newsPauseLeast <= now }
        queue.removeFirst(ripe.count)
        var rest = ripe.filter { $0.told < Limits.newsReceivers }
        var result: [(peer: PeerID, ids: [UInt64])] = []
        for peer in rest.isEmpty ? [] : drawListeners(neighbours, using: &randomness) {
            guard result.count < Limits.newsReceivers, let neighbour = neighbours[peer] else { break }
            var ids: [UInt64] = []
            for index in rest.indices where rest[index].told < Limits.newsReceivers {
                guard recent.tell(rest[index].id, to: neighbour) else { continue }
                rest[index].told += 1
                ids.append(rest[index].id)
            }
            if !ids.isEmpty { result.append((peer, ids)) }
        }
        if !result.isEmpty { announcedAt = now }
        schedule(using: &randomness)
        return result
    }

    /// The listeners in a random order, those first that ever gave a new payload.
    private mutating func drawListeners(_ neighbours: Neighbours, using randomness: inout Randomness) -> [PeerID] {
        let drawn = listeners(neighbours).shuffled(using: &randomness)
        let serving = drawn.filter { neighbours[$0]?.servedAt != nil }
        return serving + drawn.filter { neighbours[$0]?.servedAt == nil }
    }

    /// The neighbours that may get announcements in records of their own: all; where they are many, those that this node dialled,
    /// the oldest that served it, and the others in turn.
    private mutating func listeners(_ neighbours: Neighbours) -> [PeerID] {
        let peers = neighbours.peers.filter { neighbours[$0]?.isInTrees ?? false }
        guard peers.count > Limits.newsLinks else { return peers }
        let incoming = peers.filter { neighbours[$0]?.isOutgoing == false }
        let served = incoming.compactMap { peer in
            neighbours[peer].flatMap { $0.servedAt == nil ? nil : (since: $0.openedAt, peer: peer) }
        }.sorted { ($0.since, $0.peer) < ($1.since, $1.peer) }.prefix(Limits.newsOldest).map(\.peer)
        let rest = incoming.filter { !served.contains($0) }
        let inTurn = rest.indices.prefix(Limits.newsInTurn).map { rest[(turn + $0) % rest.count] }
        turn = rest.isEmpty ? 0 : (turn + Limits.newsInTurn) % rest.count
        return peers.filter { neighbours[$0]?.isOutgoing == true } + served + inTurn
    }

    /// The ids to graft now at each announcer, and the promises that were broken.
    ///
    /// - Parameter mayAsk: takes a token of the rate at which a neighbour is asked; false above it.
    mutating func due(now: Instant, patience: Duration, mayAsk: (PeerID) -> Bool = { _ in true }) -> Due {
        var due = Due()
        while let first = promises.first, first.until <= now {
            due.broken.append(first.peer)
            promises.removeFirst()
        }
        guard let deadline = askAt, deadline <= now else { return due }
        askAt = nil
        var asked: [PeerID: [UInt64]] = [:]
        for id in missing.filter({ $0.value.askAt <= now }).keys.sorted() {
            guard var entry = missing[id], now < entry.since + Limits.promiseTime else {
                forget(id)
                continue
            }
            if let place = entry.announcers.firstIndex(where: mayAsk) {
                asked[entry.announcers.remove(at: place), default: []].append(id)
            }
            entry.askAt = entry.announcers.isEmpty ? entry.since + Limits.promiseTime : now + patience
            missing[id] = entry
        }
        wake(missing.values.lazy.map(\.askAt).min())
        for peer in asked.keys.sorted() {
            guard let ids = asked[peer] else { continue }
            promise(ids, by: peer, now)
            due.grafts.append((peer, ids))
        }
        return due
    }

    private mutating func promise(_ ids: [UInt64], by peer: PeerID, _ now: Instant) {
        for id in ids where promises.count < Limits.missing {
            promises.append(Promise(id: id, peer: peer, until: now + Limits.promiseTime))
        }
    }

    private mutating func wake(_ instant: Instant?) { askAt = Instant.earlier(askAt, instant) }
}

extension Limits {
    /// Payloads that are missing, and as many promises. More cost memory and time under attack; with fewer, some hostile neighbours leave no
    /// place for what others announce.
    static let missing = 2_048
    /// Missing payloads that one neighbour was the first to announce: those of 2 s at the rate of a link. With more, a neighbour that makes
    /// ids up costs more memory; with fewer, a node whose tree is broken in a busy room asks for some of what it lacks only after a comparison.
    static let missingPerNeighbour = 400
    /// Neighbours that are remembered to have announced a missing payload. More cost memory; with fewer, none is left
    /// to ask when those asked break their promises.
    static let announcersKept = 8
    /// From asking a neighbour for a payload that it announced to a strike. A longer one lets liars delay payloads; a
    /// shorter one strikes honest neighbours on slow links.
    static let promiseTime = Duration.seconds(2)
    /// The least age of a payload that a node announces. A lower one announces payloads that are still on their way along
    /// the tree; a higher one delays repairs.
    static let newsPauseLeast = Duration.seconds(0.15)
    /// The age at which ids go in records of their own after silence is between the two, at random. A higher one delays
    /// repairs; an equal one makes nodes announce in step.
    static let newsPauseMost = Duration.seconds(0.25)
    /// Between two announcements in records of their own; up to a fifth more or less, at random. A longer one delays
    /// repairs where a node passes few payloads on, whose records take ids along; a shorter one costs records.
    static let newsSpacing = Duration.seconds(2)
    /// Neighbours at least that a node announces a payload to. With more, more records carry nothing else; with fewer, a lost payload
    /// is noticed late.
    static let newsReceivers = 2
    /// Between two lists of news that a neighbour gets in records which go to it anyway: well below the rate of the frames
    /// that it reads. A longer one delays repairs; a shorter one costs both ends time.
    static let newsRidePause = Duration.seconds(0.05)
    /// Links up to which all may get announcements in records of their own. With more, attackers that open many links get
    /// most of those; with fewer, more neighbours learn of a lost payload late.
    static let newsLinks = 16
    /// Beyond that, links that others opened which always may get them: the oldest of those that served. With
    /// more, the gain is smaller; with fewer, attackers that open many links keep honest neighbours from them.
    static let newsOldest = 10
    /// Links beyond these that may get them in turn. With more, honest neighbours get fewer; with fewer, each of these waits
    /// for longer.
    static let newsInTurn = 4
}
