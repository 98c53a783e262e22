internal import Wire

/// What admission remembers of peers, in a bounded table: who was heard under which numbers, and how often.
struct PeerBook: Sendable {
    private let rates: AdmissionRates
    private var records = RecentTable<PeerID, PeerRecord>(capacity: Limits.knownPeers)

    init(rates: AdmissionRates) {
        self.rates = rates
    }

    /// Whether the author may be heard under the header's epoch.
    func checkEpoch(_ header: PayloadHeader) throws(DropReason) {
        try records[header.author]?.checkEpoch(header.epoch)
    }

    /// Whether the author may be heard under the header's epoch and number.
    func checkOrder(_ header: PayloadHeader) throws(DropReason) {
        try records[header.author]?.checkOrder(epoch: header.epoch, sequence: header.sequence)
    }

    /// Takes one of what the author may say; the author is proven.
    mutating func take(_ type: PayloadType, of author: PeerID, now: Instant) throws(DropReason) {
        var record = record(of: author, now)
        try record.take(for: type, now: now)
        records.set(record, for: author)
    }

    /// Takes one of the frames that the neighbour may relay, and if it tells of somebody new, one of those.
    mutating func takeRelayed(of author: PeerID, from link: PeerID, now: Instant) throws(DropReason) {
        var record = record(of: link, now)
        try record.takeRelayed(now: now)
        records.set(record, for: link)
        try takeNewAuthor(author, from: link, now: now)
    }

    mutating func takeNewAuthor(_ author: PeerID, from link: PeerID, now: Instant) throws(DropReason) {
        guard records[author] == nil else { return }
        var record = record(of: link, now)
        try record.takeNewAuthor(now: now)
        records.set(record, for: link)
    }

    /// Notes that the author was heard; the payload is admitted.
    mutating func note(_ header: PayloadHeader, now: Instant) {
        var record = record(of: header.author, now)
        record.note(epoch: header.epoch, sequence: header.sequence)
        records.set(record, for: header.author)
    }

    /// Notes what history tells of an author who is known, in the epoch that is known; any other past leaves no trace.
    mutating func noteHistory(_ header: PayloadHeader) throws(DropReason) {
        guard var record = records[header.author], record.epoch == header.epoch else { return }
        guard record.window.place(of: header.sequence) != .seen else { throw .equivocation }
        record.note(epoch: header.epoch, sequence: header.sequence)
        records.set(record, for: header.author)
    }

    mutating func learn(epoch: UInt64, of author: PeerID, now: Instant) {
        var record = record(of: author, now)
        record.learn(epoch: epoch)
        records.set(record, for: author)
    }

    private func record(of peer: PeerID, _ now: Instant) -> PeerRecord {
        records[peer] ?? PeerRecord(rates, now: now)
    }
}
