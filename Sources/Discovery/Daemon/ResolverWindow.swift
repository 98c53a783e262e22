import Wire

/// The number of resolvers that may be open at once: it grows as long as answers come, and shrinks where they do not.
///
/// The daemon looks through the deadlines of all resolvers of all its clients at every step. A hundred nodes of one host
/// with 64 each keep it so busy that no answer comes in time, all are asked for again, and no nodes meet. The rule is that
/// of packets on a crowded line: one more for each round of answers, half as many after a miss (RFC 5681).
struct ResolverWindow {
    static let least = 8
    /// Of all rooms of a process: a daemon gives one client 1,024 objects, which are resolvers, a browser for each room, and
    /// an entry group for each room and interface.
    static let most = 64

    private(set) var size = least * 2
    /// Answers since it grew.
    private var answers = 0
    /// Misses of one round count once.
    private var nextCut: Instant?

    /// Half of the resolvers are kept for newcomers.
    func room(isNewcomer: Bool) -> Int { isNewcomer ? size : size / 2 }

    mutating func answered() {
        answers += 1
        guard answers >= size, size < Self.most else { return }
        size += 1
        answers = 0
    }

    mutating func missed(now: Instant) {
        if let nextCut, now < nextCut { return }
        nextCut = now + InstanceTable.quickLookup
        size = max(Self.least, size / 2)
        answers = 0
    }
}
