package import Wire

/// Where a message stands among all messages of its conversation, the same on every node (Protocol.md section 7).
///
/// By time; an author's messages of one millisecond by the order in which they were signed.
package struct SortKey: Hashable, Comparable, Sendable {
    /// Signed; of a message heard live not further than 300 s from when it came, so that a wrong clock wins nothing.
    package let time: Timestamp
    let turn: MessageTurn

    package static func < (left: SortKey, right: SortKey) -> Bool {
        left.time == right.time ? left.turn < right.turn : left.time < right.time
    }
}

/// Where a message stands among those of one millisecond.
struct MessageTurn: Hashable, Comparable, Sendable {
    let author: PeerID
    let authorClock: AuthorClock
    let id: MessageID

    static func < (left: MessageTurn, right: MessageTurn) -> Bool {
        if left.author != right.author { return left.author < right.author }
        if left.authorClock != right.authorClock { return left.authorClock < right.authorClock }
        return left.id.words < right.id.words
    }
}

extension Message {
    package var place: SortKey { SortKey(time: effectiveTime, turn: turn) }

    var turn: MessageTurn { MessageTurn(author: author, authorClock: authorClock, id: id) }

    /// The time of its place.
    var effectiveTime: Timestamp {
        guard !isHistory else { return sentAt }
        let (now, reach) = (receivedAt.milliseconds, Limits.freshnessMilliseconds)
        let earliest = now - min(now, reach)
        let latest = now + min(.max - now, reach)
        return Timestamp(milliseconds: min(max(sentAt.milliseconds, earliest), latest))
    }
}

extension P2PPayload {
    /// The place by what its author signed alone.
    var place: SortKey {
        SortKey(time: timestamp, turn: MessageTurn(author: author, authorClock: authorClock, id: messageId))
    }
}
