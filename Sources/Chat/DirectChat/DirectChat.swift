package import Wire

/// The conversation with one peer, which begins with a request and its acceptance (Protocol.md section 8).
package struct DirectChat: Sendable {
    package enum State: Hashable, Sendable {
        case none
        case requestedByUs
        /// Keeps the request, which becomes the first message when we accept.
        case requestedByThem(Message)
        case accepted
        /// We declined without an answer. The peer's later requests are not shown; an own text is a new request.
        case declined
        case left
    }

    package let peer: PeerID
    package internal(set) var state = State.none
    var log: ConversationLog
    /// Own payloads that the peer has not acknowledged.
    var queue = DirectQueue()
    /// Receipts that the peer has still to get.
    var receipts = PendingReceipts()
    /// The peer's latest request that it has no receipt for: one that came while an earlier one was open, or that was declined.
    var hidden: Message?
    /// The open request was reported live.
    var isRequestReported = true
    /// We accepted while the peer could not be reached: the acceptance goes first on its next link.
    var owesAcceptance = false
    /// Whether read receipts are sent, and those of the peer shown.
    let sendsReadReceipts: Bool
    /// The final states of own messages that left the queue.
    private var outcomes: [MessageID: DeliveryState] = [:]
    /// The latest payloads of the peer that were taken: at least as many as the peer may still send again.
    private var taken = RecentTable<MessageID, Bool>(capacity: 4 * Limits.unacknowledgedPayloads)

    package init(with peer: PeerID, sendsReadReceipts: Bool = false) {
        self.peer = peer
        self.sendsReadReceipts = sendsReadReceipts
        log = ConversationLog(isHistory: false)
    }

    package var isActive: Bool {
        get { log.isActive }
        set {
            if newValue { readAll() }
            log.isActive = newValue
        }
    }
    package var unreadCount: Int { log.unreadCount }
    package var messages: MessageRing { log.messages }
    package var last: Message? { log.last }
    package var reactions: Reactions { log.reactions }

    func isUnread(_ id: MessageID) -> Bool { log.isUnread(id) }

    /// Counts no message of an author as unread any more.
    mutating func readAll(of author: PeerID) { log.readAll(of: author) }

    /// The delivery state of an own message; nil for any other.
    package func delivery(of id: MessageID) -> DeliveryState? { queue.contains(id) ? .sending : outcomes[id] }

    package var standing: DirectStanding {
        switch state {
        case .accepted: .accepted
        case .requestedByUs: .requestedByUs
        case .requestedByThem: .requestedByThem
        case .none, .declined, .left: .over
        }
    }

    var isAccepted: Bool {
        switch state {
        case .accepted: true
        case .none, .requestedByUs, .requestedByThem, .declined, .left: false
        }
    }

    /// True if a request of the peer would be a new one.
    var awaitsNoAnswer: Bool {
        switch state {
        case .none, .left: true
        case .requestedByUs, .requestedByThem, .accepted, .declined: false
        }
    }

    /// True if the peer's texts are not shown before we accept.
    var awaitsOurAnswer: Bool {
        switch state {
        case .requestedByThem, .declined: true
        case .none, .requestedByUs, .accepted, .left: false
        }
    }

    /// The peer's request while it is open.
    package var request: Message? {
        switch state {
        case .requestedByThem(let message): message
        case .none, .requestedByUs, .accepted, .declined, .left: nil
        }
    }

    /// Edits or deletes a message.
    ///
    /// - Returns: the edited message, or the deleted one as it was; nil if nothing changed, or for a change of public messages.
    package mutating func apply(_ change: MessageChange) -> Message? {
        change.isDirect ? log.apply(change) : nil
    }

    /// Keeps a reaction to a message that is here, in an accepted conversation.
    ///
    /// - Returns: whether it changed anything.
    mutating func react(
        _ emojis: [String], to message: MessageID, by source: VerifiedPayload, from giver: Giver
    ) -> Bool {
        guard isAccepted, messages.contains(id: message) else { return false }
        return log.react(emojis, to: message, by: source, from: giver) == .kept(evicted: nil)
    }
}

/// Bookkeeping of both sides.
extension DirectChat {
    /// True if a payload of the peer was taken before.
    func hasTaken(_ id: MessageID) -> Bool { taken[id] != nil }

    /// Notes a payload of the peer as taken, and owes a receipt for it.
    mutating func recordReceived(_ id: MessageID) {
        taken.set(true, for: id)
        receipts.record(delivered: id)
    }

    /// Notes a request as declined: if an own text opens the conversation later, the peer sends the request again, and its
    /// text is not shown behind newer ones.
    mutating func recordDeclined(_ id: MessageID) { taken.set(true, for: id) }

    /// Shows a message of the peer.
    mutating func show(_ message: Message) -> DirectStep.Shown? {
        recordReceived(message.id)
        if log.isActive && sendsReadReceipts { receipts.record(read: message.id) }
        return add(message, isOwn: false)
    }

    /// The conversation is accepted: a request that was hidden gets its receipt, and is shown unless the user has declined it.
    mutating func takeHidden() -> DirectStep.Shown? {
        guard let message = hidden else { return nil }
        hidden = nil
        guard hasTaken(message.id) else { return show(message) }
        recordReceived(message.id)
        return nil
    }

    mutating func add(_ message: Message, isOwn: Bool) -> DirectStep.Shown? {
        log.add(message, isOwn: isOwn).unread.map { .message(message, unread: $0) }
    }

    /// Keeps the peer's request, which was shown when it came, as the first message.
    mutating func keepRequest(_ message: Message) {
        recordReceived(message.id)
        if sendsReadReceipts { receipts.record(read: message.id) }
        log.keep(message)
    }

    /// Notes the delivery state of own messages.
    mutating func recordOutcome(_ delivery: DeliveryState, of ids: [MessageID]) {
        for id in ids { outcomes[id] = delivery }
        guard outcomes.count > 2 * Limits.messagesPerConversation else { return }
        outcomes = outcomes.filter { log.messages.contains(id: $0.key) }
    }

    /// Forgets the delivery state of an own message that was deleted.
    mutating func forget(_ id: MessageID) { outcomes[id] = nil }

    /// Marks own messages as failed, and returns them.
    mutating func fail(_ messages: [Undelivered]) -> [Undelivered] {
        if !messages.isEmpty { recordOutcome(.failed, of: messages.map(\.id)) }
        return messages
    }

    private mutating func readAll() {
        guard sendsReadReceipts, state == .accepted else { return }
        for id in log.unreadMessages { receipts.record(read: id) }
    }
}
