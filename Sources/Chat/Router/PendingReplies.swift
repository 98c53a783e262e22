internal import Wire

/// The payloads of direct conversations that need no user: automatic answers, receipts, and messages that wait for a link to their peer.
struct PendingReplies: Sendable {
    private static let capacity = 256

    /// An automatic answer that waits to be signed.
    struct WaitingAnswer: Sendable {
        let peer: PeerID
        let answer: DirectAnswer
    }

    private(set) var answers: [WaitingAnswer] = []
    /// Peers that a receipt has to be sent to.
    private var peersOwedReceipts: Set<PeerID> = []
    /// Peers with messages that were not sent on the present link.
    private var peersWithBacklog: Set<PeerID> = []

    var isEmpty: Bool { answers.isEmpty && peersOwedReceipts.isEmpty && peersWithBacklog.isEmpty }

    /// The peers that something waits for.
    var peers: Set<PeerID> { peersOwedReceipts.union(peersWithBacklog).union(answers.map(\.peer)) }

    mutating func add(_ answer: DirectAnswer, to peer: PeerID) {
        if answers.count == PendingReplies.capacity { answers.removeFirst() }
        answers.append(WaitingAnswer(peer: peer, answer: answer))
    }

    mutating func removeAnswers(to peer: PeerID) { answers.removeAll { $0.peer == peer } }

    /// Records the peer of a conversation if receipts or messages wait for it.
    mutating func recordWaiting(in chat: DirectChat) {
        if !chat.receipts.isEmpty { peersOwedReceipts.insert(chat.peer) }
        if chat.queue.hasBacklog { peersWithBacklog.insert(chat.peer) }
    }

    /// When the rate lets the next waiting message through; nil for never.
    func nextDeadline(in chats: DirectChats) -> Instant? {
        var next: Instant?
        for peer in peersWithBacklog { next = .earlier(next, chats[peer]?.queue.nextDeadline) }
        return next
    }

    /// Signs answers and receipts, and takes the messages that may be sent now.
    ///
    /// - Parameters:
    ///   - reachable: those of `peers` that something can be sent to. Receipts wait for the others; answers are dropped.
    ///   - rate: the rate of the messages.
    mutating func takeDue(
        for reachable: Set<PeerID>, from chats: inout DirectChats, in session: inout UserSession, rate: Rate,
        at moment: Moment
    ) -> [Outgoing] {
        let due = answers.filter { reachable.contains($0.peer) }
        answers.removeAll(keepingCapacity: true)
        // An accepted peer needs the acceptance first; a peer that we leave needs its receipts first.
        var bodies = due.filter { $0.answer == .acceptance }.map { ($0.peer, $0.answer.body(to: $0.peer)) }
        bodies += takeReceipts(for: reachable, from: &chats)
        bodies += due.filter { $0.answer == .departure }.map { ($0.peer, $0.answer.body(to: $0.peer)) }
        let signed = bodies.map { peer, body in
            Outgoing(payload: session.sign(body, at: moment.wallClock), destination: .peer(peer))
        }
        return signed + takeBacklogs(for: reachable, from: &chats, rate: rate, now: moment.instant)
    }

    private mutating func takeReceipts(
        for reachable: Set<PeerID>, from chats: inout DirectChats
    ) -> [(PeerID, PayloadBody)] {
        let peers = peersOwedReceipts.intersection(reachable).sorted()
        peersOwedReceipts.subtract(peers)
        return peers.flatMap { peer in
            (chats.update(peer) { $0.receipts.takeReceipts(for: peer) } ?? []).map { (peer, $0) }
        }
    }

    private mutating func takeBacklogs(
        for reachable: Set<PeerID>, from chats: inout DirectChats, rate: Rate, now: Instant
    ) -> [Outgoing] {
        var outgoing: [Outgoing] = []
        for peer in peersWithBacklog.sorted() {
            guard reachable.contains(peer) else {
                peersWithBacklog.remove(peer)
                continue
            }
            let due = chats.update(peer) { $0.queue.takeDue(now: now, rate: rate) } ?? []
            outgoing += due.map { Outgoing(payload: $0, destination: .peer(peer)) }
            if chats[peer]?.queue.hasBacklog != true { peersWithBacklog.remove(peer) }
        }
        return outgoing
    }
}
