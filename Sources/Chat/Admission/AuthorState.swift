internal import Wire

/// What admission remembers of one identity, as an author and as a neighbour that relays.
struct AuthorState: Sendable {
    /// The newest epoch heard of; nil while it was only a neighbour.
    private(set) var epoch: UInt64?
    private var window = SequenceWindow()
    private(set) var windowIDs = ReplayWindowIDs()
    private var messages: TokenBucket
    private var signals: TokenBucket
    private var relayed: TokenBucket
    private var newAuthors: TokenBucket

    init(_ rates: AdmissionRates, now: Instant) {
        messages = TokenBucket(rates.messages, now: now)
        signals = TokenBucket(rates.signals, now: now)
        relayed = TokenBucket(rates.relayed, now: now)
        newAuthors = TokenBucket(rates.newAuthors, now: now)
    }

    /// An earlier epoch is never taken back.
    mutating func learn(epoch other: UInt64) {
        if let epoch, other <= epoch { return }
        epoch = other
        window = SequenceWindow()
    }

    /// Whether an author may be heard under this epoch.
    func checkEpoch(_ other: UInt64) throws(DropReason) {
        if let epoch, other < epoch { throw .oldEpoch }
    }

    /// Whether an author may be heard under this epoch and number.
    func checkOrder(_ header: PayloadHeader, _ id: MessageID) throws(DropReason) {
        try checkEpoch(header.epoch)
        guard epoch == header.epoch else { return }
        switch window.place(of: header.sequence) {
        case .new: return
        case .seen: throw isSame(header, id) ? .duplicate : .equivocation
        case .tooOld: throw .sequenceTooOld
        }
    }

    /// Whether the very payload was heard, as far as the window tells.
    func knows(_ header: PayloadHeader, _ id: MessageID) -> Bool {
        epoch == header.epoch && window.place(of: header.sequence) == .seen && isSame(header, id)
    }

    /// Notes that the author was heard under this epoch and number.
    mutating func note(_ header: PayloadHeader, _ id: MessageID) {
        learn(epoch: header.epoch)
        guard header.epoch == epoch, window.insert(header.sequence) else { return }
        windowIDs.note(id.prefix, under: header.sequence, in: window)
    }

    /// The same of what came as history, where the epoch is the one that is known.
    mutating func noteHistory(_ header: PayloadHeader, _ id: MessageID) throws(DropReason) {
        guard epoch == header.epoch else { return }
        guard window.place(of: header.sequence) != .seen || isSame(header, id) else { throw .equivocation }
        note(header, id)
    }

    /// For a number that was heard.
    private func isSame(_ header: PayloadHeader, _ id: MessageID) -> Bool {
        windowIDs[header.sequence] == id.prefix
    }

    mutating func take(for type: PayloadType, now: Instant) throws(DropReason) {
        guard type.isRead ? messages.take(now: now) : signals.take(now: now) else { throw .authorRate }
    }

    mutating func takeRelayed(now: Instant) throws(DropReason) {
        guard relayed.take(now: now) else { throw .relayRate }
    }

    mutating func takeNewAuthor(now: Instant) throws(DropReason) {
        guard newAuthors.take(now: now) else { throw .newAuthorRate }
    }
}

extension PayloadType {
    /// Whether people read it, or only see its effect.
    fileprivate var isRead: Bool {
        switch self {
        case .publicMessage, .edit, .delete, .dmRequest, .directMessage: true
        case .presence, .typing, .dmAccept, .dmDecline, .dmLeave, .delivered, .read: false
        }
    }
}
