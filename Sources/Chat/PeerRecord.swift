internal import Wire

/// What admission remembers of one identity, as an author and as a neighbour that relays.
struct PeerRecord: Sendable {
    /// The newest epoch heard of; nil while it was only a neighbour.
    private(set) var epoch: UInt64?
    private(set) var window = SequenceWindow()
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

    /// Whether an author may be heard under this epoch and number; the caller knows that the id is a new one.
    func checkOrder(epoch other: UInt64, sequence: UInt64) throws(DropReason) {
        try checkEpoch(other)
        guard epoch == other else { return }
        switch window.place(of: sequence) {
        case .new: return
        case .seen: throw .equivocation
        case .tooOld: throw .sequenceTooOld
        }
    }

    /// Notes that the author was heard under this epoch and number.
    mutating func note(epoch other: UInt64, sequence: UInt64) {
        learn(epoch: other)
        if other == epoch { window.insert(sequence) }
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
