import Chat
package import Wire

/// Queues of requested payloads that are not sent yet, and the rate limit on them: each peer receives at most
/// `Limits.wantedPayloads` in any `Limits.historyAnswerInterval` (Protocol.md section 7).
package struct HistoryAnswers {
    private struct Sending {
        let at: Instant
        var count: Int
    }

    private var queues: [PeerID: [UInt64]] = [:]
    /// Kept when a link closes, so that a new connection does not reset the limit.
    private var sendings = RecentTable<PeerID, [Sending]>(capacity: Limits.knownPeers)

    package init() {}

    /// Queues requested payloads, each once, up to the rate limit; ignores the rest.
    ///
    /// - Parameter ids: those requested ids that are archived here.
    /// - Returns: false if the peer has reached the limit.
    package mutating func wanted(_ ids: [UInt64], by peer: PeerID, now: Instant) -> Bool {
        var queue = queues[peer] ?? []
        let room = Limits.wantedPayloads - recent(peer, now).reduce(0) { $0 + $1.count } - queue.count
        guard room > 0 else { return false }
        var queued = Set(queue)
        queue += ids.filter { queued.insert($0).inserted }.prefix(room)
        queues[peer] = queue.isEmpty ? nil : queue
        return true
    }

    /// Returns true if a payload is queued for the peer.
    package func hasSomething(for peer: PeerID) -> Bool { queues[peer] != nil }

    /// Removes the next id from the peer's queue and counts it as sent; nil if the queue is empty.
    package mutating func next(for peer: PeerID, now: Instant) -> UInt64? {
        guard var queue = queues[peer], !queue.isEmpty else { return nil }
        let id = queue.removeFirst()
        queues[peer] = queue.isEmpty ? nil : queue
        var recent = recent(peer, now)
        if recent.last?.at == now {
            recent[recent.count - 1].count += 1
        } else {
            recent.append(Sending(at: now, count: 1))
        }
        sendings.set(recent, for: peer)
        return id
    }

    /// The last link to a peer closed.
    package mutating func closed(to peer: PeerID) {
        queues[peer] = nil
    }

    private func recent(_ peer: PeerID, _ now: Instant) -> [Sending] {
        (sendings[peer] ?? []).filter { now < $0.at + Limits.historyAnswerInterval }
    }
}

extension Limits {
    /// Ids in a `want`, and payloads that a neighbour is given within `historyAnswerInterval`. More make an answer
    /// crowd out live messages on the link; with fewer, a newcomer waits for its history.
    package static let wantedPayloads = 100
    /// The time for which that holds, and between two offers of everything on a link. A longer one slows a newcomer's
    /// history; a shorter one lets a peer draw more traffic.
    package static let historyAnswerInterval = Duration.seconds(2)
}
