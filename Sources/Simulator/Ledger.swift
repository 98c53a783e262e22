package import Chat
import ChatNode
package import Wire

/// The messages of an experiment, with their authors, receivers and times; it counts the rest, which would be too much to
/// keep.
package struct Ledger: Sendable {
    /// A node's time in the room.
    package struct Stay: Sendable {
        let from: Instant
        /// Nil while it is there.
        var until: Instant?
        /// It was killed: its last messages may have reached no node.
        var isKilled = false
    }

    /// A message as one node showed it.
    private struct Showing {
        let node: Int32
        let isHistory: Bool
        /// Since it was said; clamped at 71 minutes.
        let microseconds: UInt32
    }

    private struct Entry {
        let author: Int
        let saidAt: Instant
        var showings: [Showing] = []
        var shown: Set<Int32> = []
    }

    private var entries: [MessageID: Entry] = [:]
    /// Of those who are there, or were not long ago, by their numbers.
    private var stays: [Int: Stay] = [:]
    /// The deliveries of messages that are no longer followed.
    private var settled = Deliveries()
    private let memory: Duration
    private var foldedAt = Instant(nanoseconds: 0)
    package private(set) var duplicates = 0
    package private(set) var showingCount = 0
    package private(set) var messageCount = 0
    package private(set) var nodeCount = 0
    /// Messages of which something may still be counted.
    package var followed: Int { entries.count }

    /// - Parameter memory: for how long a message is followed; nothing is expected of it later, and nothing counted.
    package init(memory: Duration = .seconds(24 * 3_600)) {
        self.memory = memory
    }

    /// A node starts; its number is what it is called by from now on.
    package mutating func arrive(at now: Instant) -> Int {
        defer { nodeCount += 1 }
        stays[nodeCount] = Stay(from: now, until: nil)
        return nodeCount
    }

    /// A node begins to leave, or was killed.
    package mutating func depart(_ node: Int, at now: Instant, isKilled: Bool = false) {
        stays[node]?.until = now
        stays[node]?.isKilled = isKilled
    }

    /// A node told its user something.
    package mutating func record(_ event: NodeEvent, by node: Int, now: Instant) {
        guard case .message(let message) = event, case .publicRoom = message.conversation else { return }
        record(
            message.id, isOwn: message.isFromCurrentUser, isHistory: message.isHistory, by: node, now: now)
    }

    /// A node told its user of a reaction: a ledger of reactions has them in the place of messages.
    mutating func record(reaction event: NodeEvent, by node: Int, now: Instant) {
        guard case .reacted(let reaction) = event, case .publicRoom = reaction.message.conversation,
            let id = reaction.id
        else { return }
        record(id, isOwn: reaction.isFromCurrentUser, isHistory: reaction.isHistory, by: node, now: now)
    }

    private mutating func record(_ id: MessageID, isOwn: Bool, isHistory: Bool, by node: Int, now: Instant) {
        if isOwn && !isHistory {
            messageCount += 1
            entries[id] = Entry(author: node, saidAt: now)
            fold(now)
            return
        }
        guard let saidAt = entries[id]?.saidAt else { return }
        guard entries[id]?.shown.insert(Int32(node)).inserted == true else {
            duplicates += 1
            return
        }
        let age = UInt32(clamping: (now - saidAt).nanoseconds / 1_000)
        let showing = Showing(node: Int32(node), isHistory: isHistory, microseconds: age)
        entries[id]?.showings.append(showing)
        showingCount += 1
    }

    /// Whether a message was said here, and is still followed.
    package func follows(_ id: MessageID) -> Bool { entries[id] != nil }

    /// How long a node has to be there before a message and after it to be one that is expected to be shown it.
    package static let settling = Duration.seconds(10)

    /// Expected and actual deliveries until now.
    package var deliveries: Deliveries {
        var result = settled
        let judge = Judge(stays)
        for entry in entries.values { judge.tally(entry, into: &result) }
        result.duplicates = duplicates
        result.latencies.sort()
        result.repairs.sort()
        return result
    }

    /// The deliveries of the followed messages that were said at `instant` or later.
    package func deliveries(since instant: Instant) -> Deliveries {
        var result = Deliveries()
        let judge = Judge(stays)
        for entry in entries.values where entry.saidAt >= instant { judge.tally(entry, into: &result) }
        result.latencies.sort()
        result.repairs.sort()
        return result
    }

    /// When the last followed message was said, at `instant` or later, that an expected receiver lacks, got as history or later
    /// than `bound`; nil if there is none.
    package func lastLate(since instant: Instant, bound: Duration) -> Instant? {
        let judge = Judge(stays)
        return entries.values.filter { $0.saidAt >= instant && judge.isLate($0, bound) }.map(\.saidAt).max()
    }

    /// `deliveries.missed`, without the sorting.
    package var missed: Int {
        var open = Deliveries()
        let judge = Judge(stays)
        for entry in entries.values { judge.tally(entry, into: &open) }
        return settled.missed + open.missed
    }

    /// Drops messages older than the time that is followed, and nodes that left before any of the others.
    private mutating func fold(_ now: Instant) {
        guard now > foldedAt + memory / 2 else { return }
        foldedAt = now
        let oldest = now + (.zero - memory)
        let judge = Judge(stays)
        for (id, entry) in entries where entry.saidAt < oldest {
            judge.tally(entry, into: &settled)
            entries[id] = nil
        }
        stays = stays.filter { $0.value.until.map { $0 >= oldest } ?? true }
    }

    /// The expected receivers of a message. A value of its own: as a method of the ledger it would hold a copy of the
    /// ledger while it adds to one of its fields, and each message would copy all latencies of the experiment so far.
    private struct Judge {
        private let stays: [Int: Stay]
        /// `stays` as an array, which is faster to iterate.
        private let everybody: [(number: Int, stay: Stay)]

        init(_ stays: [Int: Stay]) {
            self.stays = stays
            everybody = stays.map { (number: $0.key, stay: $0.value) }
        }

        func tally(_ entry: Entry, into result: inout Deliveries) {
            if isLost(entry) {
                result.lost += 1
                return
            }
            let expected = everybody.count { isExpected(entry, of: $0.number, $0.stay) }
            result.expected += expected
            let before = result.delivered
            for showing in entry.showings {
                let node = Int(showing.node)
                if !(stays[node].map { isExpected(entry, of: node, $0) } ?? false) {
                    result.others += 1
                } else if showing.isHistory {
                    result.repaired += 1
                    result.repairs.append(showing.microseconds)
                } else {
                    result.live += 1
                }
                if !showing.isHistory { result.latencies.append(showing.microseconds) }
            }
            if result.delivered - before != expected { recordGaps(entry, in: &result) }
        }

        func isLate(_ entry: Entry, _ bound: Duration) -> Bool {
            guard !isLost(entry) else { return false }
            let inTime = entry.showings.count { showing in
                let node = Int(showing.node)
                return !showing.isHistory && .microseconds(Int64(showing.microseconds)) <= bound
                    && (stays[node].map { isExpected(entry, of: node, $0) } ?? false)
            }
            return inTime < everybody.count { isExpected(entry, of: $0.number, $0.stay) }
        }

        private func recordGaps(_ entry: Entry, in result: inout Deliveries) {
            for (number, stay) in everybody
            where isExpected(entry, of: number, stay) && !entry.shown.contains(Int32(number)) {
                result.gaps[number, default: Gap(stay)].add(entry.saidAt)
            }
        }

        /// True if the author was killed before any node had the message: a newcomer that speaks at once has no links yet.
        private func isLost(_ entry: Entry) -> Bool {
            guard entry.showings.isEmpty, let author = stays[entry.author], author.isKilled else { return false }
            return author.until.map { $0 < entry.saidAt + Ledger.settling } ?? false
        }

        private func isExpected(_ entry: Entry, of node: Int, _ stay: Stay) -> Bool {
            guard node != entry.author, stay.from + Ledger.settling <= entry.saidAt else { return false }
            return stay.until.map { $0 >= entry.saidAt + Ledger.settling } ?? true
        }
    }
}

/// The messages that a node was not shown, though it was present.
package struct Gap: Hashable, Sendable {
    /// When it came, and when it left; nil where it is there yet.
    package let came: Instant
    package let left: Instant?
    /// How many messages, and when the first and the last of them were said.
    package private(set) var count = 0
    package private(set) var first: Instant?
    package private(set) var last: Instant?

    fileprivate init(_ stay: Ledger.Stay) {
        came = stay.from
        left = stay.until
    }

    fileprivate mutating func add(_ saidAt: Instant) {
        count += 1
        first = min(first ?? saidAt, saidAt)
        last = max(last ?? saidAt, saidAt)
    }

    /// Adds those that the same process missed in another room.
    fileprivate func adding(_ other: Gap) -> Gap {
        var sum = self
        sum.count += other.count
        sum.first = [first, other.first].compactMap(\.self).min()
        sum.last = [last, other.last].compactMap(\.self).max()
        return sum
    }
}

/// How often the messages of an experiment were shown to those who did not say them.
package struct Deliveries: Hashable, Sendable {
    /// At every node that was there from 10 s before the message until 10 s after it, or until the end.
    package var expected = 0
    /// Of those: delivered as they were said, or later, from another node's history.
    package var live = 0
    package var repaired = 0
    /// To nodes that had just come or were about to go: not expected, and not counted as delivered.
    package var others = 0
    /// Messages that no node had when their authors were killed, within 10 s of saying them: expected of no node.
    package var lost = 0
    /// Deliveries to nodes that had the message already.
    package var duplicates = 0
    /// From being said to being shown live, in microseconds, the shortest first.
    package var latencies: [UInt32] = []
    /// The latencies of repaired deliveries.
    package var repairs: [UInt32] = []
    /// The gaps of each node that missed a message, by its number.
    package var gaps: [Int: Gap] = [:]

    /// Adds the deliveries of another room.
    mutating func add(_ other: Deliveries) {
        expected += other.expected
        live += other.live
        repaired += other.repaired
        others += other.others
        lost += other.lost
        duplicates += other.duplicates
        latencies = (latencies + other.latencies).sorted()
        repairs = (repairs + other.repairs).sorted()
        gaps.merge(other.gaps) { $0.adding($1) }
    }

    package var delivered: Int { live + repaired }
    package var missed: Int { expected - delivered }

    /// The latency that `percent` of the live deliveries did not exceed; nil where there were none.
    package func latency(percent: Int) -> Duration? { Deliveries.rank(percent, of: latencies) }

    /// That percentile of the repaired deliveries.
    package func repair(percent: Int) -> Duration? { Deliveries.rank(percent, of: repairs) }

    private static func rank(_ percent: Int, of microseconds: [UInt32]) -> Duration? {
        guard !microseconds.isEmpty else { return nil }
        let rank = (microseconds.count * percent + 99) / 100
        return .microseconds(Int64(microseconds[min(max(rank, 1), microseconds.count) - 1]))
    }
}
