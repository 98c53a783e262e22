internal import Wire

/// The host that a neighbour's link comes from, as a number: links of one host share what is limited for all links together,
/// because identities cost nothing.
package struct LinkSource: Hashable, Sendable {
    let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }

    /// A source of its own, for a neighbour whose host is not known.
    init(of neighbour: PeerID) {
        number = neighbour.words.3
    }
}

/// A rate that many share, of which those that take little always find a part: the others leave a quarter of the burst or half of
/// it.
struct FairBucket: Sendable {
    private let rate: Rate
    private var tokens: Tokens
    private var sources: Shares<LinkSource>
    private var authors: Shares<PeerID>

    /// - Parameter share: the rate at which one source, or one author, takes little.
    init(_ rate: Rate, share: Rate, now: Instant) {
        self.rate = rate
        tokens = Tokens(rate, now: now)
        (sources, authors) = (Shares(share), Shares(share))
    }

    /// Takes a token from a bucket that begins full.
    ///
    /// An eighth of the rate is little for one source or author, a sixteenth of the burst at once: three or four of them leave
    /// something.
    static func takeToken(
        from bucket: inout FairBucket?, _ count: Double = 1, of source: LinkSource, author: PeerID? = nil,
        at rate: Rate,
        now: Instant
    ) -> Bool {
        if bucket == nil {
            let share = Rate(perSecond: rate.perSecond / 8, burst: max(1, rate.burst / 16))
            bucket = FairBucket(rate, share: share, now: now)
        }
        return bucket?.takeTokens(count, of: source, author: author, now: now) ?? true
    }

    /// Takes the tokens of a payload.
    ///
    /// - Parameters:
    ///   - count: at most a quarter of the burst.
    ///   - source: one that takes little may empty the bucket.
    ///   - author: one that says little leaves a quarter, whatever its source takes; nil where authors do not count. New
    ///     identities say little at first, so that this helps only an honest one behind a source that takes much.
    mutating func takeTokens(
        _ count: Double = 1, of source: LinkSource, author: PeerID? = nil, now: Instant
    ) -> Bool {
        guard !rate.isUnlimited else { return true }
        let isSmallSource = sources.takeTokens(count, of: source, now: now)
        let isSmallAuthor = author.map { authors.takeTokens(count, of: $0, now: now) } ?? false
        let rest = isSmallSource ? 0 : isSmallAuthor || author == nil ? rate.burst / 4 : rate.burst / 2
        tokens.refill(at: rate, now)
        guard tokens.count >= rest + count else { return false }
        return tokens.takeTokens(count, at: rate, now: now)
    }
}

/// A bucket of the same rate for each of many.
private struct Shares<Key: Hashable & Sendable>: Sendable {
    private let rate: Rate
    private var tokens = RecentTable<Key, Tokens>(capacity: Limits.links * 4)

    init(_ rate: Rate) {
        self.rate = rate
    }

    /// Takes tokens, and owes what a full bucket has not: a card costs more than that.
    mutating func takeTokens(_ count: Double, of key: Key, now: Instant) -> Bool {
        tokens.update(key, orNew: { [rate] in Tokens(rate, now: now) }) { [rate] in
            $0.takeOrOwe(count, at: rate, now: now)
        }
    }
}
