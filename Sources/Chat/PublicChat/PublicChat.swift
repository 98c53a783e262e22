package import Wire

/// The public conversation of the room, with the history for others.
package struct PublicChat: Sendable {
    private(set) var log = ConversationLog(isHistory: true)
    private var archive = Archive()
    package private(set) var board = NoticeBoard()
    private var clock = HybridClock()

    package init() {}

    package var isActive: Bool {
        get { log.isActive }
        set { log.isActive = newValue }
    }
    package var unreadCount: Int { log.unreadCount }
    package var messages: MessageRing { log.messages }
    package var last: Message? { log.last }
    package var reactions: Reactions { log.reactions }

    func isUnread(_ id: MessageID) -> Bool { log.isUnread(id) }

    /// Counts no message of an author as unread any more.
    mutating func readAll(of author: PeerID) { log.readAll(of: author) }

    /// Composes and signs a message. Throws if the text breaks a rule of Protocol.md section 6.
    ///
    /// - Parameter target: the message that it answers; nil for none.
    package func compose(
        _ text: String, replyTo target: MessageID? = nil, in session: inout UserSession, at wallClock: Timestamp
    ) throws(ChatError) -> VerifiedPayload {
        let text = try Text.compose(text)
        let body = PayloadBody.publicMessage(
            stage: session.stage, nickname: session.nickname, text: text, replyTo: target)
        return session.sign(body, withTime: clock.time(at: session.clock.time(at: wallClock)))
    }

    /// Signs a card, by the clock of the messages: an author's cards are in the order in which they were put up.
    mutating func sign(
        _ card: CardContent, in session: inout UserSession, at wallClock: Timestamp
    ) -> VerifiedPayload {
        let time = clock.time(at: session.clock.time(at: wallClock))
        let body = PayloadBody.card(card, stage: session.stage, nickname: session.nickname)
        clock.recordSigned(time)
        return session.sign(body, withTime: time)
    }

    /// Receives a message.
    ///
    /// - Parameters:
    ///   - edit: the payload of the edit that the message shows already.
    ///   - correction: of the wall clock, in milliseconds.
    /// - Returns: the unread messages with it; nil for one that is not reported (`ConversationLog.add`).
    mutating func receive(
        _ message: Message, edit: VerifiedPayload?, isOwn: Bool, correction: Int64 = 0
    ) -> Int? {
        let (unread, placement) = log.add(message, isOwn: isOwn, correction: correction)
        if unread != nil { recordTime(of: message, correction) }
        switch placement {
        case .duplicate:
            break
        case .tooOld:
            archive.recordEvicted(message.id, of: message.author, from: message.placeTime)
        case .kept(let evicted):
            if let evicted { archive.recordEvicted(evicted.id, of: evicted.author, from: evicted.time) }
            archive.recordKept(message.source)
            if let edit { archive.keepEdit(edit, of: message.id) }
        }
        return unread
    }

    private mutating func recordTime(of message: Message, _ correction: Int64) {
        switch message.source.provenance {
        case .own: clock.recordSigned(message.sentAt)
        case .direct, .signed, .bridged, .sealed:
            clock.recordShown(message.sentAt, at: message.receivedAt.moved(by: correction))
        }
    }

    /// Applies an edit or a deletion.
    ///
    /// - Returns: the edited message, or the deleted one as it was; nil if nothing changed.
    mutating func apply(_ change: MessageChange, from giver: Giver) -> Message? {
        guard let message = log.apply(change) else {
            recordFinal(change.source)
            return nil
        }
        switch change.kind {
        case .edit:
            archive.keepEdit(change.source, of: change.target)
        case .delete:
            archive.recordDeleted(change.target)
            keepDeletion(change, from: giver, isOfKnown: true)
        }
        return message
    }
}

/// Reactions and cards.
extension PublicChat {
    /// Keeps an edit for others that the message does not show yet.
    mutating func keepEdit(_ edit: MessageChange) {
        let isLatest = archive.edit(of: edit.target).map { $0.payload.authorClock < edit.authorClock } ?? true
        guard isLatest else { return recordFinal(edit.source) }
        archive.keepEdit(edit.source, of: edit.target)
    }

    /// Keeps a reaction to a message that is here.
    mutating func react(
        _ emojis: [String], to message: MessageID, by source: VerifiedPayload, from giver: Giver
    ) -> Reactions.Placement {
        let placement = log.react(emojis, to: message, by: source, from: giver)
        if case .kept = placement { archive.recordKept(source) }
        return placement
    }

    /// Notes that a reaction is not kept, and never asked for again.
    mutating func recordPassed(_ reaction: VerifiedPayload) { log.recordPassed(reaction.id.prefix) }

    /// Puts a card up.
    ///
    /// - Parameter standing: that of an author now.
    mutating func add(_ card: Card, _ standing: (PeerID) -> NoticeBoard.Standing) -> NoticeBoard.Placement {
        let placement = board.add(card, standing)
        switch placement {
        case .refused: archive.recordFinal(card.id.prefix)
        case .kept(let displaced):
            archive.recordKept(card.source)
            if let displaced { archive.recordFinal(displaced.id.prefix) }
        }
        return placement
    }

    /// Takes a card down that its author deletes.
    mutating func remove(_ card: Card, by deletion: MessageChange, from giver: Giver) {
        _ = board.remove(card.id)
        archive.recordFinal(card.id.prefix)
        keepDeletion(deletion, from: giver, isOfKnown: true)
    }

    /// Takes down the cards whose time is over.
    mutating func takeExpiredCards(_ now: Instant) -> [Card] {
        let over = board.takeExpired(now)
        for card in over { archive.recordFinal(card.id.prefix) }
        return over
    }
}

/// History (Protocol.md section 7).
extension PublicChat {
    /// The first 8 bytes of the ids of all payloads for others, in the order of a `have`.
    package var offer: [UInt64] {
        archive.offer(with: messages, reactions: reactions.offer, cards: board.cards.map(\.id.prefix))
    }

    /// The offered ids that are worth asking for.
    package func lacking(_ ids: [UInt64]) -> [UInt64] {
        let lowest = messages.isFull ? messages.lowest : nil
        return messages.absent(of: ids).filter {
            !reactions.knows($0) && board.card(prefix: $0) == nil && archive.lacks($0, lowest: lowest)
        }
    }

    package func payload(_ id: UInt64) -> VerifiedPayload? {
        if let kept = archive.change(id) ?? reactions.payload(id) ?? board.card(prefix: id)?.source { return kept }
        return archive.isWithheld(id) ? nil : messages[prefix: id]?.source
    }

    func isDeleted(_ message: MessageID, of author: PeerID) -> Bool { archive.isDeleted(message, of: author) }

    /// True if a message is or was in this conversation, as far as is remembered.
    func knows(_ message: MessageID) -> Bool { messages.contains(id: message) || archive.isPast(message) }

    /// Keeps a deletion, so that its message is not taken in.
    ///
    /// - Parameter isOfKnown: whether the message is here, of the same author.
    mutating func keepDeletion(_ deletion: MessageChange, from giver: Giver, isOfKnown: Bool) {
        archive.keepDeletion(deletion.source, of: deletion.target, from: giver, isOfKnown: isOfKnown)
    }

    /// Notes that a payload is not kept, and never asked for again.
    mutating func recordFinal(_ payload: VerifiedPayload) { recordFinal(payload.id.prefix) }

    mutating func recordFinal(_ id: UInt64) {
        if !messages.contains(prefix: id), reactions.payload(id) == nil, board.card(prefix: id) == nil {
            archive.recordFinal(id)
        }
    }

    /// Checks a signature that was left unchecked. A message with a false one is given to no peer.
    mutating func verifySignature(of id: UInt64, _ judge: (VerifiedPayload) -> AdmissionResult) -> SignatureCheck {
        guard let payload = payload(id) else { return .absent }
        guard case .admitted(let proven) = judge(payload) else {
            archive.withhold(id)
            return .forged(by: payload.author)
        }
        log.replaceSource(with: proven)
        return .valid(proven)
    }

    mutating func drainItems(_ take: ([Archive.Item]) -> Void) { archive.drainItems(take) }
}
