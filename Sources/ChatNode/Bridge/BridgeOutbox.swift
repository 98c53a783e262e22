package import Chat
package import Wire

/// Publications that the broker has not confirmed: at most 10,000, for 10 min, in the order in which they were said.
package struct BridgeOutbox: Sendable {
    private struct Entry: Sendable {
        let content: BridgedContent
        let author: PeerID
        let id: MessageID?
        /// Whether the author's rate applies, and late joiners get it.
        let isHistory: Bool
        /// How many messages it counts as.
        let cost: Double
        /// Another bridge of this network may publish it before.
        var notBefore: Instant
        let expires: Instant
        var isSent = false
    }

    /// A publication that is to be sent now.
    package struct Due: Sendable {
        package let tag: UInt64
        package let content: BridgedContent
        package let isHistory: Bool
    }

    private var entries: [UInt64: Entry] = [:]
    /// Tags from the oldest on; some are of entries that are gone.
    private var order: [UInt64] = []
    private var tags: [MessageID: UInt64] = [:]
    private var paces: AuthorPaces
    private var lastTag: UInt64 = 0
    private var sent = 0
    /// Publications that were given up: displaced by later ones, or too old.
    package private(set) var dropped = 0

    /// - Parameter rate: of an author's messages, edits and deletions.
    package init(rate: Rate) { paces = AuthorPaces(rate) }

    package var count: Int { entries.count }

    /// Adds a publication, unless its payload is there already.
    package mutating func add(
        _ content: BridgedContent, by author: PeerID, isHistory: Bool, notBefore: Instant, now: Instant
    ) {
        let id = content.messageID
        if let id, tags[id] != nil { return }
        if entries.count >= Limits.bridgeWaiting { dropOldest() }
        lastTag += 1
        entries[lastTag] = Entry(
            content: content, author: author, id: id, isHistory: isHistory,
            cost: isHistory ? content.paced?.cost ?? 1 : 0, notBefore: notBefore,
            expires: now + Limits.bridgeWaitingTime)
        order.append(lastTag)
        if let id { tags[id] = lastTag }
    }

    /// The publications to send now, in order; to be called only while there is a connection.
    package mutating func takeDue(now: Instant) -> [Due] {
        expire(now)
        var due: [Due] = []
        var held: Set<PeerID> = []
        for tag in order where sent < Limits.bridgeWindow {
            guard let entry = entries[tag], !entry.isSent, !held.contains(entry.author) else { continue }
            guard entry.notBefore <= now,
                !entry.isHistory || paces.takeTokens(entry.cost, of: entry.author, now: now)
            else {
                held.insert(entry.author)
                continue
            }
            entries[tag]?.isSent = true
            sent += 1
            due.append(Due(tag: tag, content: entry.content, isHistory: entry.isHistory))
        }
        return due
    }

    /// When `takeDue` has something; nil for never, as long as nothing is added, confirmed or refused.
    package func nextDeadline(now: Instant) -> Instant? {
        guard sent < Limits.bridgeWindow else { return nil }
        var next: Instant?
        var held: Set<PeerID> = []
        for tag in order {
            guard let entry = entries[tag], !entry.isSent, held.insert(entry.author).inserted else { continue }
            let wait = entry.isHistory ? paces.wait(for: entry.cost, of: entry.author, now: now) : .zero
            next = .earlier(next, max(entry.notBefore, now + wait))
            if held.count > 32 { break }
        }
        return next
    }

    /// The broker keeps a publication.
    package mutating func confirm(_ tag: UInt64) { remove(tag) }

    /// The broker did not take a publication.
    package mutating func refuse(_ tag: UInt64, now: Instant) {
        guard entries[tag]?.isSent == true else { return }
        entries[tag]?.isSent = false
        entries[tag]?.notBefore = now + Limits.bridgeSecondTime
        sent -= 1
    }

    /// The payload was published by another bridge.
    package mutating func recordSeen(_ id: MessageID) {
        if let tag = tags[id] { remove(tag) }
    }

    /// The connection has ended: all of it is to be published again.
    package mutating func disconnected() {
        for tag in order { entries[tag]?.isSent = false }
        sent = 0
    }

    /// Removes the publications of an author that no longer consents.
    package mutating func remove(of author: PeerID) {
        for tag in order where entries[tag]?.author == author { remove(tag) }
    }

    private mutating func expire(_ now: Instant) {
        compact()
        for tag in order {
            guard let entry = entries[tag] else { continue }
            guard entry.expires <= now else { return }
            remove(tag)
            dropped += 1
        }
    }

    private mutating func dropOldest() {
        compact()
        guard let oldest = order.first else { return }
        remove(oldest)
        order.removeFirst()
        dropped += 1
    }

    private mutating func remove(_ tag: UInt64) {
        guard let entry = entries.removeValue(forKey: tag) else { return }
        if entry.isSent { sent -= 1 }
        if let id = entry.id { tags[id] = nil }
    }

    /// Removes the tags of entries that are gone from the front, and all of them where they are most.
    private mutating func compact() {
        if order.count > 2 * entries.count + 64 { order.removeAll { entries[$0] == nil } }
        let gone = order.prefix { entries[$0] == nil }.count
        if gone > 0 { order.removeFirst(gone) }
    }
}

/// The pace of what each author says over a bridge, but for presences: a backlog goes no faster, so that all nodes admit all of
/// it.
struct AuthorPaces: Sendable {
    private let rate: Rate
    private var buckets = RecentTable<PeerID, TokenBucket>(capacity: Limits.bridgedPeople)

    init(_ rate: Rate) { self.rate = rate }

    /// Takes the worth of messages; false, and nothing is taken, above the rate.
    mutating func takeTokens(_ count: Double, of author: PeerID, now: Instant) -> Bool {
        buckets.update(author, orNew: { TokenBucket(rate, now: now) }) {
            $0.takeTokens(rate.atMostBurst(count), now: now)
        }
    }

    /// The time until the author's next publication may go, which counts as so many messages.
    func wait(for count: Double, of author: PeerID, now: Instant) -> Duration {
        buckets[author]?.wait(for: rate.atMostBurst(count), now: now) ?? .zero
    }
}

extension Limits {
    /// Publications that wait for a broker; the oldest goes. More cost memory during an outage; with fewer, an outage
    /// in a busy room loses messages.
    package static let bridgeWaiting = 10_000
    /// For how long a publication waits: a broker that is away for as long loses nothing. A longer one brings answers
    /// to questions that are long over; a shorter one loses more in an outage.
    static let bridgeWaitingTime = Duration.seconds(600)
    /// Publications that are sent before the first of them is confirmed. More are sent twice after a lost connection;
    /// with fewer, each round trip to a distant broker slows the backlog.
    static let bridgeWindow = 128
    /// After which another bridge of the same network publishes a payload. A longer one delays what a failed bridge
    /// left; a shorter one makes all bridges publish everything.
    static let bridgeSecondTime = Duration.milliseconds(300)
}
