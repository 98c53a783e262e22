package import Wire

/// Brings each payload to the chat, or the roster, that it is for, and tells what came of it.
package struct MessageRouter: ~Copyable, Sendable {
    package internal(set) var publicChat = PublicChat()
    package internal(set) var directChats: DirectChats
    package internal(set) var roster: Roster
    /// The conversation that the person is looking at: always exactly one.
    package internal(set) var activeConversation = Conversation.publicRoom
    /// Who can be written to without a link.
    package var paths = RelayPaths()
    var typing = TypingList()
    var pendingChanges = PendingChanges()
    var replies: [Reply] = []
    /// Who is to be told that messages came or were read.
    var peersOwedReceipts: Set<PeerID> = []
    /// For whom something waits that was not sent on the present link.
    var peersWithBacklog: Set<PeerID> = []
    private var refused: [Refusal: Int] = [:]
    /// How fast what waits is sent.
    let pace: Rate

    /// An answer that waits to be signed.
    struct Reply: Sendable {
        static let capacity = 256

        let peer: PeerID
        let answer: DirectAnswer
    }

    /// - Parameters:
    ///   - marks: what the person decided about peers in earlier runs.
    ///   - tellsReading: whether others are told what was read, and what they tell is shown.
    ///   - pace: how fast direct messages are sent again; the sender's own rate.
    package init(
        me: PeerID, marks: PeerMarks = PeerMarks(), tellsReading: Bool = false,
        pace: Rate = Rate(perSecond: Limits.sendPerSecond, burst: Limits.sendBurst)
    ) {
        roster = Roster(me: me, marks: marks)
        directChats = DirectChats(tellsReading: tellsReading)
        self.pace = pace
        publicChat.isActive = true
    }

    package var me: PeerID { roster.me }

    /// How often what was admitted came to nothing, by reason.
    package var refusals: [Refusal: Int] {
        refused.merging([.requestDisplaced: directChats.displacedRequests]) { $1 }
    }

    mutating func refuse(_ reason: Refusal) {
        refused[reason, default: 0] += 1
    }

    /// Takes in a payload, ours or another's, and returns what changed by it, in order. Then `takeReplies` may have
    /// something to send.
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

    /// The same, with what changed put behind what stands in `events`.
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

    /// The only place that looks at what kind of payload it is.
    private mutating func receive(_ arrival: borrowing Arrival, into events: inout [ChatEvent]) {
        // By itself: it is nearly all that comes, and a look at the body copies its words.
        if arrival.verified.type == .publicMessage { return receivePublic(arrival, into: &events) }
        switch arrival.verified.signed.payload.body {
        case .publicMessage: break
        case .presence(let state, let stage, let nickname):
            roster.noteProfile(
                arrival.author, nickname: nickname, stage: stage, state: state, as: arrival.authorClock, into: &events)
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
            // Nobody has to know that it was declined: we never send this kind, and one that comes is not told.
            return
        case .delivered(let target, let ids):
            receiveReceipt(ids, .delivered, arrival, target: target, into: &events)
        case .read(let target, let ids):
            receiveReceipt(ids, .read, arrival, target: target, into: &events)
        }
    }

    /// The presence of the muted is followed, since muting is not told, and so are their answers to what we said; of the
    /// blocked nothing is.
    private func isShown(_ arrival: borrowing Arrival) -> Bool {
        switch arrival.verified.type {
        case .presence, .dmAccept, .dmDecline, .dmLeave, .delivered, .read: !roster.isBlocked(arrival.author)
        case .publicMessage, .typing, .edit, .delete, .dmRequest, .directMessage: !roster.isHidden(arrival.author)
        }
    }
}

/// A payload with the circumstances of its coming. All look at the same one: no copy is counted up and down.
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

/// Why something that was admitted came to nothing all the same; the raw values name the counters of `/stats`.
package enum Refusal: String, Sendable, CaseIterable {
    /// An edit or a deletion of what somebody else said.
    case notItsAuthor = "not_its_author"
    /// A direct message, or another request, from whom we have not accepted.
    case notAccepted = "not_accepted"
    /// An open request that made room for newer ones.
    case requestDisplaced = "request_displaced"
    /// From somebody who is muted or blocked.
    case unheard
}
