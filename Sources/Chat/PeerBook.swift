internal import Wire

/// What admission remembers of peers, in a bounded table: who was heard under which numbers, and how often.
struct PeerBook: Sendable {
    private let rates: AdmissionRates
    private var records = RecentTable<PeerID, PeerRecord>(capacity: Limits.knownPeers)

    init(rates: AdmissionRates) {
        self.rates = rates
    }

    /// Whether the author may be heard under the header's epoch and number.
    func checkOrder(_ header: PayloadHeader) throws(DropReason) {
        try records[header.author]?.checkOrder(epoch: header.epoch, sequence: header.sequence)
    }

    /// Whether the author may be heard under the header's epoch and, unless it sends that kind again, number; then takes
    /// one of what it may say. The author is proven.
    mutating func takeInOrder(_ type: PayloadType, _ header: PayloadHeader, now: Instant) throws(DropReason) {
        try change(header.author, now) { record throws(DropReason) in
            if type.isSentAgain {
                try record.checkEpoch(header.epoch)
            } else {
                try record.checkOrder(epoch: header.epoch, sequence: header.sequence)
            }
            try record.take(for: type, now: now)
        }
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
    mutating func note(_ header: PayloadHeader, now: Instant) {
        change(header.author, now) { $0.note(epoch: header.epoch, sequence: header.sequence) }
    }

    /// Notes what history tells of an author who is known, in the epoch that is known; any other past leaves no trace.
    mutating func noteHistory(_ header: PayloadHeader) throws(DropReason) {
        guard var record = records[header.author], record.epoch == header.epoch else { return }
        guard record.window.place(of: header.sequence) != .seen else { throw .equivocation }
        record.note(epoch: header.epoch, sequence: header.sequence)
        records.set(record, for: header.author)
    }

    mutating func learn(epoch: UInt64, of author: PeerID, now: Instant) {
        change(author, now) { $0.learn(epoch: epoch) }
    }

    /// A record is large: it is changed where it is.
    private mutating func change<Failure: Error>(
        _ peer: PeerID, _ now: Instant, _ change: (inout PeerRecord) throws(Failure) -> Void
    ) throws(Failure) {
        try records.update(peer, orNew: { [rates] in PeerRecord(rates, now: now) }, change)
    }
}
