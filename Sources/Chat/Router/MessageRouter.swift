package import Wire

/// Routes each payload to its conversation or the roster, and returns the resulting events.
package struct MessageRouter: ~Copyable, Sendable {
    package internal(set) var publicChat = PublicChat()
    package internal(set) var directChats: DirectChats
    package internal(set) var roster: Roster
    /// The conversation that the user looks at: always exactly one.
    package internal(set) var activeConversation = Conversation.publicRoom
    /// Peers are reached over relays whenever they are here, as in a crowd.
    package var reachesAll = false
    /// The neighbours that pass sealed payloads on.
    package var paths = RelayPaths()
    var typing = TypingList()
    var pendingChanges = PendingChanges()
    /// The owners of quotas, by neighbour.
    var givers = Givers()
    var replies: [Reply] = []
    /// Peers that a receipt has to be sent to.
    var peersOwedReceipts: Set<PeerID> = []
    /// Peers with messages that were not sent on the present link.
    var peersWithBacklog: Set<PeerID> = []
    private var refused: [Refusal: Int] = [:]
    /// The rate at which waiting messages are sent.
    let pace: Rate
    /// When the node came to the room, by its wall clock: what was said later and comes as history was missed.
    let joinedAt: Timestamp?
    /// Of the wall clock, in milliseconds: signed times are compared with the corrected one. Times of arrival stay as they are,
    /// since users see them beside the clock of their machine.
    package var clockCorrection: Int64 = 0

    /// An automatic answer that waits to be signed.
    struct Reply: Sendable {
        static let capacity = 256

        let peer: PeerID
        let answer: DirectAnswer
    }

    /// - Parameters:
    ///   - marks: the user's marks from earlier runs.
    ///   - accepted: the peers of direct conversations that were accepted in earlier runs, the one used last at the end.
    ///   - contacts: the user's own names for peers.
    ///   - sendsReadReceipts: whether read receipts are sent, and those of others shown.
    ///   - pace: the rate at which direct messages are sent again; the sender's own rate.
    ///   - joinedAt: when the node came to the room; nil counts nothing as missed.
    package init(
        me: PeerID, joinedAt: Timestamp? = nil, marks: PeerMarks = PeerMarks(), accepted: [PeerID] = [],
        contacts: [PeerID: String] = [:],
        sendsReadReceipts: Bool = false, pace: Rate = Rate(perSecond: Limits.sendPerSecond, burst: Limits.sendBurst)
    ) {
        let accepted = accepted.filter { $0 != me }
        roster = Roster(me: me, marks: marks, accepted: accepted)
        directChats = DirectChats(accepted: accepted, sendsReadReceipts: sendsReadReceipts)
        (self.pace, self.joinedAt) = (pace, joinedAt)
        roster.setContacts(contacts)
        publicChat.isActive = true
    }

    package var me: PeerID { roster.me }

    /// Admitted payloads without effect, by reason.
    package var refusals: [Refusal: Int] {
        refused.merging([.requestDisplaced: directChats.displacedRequests]) { $1 }
    }

    mutating func refuse(_ reason: Refusal) {
        refused[reason, default: 0] += 1
    }

    /// Routes a payload, own or another's, and returns the resulting events in order. Then `takeReplies` may have
    /// payloads to send.
    ///
    /// - Parameter askedAt: when it was asked for as history (Protocol.md section 7), by the wall clock; nil if it came
    ///   unasked.
    package mutating func route(
        _ payload: VerifiedPayload, now: Instant, wallClock: Timestamp, askedAt: Timestamp? = nil
    ) -> [ChatEvent] {
        var events: [ChatEvent] = []
        route(payload, now: now, wallClock: wallClock, askedAt: askedAt, into: &events)
        return events
    }

    /// As above; appends the events to `events`.
    package mutating func route(
        _ payload: VerifiedPayload, now: Instant, wallClock: Timestamp, askedAt: Timestamp? = nil,
        into events: inout [ChatEvent]
    ) {
        let arrival = Arrival(payload, now: now, wallClock: wallClock, askedAt: askedAt)
        if isShown(arrival) {
            receive(arrival, into: &events)
        } else {
            refuse(.unheard)
            if !roster.isBlocked(arrival.author) { acknowledgeHidden(arrival) }
            if payload.type.isHistory { publicChat.noteFinal(payload) }
        }
        if directChats.hasUndelivered { events += directChats.drainUndelivered() }
    }

    /// How long a presence from another network holds: where its author or this node is in a crowd it is renewed seldom.
    private func holdingTime(of presence: Presence, _ arrival: borrowing Arrival) -> Duration {
        guard reachesAll || presence.bridging.isInCrowd else { return Limits.bridgedPresenceTime }
        let signed = arrival.verified.signed.payload.timestamp
        let clock = arrival.wallClock.moved(by: clockCorrection)
        guard signed < clock else { return Limits.presenceLifetime }
        return Limits.presenceLifetime - .milliseconds(signed.distance(to: clock))
    }

    /// The only place that distinguishes the kinds of payloads.
    private mutating func receive(_ arrival: borrowing Arrival, into events: inout [ChatEvent]) {
        // First, because nearly all payloads are of this kind, and matching the body copies its strings.
        if arrival.verified.type == .publicMessage { return receivePublic(arrival, into: &events) }
        switch arrival.verified.signed.payload.body {
        case .publicMessage: break
        case .presence(let presence) where arrival.verified.isBridged:
            let end = arrival.now + holdingTime(of: presence, arrival)
            roster.noteElsewhere(
                presence, of: arrival.author, as: arrival.authorClock, until: end, wallClock: arrival.wallClock,
                into: &events)
        case .presence(let presence):
            roster.note(presence, of: arrival.author, as: arrival.authorClock, into: &events)
        case .typing(let target, let isOn):
            receiveTyping(arrival, target: target, isOn: isOn, into: &events)
        case .edit(let target, let text):
            acknowledgeChange(of: target, arrival)
            let change = MessageChange(.edit(text: text), of: target, by: arrival.verified)
            apply(change, isHistory: arrival.isHistory, into: &events)
        case .delete(let target):
            acknowledgeChange(of: target, arrival)
            let change = MessageChange(.delete, of: target, by: arrival.verified)
            apply(change, isHistory: arrival.isHistory, into: &events)
        case .dmRequest(let target, let nickname, _), .directMessage(let target, let nickname, _):
            receiveDirect(arrival, target: target, nickname: nickname, into: &events)
        case .dmAccept(let target):
            receiveAnswer(.acceptance, arrival, target: target, into: &events)
        case .dmLeave(let target):
            receiveAnswer(.departure, arrival, target: target, into: &events)
        case .dmDecline:
            // Ignored: a declined request gets no answer, and this node never sends this kind.
            return
        case .invitation(let target, let secret, let room):
            receive(Invitation(room: room, secret: secret), arrival, target: target, into: &events)
        case .delivered(let target, let ids):
            receiveReceipt(ids, .delivered, arrival, target: target, into: &events)
        case .read(let target, let ids):
            receiveReceipt(ids, .read, arrival, target: target, into: &events)
        }
    }

    /// True unless the author is hidden. Presence and answers of muted peers count too, because muting is secret; of
    /// blocked peers nothing does.
    private func isShown(_ arrival: borrowing Arrival) -> Bool {
        switch arrival.verified.type {
        case .presence, .dmAccept, .dmDecline, .dmLeave, .delivered, .read: !roster.isBlocked(arrival.author)
        case .publicMessage, .typing, .edit, .delete, .dmRequest, .directMessage, .invitation:
            !roster.isHidden(arrival.author)
        }
    }
}

/// A payload with the circumstances of its arrival. Not copyable, so that no copy costs a reference count.
struct Arrival: ~Copyable {
    let verified: VerifiedPayload
    let now: Instant
    let wallClock: Timestamp
    /// When it was asked for as history; nil if it came unasked.
    let askedAt: Timestamp?

    init(_ verified: VerifiedPayload, now: Instant, wallClock: Timestamp, askedAt: Timestamp?) {
        self.verified = verified
        self.now = now
        self.wallClock = wallClock
        self.askedAt = askedAt
    }

    var isHistory: Bool { askedAt != nil }
    var payload: P2PPayload { verified.payload }
    var author: PeerID { verified.author }
    var authorClock: AuthorClock { verified.signed.payload.authorClock }
}

extension [ChatEvent] {
    mutating func note(_ event: ChatEvent?) {
        if let event { append(event) }
    }
}

/// Why an admitted payload has no effect; the raw values name the counters of `/stats`.
package enum Refusal: String, Sendable, CaseIterable {
    /// An edit or a deletion of a message of another author.
    case notItsAuthor = "not_its_author"
    /// A direct message, or another request, of a peer that we have not accepted.
    case notAccepted = "not_accepted"
    /// An open request that was evicted for a newer one.
    case requestDisplaced = "request_displaced"
    /// From a muted or blocked peer.
    case unheard
}
