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
    private var deliveries: [MessageID: Delivery] = [:]

    package init(with peer: PeerID) {
        self.peer = peer
        log = ConversationLog(.direct(peer))
    }

    package var isActive: Bool {
        get { log.isActive }
        set { log.isActive = newValue }
    }
    package var unreadCount: Int { log.unreadCount }
    package var messages: MessageRing { log.messages }
    package var last: Message? { log.last }

    /// How far a message of ours is known to have come.
    package func delivery(of id: MessageID) -> Delivery { deliveries[id] ?? .sent }

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

/// What the peer did.
extension DirectChat {
    /// Their request. One that meets ours, or one after we accepted, needs no second yes; a second text of an open
    /// request is not shown: nothing more is delivered until we accept.
    mutating func receiveRequest(_ message: Message) -> DirectStep {
        switch state {
        case .none, .left:
            state = .requestedByThem(message)
            return DirectStep(events: [.request(from: peer, text: message.content)])
        case .requestedByUs:
            state = .accepted
            return DirectStep(events: [.direct(.accepted, with: peer)] + added(message), reply: .acceptance)
        case .accepted:
            return DirectStep(events: added(message), reply: .acceptance)
        case .requestedByThem, .declined:
            return .nothing
        }
    }

    /// A text of theirs. Whoever we asked may speak at once: that it does is its acceptance.
    mutating func receiveMessage(_ message: Message) -> DirectStep {
        switch state {
        case .accepted:
            return DirectStep(events: added(message))
        case .requestedByUs:
            state = .accepted
            return DirectStep(events: [.direct(.accepted, with: peer)] + added(message))
        case .left:
            return DirectStep(reply: .departure)
        case .none, .requestedByThem, .declined:
            return .nothing
        }
    }

    mutating func receiveAcceptance() -> DirectStep {
        switch state {
        case .requestedByUs:
            state = .accepted
            return DirectStep(events: [.direct(.accepted, with: peer)])
        case .left:
            return DirectStep(reply: .departure)
        case .none, .requestedByThem, .accepted, .declined:
            return .nothing
        }
    }

    /// They left, or took their request back.
    mutating func receiveDeparture() -> DirectStep {
        switch state {
        case .requestedByUs, .requestedByThem, .accepted:
            state = .left
            return DirectStep(events: [.direct(.left, with: peer)])
        case .none, .declined, .left:
            return .nothing
        }
    }

    /// They tell that messages of ours came, or were read. Returns those that were not known to have come as far.
    mutating func receiveReceipt(_ ids: [MessageID], _ delivery: Delivery) -> [MessageID] {
        guard state == .accepted else { return [] }
        deliveries = deliveries.filter { log.messages.contains(id: $0.key) }
        let news = ids.filter { id in
            guard let message = log.messages[id: id], message.author != peer else { return false }
            return self.delivery(of: id) < delivery
        }
        for id in news { deliveries[id] = delivery }
        return news
    }

    private mutating func added(_ message: Message) -> [ChatEvent] {
        log.add(message, isOwn: false).map { [$0] } ?? []
    }
}
