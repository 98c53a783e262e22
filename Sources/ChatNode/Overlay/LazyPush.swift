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

    private struct Missing: Sendable {
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
    private var queue: [UInt64] = []
    private(set) var announceAt: Instant?
    private var missing: [UInt64: Missing] = [:]
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
        if missing.isEmpty { return }
        missing[id] = nil
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
    mutating func kept(_ id: UInt64, by peer: PeerID) { promises.removeAll { $0.id == id && $0.peer == peer } }

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

    /// Queues the id of a payload that came, for the next announcement.
    mutating func gather(_ id: UInt64, now: Instant, using randomness: inout Randomness) {
        if queue.count >= Limits.recentPayloads { queue.removeFirst() }
        queue.append(id)
        guard announceAt == nil else { return }
        announceAt = now + .random(in: Limits.newsPauseLeast...Limits.newsPauseMost, using: &randomness)
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
            guard missing.count < Limits.recentPayloads else { return }
            missing[id] = Missing(announcers: [peer], since: now, askAt: now + patience)
        }
        wake(missing[id]?.askAt)
    }

    /// The announcements to send now, by neighbour; marks them as announced.
    mutating func announcements(
        now: Instant, neighbours: Neighbours, recent: inout RecentPayloads
    ) -> [(peer: PeerID, ids: [UInt64])] {
        guard let deadline = announceAt, deadline <= now else { return [] }
        announceAt = nil
        let ids = queue
        queue = []
        var result: [(peer: PeerID, ids: [UInt64])] = []
        for peer in listeners(neighbours) {
            guard let neighbour = neighbours[peer] else { continue }
            let news = ids.filter { id in
                guard let entry = recent[id], !entry.known.contains(neighbour.slot) else { return false }
                return neighbour.pushes & Trees.bit(entry.tree) == 0
            }
            for id in news { recent.record(id, knownAt: neighbour.slot) }
            if !news.isEmpty { result.append((peer, news)) }
        }
        return result
    }

    /// All neighbours; where they are many, those that this node dialled, the oldest that served it, and the others in turn.
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
        for id in missing.keys.sorted() {
            guard var entry = missing[id] else { continue }
            if entry.askAt <= now {
                guard now < entry.since + Limits.promiseTime else {
                    missing[id] = nil
                    continue
                }
                if let place = entry.announcers.firstIndex(where: mayAsk) {
                    asked[entry.announcers.remove(at: place), default: []].append(id)
                }
                entry.askAt = entry.announcers.isEmpty ? entry.since + Limits.promiseTime : now + patience
                missing[id] = entry
            }
            wake(entry.askAt)
        }
        for peer in asked.keys.sorted() {
            guard let ids = asked[peer] else { continue }
            promise(ids, by: peer, now)
            due.grafts.append((peer, ids))
        }
        return due
    }

    private mutating func promise(_ ids: [UInt64], by peer: PeerID, _ now: Instant) {
        for id in ids where promises.count < Limits.recentPayloads {
            promises.append(Promise(id: id, peer: peer, until: now + Limits.promiseTime))
        }
    }

    private mutating func wake(_ instant: Instant?) { askAt = Instant.earlier(askAt, instant) }
}

extension Limits {
    /// Neighbours that are remembered to have announced a missing payload. More cost memory; with fewer, none is left
    /// to ask when those asked break their promises.
    static let announcersKept = 8
    /// From asking a neighbour for a payload that it announced to a strike. A longer one lets liars delay payloads; a
    /// shorter one strikes honest neighbours on slow links.
    static let promiseTime = Duration.seconds(2)
    /// The least pause from a payload to its announcement. A shorter one announces payloads that are still on their way
    /// along the tree; a longer one delays repairs.
    static let newsPauseLeast = Duration.seconds(0.15)
    /// The most: a random pause between the two gathers the ids of several payloads in one frame. A longer one delays
    /// repairs; an equal one makes nodes announce in step.
    static let newsPauseMost = Duration.seconds(0.25)
    /// Links up to which all get all announcements. More cost traffic in proportion; with fewer, more neighbours learn
    /// of a lost payload late.
    static let newsLinks = 16
    /// Beyond that, links that others opened which always get announcements: the oldest of those that served. With
    /// more, the gain is smaller; with fewer, attackers that open many links keep honest neighbours from them.
    static let newsOldest = 10
    /// Links beyond these that get announcements in turn. More cost traffic; with fewer, each of them waits for longer.
    static let newsInTurn = 4
}
