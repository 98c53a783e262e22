package import Wire

/// The place of a message among all messages of its conversation (Protocol.md section 7).
///
/// A full ring evicts the message with the lowest key.
package struct SortKey: Hashable, Comparable, Sendable {
    /// The signed time, but never later than the message came, so that a wrong clock keeps no message for longer.
    package let time: Timestamp
    /// Orders messages with one `time`.
    package let signed: SignedOrder

    package static func < (left: SortKey, right: SortKey) -> Bool {
        left.time == right.time ? left.signed < right.signed : left.time < right.time
    }
}

/// The signed order: the same on every node; history is shown in it (Protocol.md section 7).
///
/// By time; messages of one millisecond by author, then in the order in which the author signed them.
package struct SignedOrder: Hashable, Comparable, Sendable {
    let time: Timestamp
    let author: PeerID
    let authorClock: AuthorClock
    let id: MessageID

    package static func < (left: SignedOrder, right: SignedOrder) -> Bool {
        if left.time != right.time { return left.time < right.time }
        if left.author != right.author { return left.author < right.author }
        if left.authorClock != right.authorClock { return left.authorClock < right.authorClock }
        return left.id.words < right.id.words
    }
}

extension P2PPayload {
    var signedOrder: SignedOrder {
        SignedOrder(time: timestamp, author: author, authorClock: authorClock, id: messageId)
    }
}

extension Timestamp {
    /// The time of the place of a message that came unasked: the signed time, moved to between 300 s before the arrival
    /// and the arrival.
    package func placeTime(receivedAt arrival: Timestamp) -> Timestamp {
        min(max(self, arrival.beforeFreshness), arrival)
    }

    /// The time of the place of a message from history: the signed time, or that of the request if the signed time is
    /// up to 2 s later.
    ///
    /// A signed time further ahead comes from a wrong clock. No node admits a message more than 300 s before its time,
    /// so that the message was signed after its time less 300 s. That bound keeps out no message that was signed later.
    func placeTime(askedAt request: Timestamp) -> Timestamp {
        guard self > request else { return self }
        return distance(to: request) <= Limits.clockOffsetMilliseconds ? request : min(beforeFreshness, request)
    }

    private var beforeFreshness: Timestamp {
        Timestamp(milliseconds: milliseconds - min(milliseconds, Limits.freshnessMilliseconds))
    }
}
