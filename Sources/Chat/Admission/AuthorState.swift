internal import Wire

/// The admission state of one identity as an author. Kept small: there is one for each peer of a crowd.
struct AuthorState: Sendable {
    /// The newest known epoch; nil while nothing that says one has come.
    private(set) var epoch: UInt64?
    private var publicNumbers = ReplayWindow()
    /// Of the payloads for us alone, which have numbers of their own; nil before the first.
    private var directNumbers: ReplayWindow?
    private var messages: Tokens
    private var reactions: Tokens
    private var signals: Tokens
    let firstHeardAt: Instant

    init(_ rates: AdmissionRates, now: Instant) {
        firstHeardAt = now
        messages = Tokens(rates.messages, now: now)
        reactions = Tokens(rates.reactions, now: now)
        signals = Tokens(rates.signals, now: now)
    }

    /// Moves to a later epoch; an earlier one changes nothing.
    mutating func learn(epoch other: UInt64) {
        if let epoch, other <= epoch { return }
        epoch = other
        publicNumbers = ReplayWindow()
        directNumbers = nil
    }

    /// Throws `.oldEpoch` for an epoch before the newest known one.
    func checkEpoch(_ other: UInt64) throws(DropReason) {
        if let epoch, other < epoch { throw .oldEpoch }
    }

    /// Throws if a payload with this epoch and number is old, or was admitted before.
    func checkOrder(_ header: PayloadHeader, _ id: MessageID) throws(DropReason) {
        try checkEpoch(header.epoch)
        guard epoch == header.epoch else { return }
        switch novelty(of: header) {
        case .new: return
        case .seen: throw isSame(header, id) ? .duplicate : .equivocation
        case .tooOld: throw .sequenceTooOld
        }
    }

    /// As `checkOrder`, but for a payload that may be older than the window, and known: a presence from a roster, or a payload that
    /// waited for its receiver.
    func checkUnordered(_ header: PayloadHeader, _ id: MessageID) throws(DropReason) {
        try checkEpoch(header.epoch)
        guard epoch == header.epoch, novelty(of: header) == .seen else { return }
        guard isSame(header, id) else { throw .equivocation }
    }

    /// True if this payload was admitted, as far as the window reaches.
    func knows(_ header: PayloadHeader, _ id: MessageID) -> Bool {
        epoch == header.epoch && novelty(of: header) == .seen && isSame(header, id)
    }

    /// Notes that a payload with this epoch and number is admitted.
    mutating func record(_ header: PayloadHeader, _ id: MessageID) {
        learn(epoch: header.epoch)
        guard header.epoch == epoch else { return }
        if header.isDirect {
            if directNumbers == nil { directNumbers = ReplayWindow() }
            directNumbers?.record(id.prefix, under: header.sequence)
        } else {
            publicNumbers.record(id.prefix, under: header.sequence)
        }
    }

    /// Notes a payload that came as history; only those of the known epoch are noted.
    mutating func recordHistory(_ header: PayloadHeader, _ id: MessageID) throws(DropReason) {
        guard epoch == header.epoch else { return }
        guard novelty(of: header) != .seen || isSame(header, id) else { throw .equivocation }
        record(header, id)
    }

    private func novelty(of header: PayloadHeader) -> SequenceWindow.Novelty {
        guard header.isDirect else { return publicNumbers.novelty(of: header.sequence) }
        return directNumbers?.novelty(of: header.sequence) ?? .new
    }

    /// For a number that was seen.
    private func isSame(_ header: PayloadHeader, _ id: MessageID) -> Bool {
        guard header.isDirect else { return publicNumbers[header.sequence] == id.prefix }
        return directNumbers?[header.sequence] == id.prefix
    }

    mutating func takeToken(for type: PayloadType, at rates: AdmissionRates, now: Instant) throws(DropReason) {
        let isTaken =
            switch type.pace {
            case .messages(let count):
                messages.takeTokens(rates.messages.atMostBurst(count), at: rates.messages, now: now)
            case .reactions: reactions.takeTokens(at: rates.reactions, now: now)
            case .signals: signals.takeTokens(at: rates.signals, now: now)
            }
        guard isTaken else { throw .authorRate }
    }
}

/// The kind of link that a relayed payload comes on, which decides its rates.
package enum RelayLink: Sendable {
    case mesh
    /// Of a small room whose nodes pass payloads on.
    case smallRoom
    case overlay
    /// With a bridge, outside of a crowd.
    case bridge
}

/// The rates of one identity as a neighbour that relays.
struct RelayState: Sendable {
    private var relayed: TokenBucket
    private var newAuthors: TokenBucket
    private var newRoomAuthors: TokenBucket
    private var newTreeAuthors: TokenBucket

    init(_ rates: AdmissionRates, now: Instant) {
        relayed = TokenBucket(rates.relayed, now: now)
        newAuthors = TokenBucket(rates.newAuthors, now: now)
        newRoomAuthors = TokenBucket(rates.newRoomAuthors, now: now)
        newTreeAuthors = TokenBucket(rates.newTreeAuthors, now: now)
    }

    mutating func takeRelayToken(cost: Double, now: Instant) throws(DropReason) {
        guard relayed.takeTokens(cost, now: now) else { throw .relayRate }
    }

    mutating func takeNewAuthorToken(_ source: RelayLink, now: Instant) throws(DropReason) {
        let isTaken =
            switch source {
            case .mesh: newAuthors.takeTokens(now: now)
            case .smallRoom: newRoomAuthors.takeTokens(now: now)
            case .overlay, .bridge: newTreeAuthors.takeTokens(now: now)
            }
        guard isTaken else { throw .newAuthorRate }
    }
}
