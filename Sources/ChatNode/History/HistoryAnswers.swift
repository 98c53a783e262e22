import Chat
package import Wire

/// What neighbours asked for and is still to be sent, and how much they may ask for: 100 payloads in any 2 s
/// (Protocol.md section 7).
package struct HistoryAnswers {
    private struct Sending {
        let at: Instant
        var count: Int
    }

    private var queues: [PeerID: [UInt64]] = [:]
    /// Kept beyond a link, so that who comes back at once gets no more.
    private var sendings = RecentTable<PeerID, [Sending]>(capacity: Limits.knownPeers)

    package init() {}

    /// A peer wants something. Each of the ids is answered once, as far as the rate allows; the rest is ignored.
    ///
    /// - Parameter ids: those that are here.
    /// - Returns: false if the peer may have nothing more now.
    package mutating func wanted(_ ids: [UInt64], by peer: PeerID, now: Instant) -> Bool {
        var queue = queues[peer] ?? []
        let room = Limits.wantedPayloads - recent(peer, now).reduce(0) { $0 + $1.count } - queue.count
        guard room > 0 else { return false }
        var queued = Set(queue)
        queue += ids.filter { queued.insert($0).inserted }.prefix(room)
        queues[peer] = queue.isEmpty ? nil : queue
        return true
    }

    package func hasSomething(for peer: PeerID) -> Bool { queues[peer] != nil }

    /// What a peer is to be sent next, which counts as sent.
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

    /// The last link to a peer has ended.
    package mutating func closed(to peer: PeerID) {
        queues[peer] = nil
    }

    private func recent(_ peer: PeerID, _ now: Instant) -> [Sending] {
        (sendings[peer] ?? []).filter { now < $0.at + Limits.historyAnswerInterval }
    }
}
