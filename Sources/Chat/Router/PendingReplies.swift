internal import Wire

/// The payloads of direct conversations that need no user: automatic answers, receipts, and messages that wait for a link to their peer.
struct PendingReplies: Sendable {
    private static let capacity = 256
    /// The ids that take as many bytes in receipts as an automatic answer takes, its MAC included.
    private static let idsPerAnswer = 9

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
        answers.removeAll { $0.peer == peer && $0.answer == answer }
        if answers.count == PendingReplies.capacity { answers.removeFirst() }
        answers.append(WaitingAnswer(peer: peer, answer: answer))
    }

    /// Drops the answers to peers that nothing can be sent to.
    mutating func keepAnswers(to reachable: Set<PeerID>) { answers.removeAll { !reachable.contains($0.peer) } }

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

    /// The peers that an automatic answer or a receipt waits for.
    var owed: Set<PeerID> { peersOwedReceipts.union(answers.map(\.peer)) }

    var hasBacklog: Bool { !peersWithBacklog.isEmpty }

    /// Makes the automatic answers and receipts to peers.
    ///
    /// - Parameters:
    ///   - peers: those that something can be sent to. Receipts wait for the others; see `keepAnswers`.
    ///   - count: the ids in receipts to each peer, fewer with an automatic answer; the others wait.
    mutating func takeAnswers(
        to peers: Set<PeerID>, atMost count: Int = .max, from chats: inout DirectChats, in session: inout UserSession,
        at moment: Moment
    ) -> [Outgoing] {
        let due = answers.filter { peers.contains($0.peer) }
        answers.removeAll { peers.contains($0.peer) }
        // An accepted peer needs the acceptance first; a peer that we leave needs its receipts first.
        var bodies = due.filter { $0.answer == .acceptance }.map { ($0.peer, $0.answer.body(to: $0.peer)) }
        let answered = Dictionary(due.map { ($0.peer, PendingReplies.idsPerAnswer) }, uniquingKeysWith: +)
        bodies += takeReceipts(for: peers, from: &chats) { max(0, count - answered[$0, default: 0]) }
        bodies += due.filter { $0.answer == .departure }.map { ($0.peer, $0.answer.body(to: $0.peer)) }
        return bodies.map { peer, body in
            Outgoing(payload: session.sign(body, at: moment.wallClock), destination: .peer(peer))
        }
    }

    private mutating func takeReceipts(
        for peers: Set<PeerID>, from chats: inout DirectChats, atMost count: (PeerID) -> Int
    ) -> [(PeerID, PayloadBody)] {
        let due = peersOwedReceipts.intersection(peers).sorted()
        peersOwedReceipts.subtract(due)
        return due.flatMap { peer in
            let bodies = chats.update(peer) { $0.receipts.takeReceipts(for: peer, atMost: count(peer)) } ?? []
            if chats[peer]?.receipts.isEmpty == false { peersOwedReceipts.insert(peer) }
            return bodies.map { (peer, $0) }
        }
    }

    /// Takes the messages that may be sent now.
    ///
    /// - Parameters:
    ///   - reachable: the peers that something can be sent to.
    ///   - rate: the rate of the messages.
    mutating func takeBacklogs(
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
