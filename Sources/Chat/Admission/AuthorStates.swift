internal import Wire

/// The admission states of peers, in bounded tables.
struct AuthorStates: Sendable {
    private let rates: AdmissionRates
    private var records = RecentTable<PeerID, AuthorState>(capacity: Limits.knownPeers)
    private var relays = RecentTable<PeerID, RelayState>(capacity: Limits.knownPeers)
    /// When the first author was heard of, and what all authors that are younger than a minute may say together.
    private var startedAt: Instant?
    private var young: FairBucket?
    private var youngReactions: FairBucket?
    /// Of all links of a crowd together: this node passes on no more than each of its neighbours takes.
    private var crowdRelayed: FairBucket?
    private var crowdReactions: FairBucket?
    private var crowdAuthors: FairBucket?

    init(rates: AdmissionRates) {
        self.rates = rates
    }

    /// True if this payload was admitted before, as far as the author's window reaches.
    func knows(_ header: PayloadHeader, _ id: MessageID) -> Bool {
        records[header.author]?.knows(header, id) ?? false
    }

    /// Throws if a payload with this epoch and number is old, or was admitted before.
    func checkOrder(_ header: PayloadHeader, _ id: MessageID) throws(DropReason) {
        try records[header.author]?.checkOrder(header, id)
    }

    /// Admits a payload whose author is proven by the link: checks the epoch and, unless it is sent again, the
    /// number, takes a token, calls `read`, and notes the payload. A payload that `read` refuses costs a token too.
    mutating func admit<Content>(
        _ frame: borrowing PayloadFrame, now: Instant, read: () throws(DropReason) -> Content
    ) throws(DropReason) -> Content {
        let (type, header, id, isSentAgain) = (frame.type, frame.header, frame.id, frame.isSentAgain)
        let content = try change(header.author, now) {
            [rates] record throws(DropReason) -> Result<Content, DropReason> in
            if isSentAgain {
                try record.checkEpoch(header.epoch)
            } else {
                try record.checkOrder(header, id)
            }
            try record.takeToken(for: type, at: rates, now: now)
            do throws(DropReason) {
                let content = try read()
                record.record(header, id)
                return .success(content)
            } catch {
                // Thrown here, the error would discard the changes to a state that is new or was not written to for
                // long.
                return .failure(error)
            }
        }
        return try content.get()
    }

    /// Takes a token of the author's rate; the author is proven.
    mutating func takeToken(_ type: PayloadType, of author: PeerID, now: Instant) throws(DropReason) {
        try change(author, now) { [rates] record throws(DropReason) in
            try record.takeToken(for: type, at: rates, now: now)
        }
    }

    /// Takes a token of the neighbour's relaying rate and, if the author is new, one of its rate of new authors; in a crowd also
    /// those of all links together.
    mutating func takeRelayToken(
        _ type: PayloadType?, of author: PeerID, from link: PeerID, _ source: LinkSource, as kind: RelayLink,
        now: Instant
    ) throws(DropReason) {
        try changeRelay(link, now) { relay throws(DropReason) in
            try relay.takeRelayToken(cost: kind == .mesh ? AdmissionRates.meshCost : 1, now: now)
        }
        if kind == .overlay {
            // First: a reaction that is refused takes nothing of what messages have.
            try takeCrowdReactionToken(type, from: source, now: now)
            let rate = rates.crowdRelayed
            guard FairBucket.takeToken(from: &crowdRelayed, of: source, at: rate, now: now) else {
                throw .relayRate
            }
        }
        try takeNewAuthorToken(author, from: link, source, as: kind, now: now)
    }

    private mutating func takeCrowdReactionToken(
        _ type: PayloadType?, from source: LinkSource, now: Instant
    ) throws(DropReason) {
        guard type == .reaction else { return }
        let rate = rates.crowdReactions
        guard FairBucket.takeToken(from: &crowdReactions, of: source, at: rate, now: now) else { throw .reactionRate }
    }

    mutating func takeNewAuthorToken(
        _ author: PeerID, from link: PeerID, _ source: LinkSource, as kind: RelayLink, now: Instant
    ) throws(DropReason) {
        guard records[author] == nil else { return }
        try changeRelay(link, now) { relay throws(DropReason) in
            try relay.takeNewAuthorToken(kind, now: now)
        }
        guard kind == .overlay else { return }
        let rate = rates.crowdAuthors
        guard FairBucket.takeToken(from: &crowdAuthors, of: source, at: rate, now: now) else {
            throw .newAuthorRate
        }
    }

    /// Takes one of the messages that all young authors may say together in a large room, if the author is young: a swarm of new
    /// identities does not fill the conversation. In the node's own first minute all are new to it, and none is young.
    /// Sources and authors that say as much as an honest sender find room beside those that say more.
    mutating func takeYoungToken(
        _ type: PayloadType, of author: PeerID, from source: LinkSource, now: Instant
    ) throws(DropReason) {
        let pace = type.pace
        guard pace != .signals, !rates.messages.isUnlimited, let startedAt, now >= startedAt + Limits.youngAuthorTime,
            records[author].map({ now < $0.firstHeardAt + Limits.youngAuthorTime }) ?? true
        else { return }
        let isTaken =
            switch pace {
            case .messages(let count):
                FairBucket.takeToken(from: &young, count, of: source, author: author, at: rates.young, now: now)
            case .reactions:
                FairBucket.takeToken(
                    from: &youngReactions, of: source, author: author, at: rates.youngReactions, now: now)
            case .signals: true
            }
        guard isTaken else { throw .youngRate }
    }

    /// As `checkOrder`, but a number behind the window does not matter.
    func checkUnordered(_ header: PayloadHeader, _ id: MessageID) throws(DropReason) {
        try records[header.author]?.checkUnordered(header, id)
    }

    /// Notes that the payload is admitted.
    mutating func record(_ header: PayloadHeader, _ id: MessageID, now: Instant) {
        change(header.author, now) { $0.record(header, id) }
    }

    /// Notes a presence from a neighbour's roster; throws if it is of an old epoch, or another payload has its number.
    mutating func recordRoster(_ header: PayloadHeader, _ id: MessageID, now: Instant) throws(DropReason) {
        try change(header.author, now) { record throws(DropReason) in
            try record.checkUnordered(header, id)
            record.record(header, id)
        }
    }

    /// Notes a payload from history if its author and its epoch are known.
    mutating func recordHistory(_ header: PayloadHeader, _ id: MessageID) throws(DropReason) {
        try records.update(header.author) { record throws(DropReason) in try record.recordHistory(header, id) }
    }

    mutating func learn(epoch: UInt64, of author: PeerID, now: Instant) {
        change(author, now) { $0.learn(epoch: epoch) }
    }

    /// Changes a state in place, because it is large.
    private mutating func change<Result, Failure: Error>(
        _ peer: PeerID, _ now: Instant, _ change: (inout AuthorState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if startedAt == nil { startedAt = now }
        return try records.update(peer, orNew: { [rates] in AuthorState(rates, now: now) }, change)
    }

    private mutating func changeRelay(
        _ link: PeerID, _ now: Instant, _ change: (inout RelayState) throws(DropReason) -> Void
    ) throws(DropReason) {
        if startedAt == nil { startedAt = now }
        try relays.update(link, orNew: { [rates] in RelayState(rates, now: now) }, change)
    }
}

extension Limits {
    /// For how long an author that was first heard of in a crowd is young. A longer one holds newcomers back together
    /// for longer; a shorter one lets an attacker's new identities speak freely sooner.
    static let youngAuthorTime = Duration.seconds(60)
}
