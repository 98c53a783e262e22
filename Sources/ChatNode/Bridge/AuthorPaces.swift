import Chat
import Wire

/// The pace of each author's messages, edits and deletions over a bridge: a backlog goes no faster, so that all nodes admit all of
/// it.
struct AuthorPaces: Sendable {
    private let rate: Rate
    private var buckets = RecentTable<PeerID, TokenBucket>(capacity: Limits.bridgedPeople)

    init(_ rate: Rate) { self.rate = rate }

    /// Takes one message's worth; false, and nothing is taken, above the rate.
    mutating func take(_ author: PeerID, now: Instant) -> Bool {
        buckets.update(author, orNew: { TokenBucket(rate, now: now) }) { $0.take(now: now) }
    }

    /// The time until the author's next message may go.
    func wait(_ author: PeerID, now: Instant) -> Duration { buckets[author]?.wait(now: now) ?? .zero }
}
