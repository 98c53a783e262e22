internal import Wire

/// What admission remembers of peers, in a bounded table: who was heard under which numbers, and how often.
struct AuthorStates: Sendable {
    private let rates: AdmissionRates
    private var records = RecentTable<PeerID, AuthorState>(capacity: Limits.knownPeers)

    init(rates: AdmissionRates) {
        self.rates = rates
    }

    /// Whether the very payload was heard before, as far as the author's latest numbers tell.
    func knows(_ header: PayloadHeader, _ id: MessageID) -> Bool {
        records[header.author]?.knows(header, id) ?? false
    }

    /// Whether the author may be heard under the header's epoch and number.
    func checkOrder(_ header: PayloadHeader, _ id: MessageID) throws(DropReason) {
        try records[header.author]?.checkOrder(header, id)
    }

    /// Hears an author who is proven by the link: checks epoch and, unless the kind is sent again, number, takes one of
    /// what it may say, has `read` read that, and notes it. What can not be read is taken all the same.
    mutating func admit<Content>(
        _ type: PayloadType, _ header: PayloadHeader, _ id: MessageID, now: Instant,
        read: () throws(DropReason) -> Content
    ) throws(DropReason) -> Content {
        let content = try change(header.author, now) { record throws(DropReason) -> Result<Content, DropReason> in
            if type.isSentAgain {
                try record.checkEpoch(header.epoch)
            } else {
                try record.checkOrder(header, id)
            }
            try record.take(for: type, now: now)
            do throws(DropReason) {
                let content = try read()
                record.note(header, id)
                return .success(content)
            } catch {
                // Thrown here, it would leave no trace in a record that is new or was not written to for long.
                return .failure(error)
            }
        }
        return try content.get()
    }

    /// Takes one of what the author may say; the author is proven.
    mutating func take(_ type: PayloadType, of author: PeerID, now: Instant) throws(DropReason) {
        try change(author, now) { record throws(DropReason) in try record.take(for: type, now: now) }
    }

    /// Takes one of the frames that the neighbour may relay, and if it tells of somebody new, one of those.
    mutating func takeRelayed(of author: PeerID, from link: PeerID, now: Instant) throws(DropReason) {
        try change(link, now) { record throws(DropReason) in try record.takeRelayed(now: now) }
        try takeNewAuthor(author, from: link, now: now)
    }

    mutating func takeNewAuthor(_ author: PeerID, from link: PeerID, now: Instant) throws(DropReason) {
        guard records[author] == nil else { return }
        try change(link, now) { record throws(DropReason) in try record.takeNewAuthor(now: now) }
    }

    /// Notes that the author was heard; the payload is admitted.
    mutating func note(_ header: PayloadHeader, _ id: MessageID, now: Instant) {
        change(header.author, now) { $0.note(header, id) }
    }

    /// Notes what history tells of an author who is known, in the epoch that is known; any other past leaves no trace.
    mutating func noteHistory(_ header: PayloadHeader, _ id: MessageID) throws(DropReason) {
        try records.update(header.author) { record throws(DropReason) in try record.noteHistory(header, id) }
    }

    mutating func learn(epoch: UInt64, of author: PeerID, now: Instant) {
        change(author, now) { $0.learn(epoch: epoch) }
    }

    /// A record is large: it is changed where it is.
    private mutating func change<Result, Failure: Error>(
        _ peer: PeerID, _ now: Instant, _ change: (inout AuthorState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try records.update(peer, orNew: { [rates] in AuthorState(rates, now: now) }, change)
    }
}
