package import Wire

/// The conversation with one peer: requested first, accepted, and only then held (Protocol.md section 8).
package struct DirectChat: Sendable {
    package enum State: Hashable, Sendable {
        case none
        case requestedByUs
        /// With the text of the request. It becomes the first message when we accept.
        case requestedByThem(Message)
        case accepted
        /// We declined, and they were not told. Their later requests are not shown; a text of ours asks anew.
        case declined
        case left
    }

    package let peer: PeerID
    package internal(set) var state = State.none
    var log: ConversationLog
    /// What we said and they have not acknowledged.
    var queue = DirectQueue()
    /// What they are to be told about what they said.
    var receipts = PendingReceipts()
    /// Whether we tell what we have read, and show what they have.
    let tellsReading: Bool
    /// What became of messages of ours that wait no longer.
    private var outcomes: [MessageID: Delivery] = [:]
    /// The latest payloads of theirs that need not come again: at least as many as they may still send again.
    private var taken = RecentTable<MessageID, Bool>(capacity: 4 * Limits.unacknowledgedPayloads)

    package init(with peer: PeerID, tellsReading: Bool = false) {
        self.peer = peer
        self.tellsReading = tellsReading
        log = ConversationLog(.direct(peer))
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

    /// How far a message of ours is known to have come; nil for any other.
    package func delivery(of id: MessageID) -> Delivery? { queue.contains(id) ? .sending : outcomes[id] }

    /// Whether nothing of theirs is delivered before we say so.
    var awaitsOurAnswer: Bool {
        switch state {
        case .requestedByThem, .declined: true
        case .none, .requestedByUs, .accepted, .left: false
        }
    }

    /// The text of their request while it is open.
    package var request: Message? {
        switch state {
        case .requestedByThem(let message): message
        case .none, .requestedByUs, .accepted, .declined, .left: nil
        }
    }

    /// Edits or deletes. Nil where nothing changed, and for what did not come from its author to us alone.
    package mutating func apply(_ change: MessageChange) -> ChatEvent? {
        change.isFirstHand ? log.apply(change) : nil
    }
}

/// What was said on either side, and what came of it.
extension DirectChat {
    /// Whether a payload of theirs was dealt with before.
    func hasTaken(_ id: MessageID) -> Bool { taken[id] != nil }

    /// Notes that a payload of theirs need not come again, and that they are to be told so.
    mutating func take(_ id: MessageID) {
        taken.set(true, for: id)
        receipts.note(delivered: id)
    }

    /// Shows a message of theirs.
    mutating func show(_ message: Message) -> [ChatEvent] {
        take(message.id)
        if log.isActive && tellsReading { receipts.note(read: message.id) }
        return log.add(message, isOwn: false).map { [$0] } ?? []
    }

    /// Keeps their request, which was shown when it came, as the first message.
    mutating func keepRequest(_ message: Message) {
        take(message.id)
        if tellsReading { receipts.note(read: message.id) }
        log.keep(message)
    }

    /// Notes what became of messages of ours.
    mutating func recordOutcome(_ delivery: Delivery, of ids: [MessageID]) {
        for id in ids { outcomes[id] = delivery }
        guard outcomes.count > 2 * Limits.messagesPerConversation else { return }
        outcomes = outcomes.filter { log.messages.contains(id: $0.key) }
    }

    /// Nothing more is told of a message that we took back.
    mutating func forget(_ id: MessageID) { outcomes[id] = nil }

    /// Gives up messages of ours.
    mutating func fail(_ messages: [Undelivered]) -> [ChatEvent] {
        guard !messages.isEmpty else { return [] }
        recordOutcome(.failed, of: messages.map(\.id))
        return [.failed(with: peer, messages: messages)]
    }

    private mutating func readAll() {
        guard tellsReading, state == .accepted else { return }
        for id in log.unreadMessages { receipts.note(read: id) }
    }
}
