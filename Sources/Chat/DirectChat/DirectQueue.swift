internal import Wire

/// Own payloads of a direct conversation that its peer has not acknowledged, in the order of their making (Protocol.md
/// section 8).
///
/// All of them are sent once on each link, in that order, the same S each time. Those sent on the present link
/// are always the first of the queue.
struct DirectQueue: Sendable {
    private struct Entry: Sendable {
        let payload: VerifiedPayload
        /// Reported if the message fails; nil for a change, and for a message that was deleted.
        var text: String?
        /// True if it was sent on any link: the peer may have it.
        var wasSent = false
    }

    private var entries: [Entry] = []
    /// The number of entries that were sent on the present link.
    private var sent = 0
    /// Limits how fast entries are sent again. Nil until the first is.
    private var pace: TokenBucket?
    /// When the rate lets the next entry through; nil if there is none.
    private(set) var nextDeadline: Instant?

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// True if an entry was not sent on the present link.
    var hasBacklog: Bool { sent < entries.count }

    /// True if an entry other than a request was sent on the present link.
    var awaitsReceipts: Bool { entries.prefix(sent).contains { $0.payload.payload.type != .dmRequest } }

    /// True if a request is not acknowledged.
    var hasRequest: Bool { entries.contains { $0.payload.payload.type == .dmRequest } }

    func contains(_ id: MessageID) -> Bool { entries.contains { $0.payload.payload.messageId == id } }

    /// Appends a payload that was just made.
    ///
    /// - Parameters:
    ///   - text: that of a message; nil for a change of one.
    ///   - isLinked: whether a link to the peer is up.
    /// - Returns: whether to send it now; behind a backlog it waits for its turn.
    mutating func append(_ payload: VerifiedPayload, text: String?, isLinked: Bool) -> Bool {
        let isNext = isLinked && !hasBacklog
        entries.append(Entry(payload: payload, text: text, wasSent: isNext))
        if isNext { sent += 1 }
        return isNext
    }

    /// Gives up the oldest message, with its changes, if the queue is over its limit.
    mutating func takeOverflow() -> [Undelivered] {
        guard count > Limits.unacknowledgedPayloads, let oldest = entries.first else { return [] }
        let id = oldest.payload.payload.messageId
        remove { $0.payload.payload.messageId == id || $0.payload.payload.targetMessage == id }
        return oldest.text.map { [Undelivered(id: id, text: $0)] } ?? []
    }

    /// Starts again for a new link: all entries are sent on it.
    mutating func rewind() {
        sent = 0
        nextDeadline = nil
    }

    /// Starts again behind the request: the peer that accepted it may have dropped what came before its acceptance.
    mutating func rewindToRequest() {
        sent = min(sent, entries.prefix { $0.payload.payload.type == .dmRequest }.count)
        nextDeadline = nil
    }

    /// Takes the entries that may be sent now. The sender's own rate let them through once, and the receiver admits
    /// twice that rate: a second limit on what is sent again keeps the receiver from dropping any of it.
    mutating func takeDue(now: Instant, rate: Rate) -> [VerifiedPayload] {
        var pace = pace ?? TokenBucket(rate, now: now)
        var due: [VerifiedPayload] = []
        while hasBacklog, pace.takeTokens(now: now) {
            entries[sent].wasSent = true
            due.append(entries[sent].payload)
            sent += 1
        }
        nextDeadline = hasBacklog ? now + pace.wait(now: now) : nil
        self.pace = pace
        return due
    }

    /// Removes a payload that the peer has.
    ///
    /// - Returns: whether it is an own message that was not deleted.
    mutating func acknowledge(_ id: MessageID) -> Bool {
        guard let entry = entries.first(where: { $0.payload.payload.messageId == id }) else { return false }
        remove { $0.payload.payload.messageId == id }
        return entry.text != nil
    }

    /// Notes the edited text of a message.
    mutating func edited(_ id: MessageID, to text: String) {
        guard let index = entries.firstIndex(where: { $0.payload.payload.messageId == id }) else { return }
        entries[index].text = entries[index].text.map { _ in text }
    }

    /// Takes a deleted message back: it is not sent any more, nor are its edits. A request stays, because it asks for
    /// consent too.
    ///
    /// - Returns: whether the peer may have it, so that the deletion has to be sent.
    mutating func takeBack(_ id: MessageID) -> Bool {
        guard let index = entries.firstIndex(where: { $0.payload.payload.messageId == id }) else { return true }
        guard entries[index].payload.payload.type != .dmRequest else {
            entries[index].text = nil
            return true
        }
        let wasSent = entries[index].wasSent
        remove { $0.payload.payload.messageId == id || $0.payload.payload.targetMessage == id }
        return wasSent
    }

    /// Takes the earlier reactions to a message back, for a later one: it holds all that they say.
    mutating func takeBackReactions(to id: MessageID) {
        remove { $0.payload.type == .reaction && $0.payload.payload.targetMessage == id }
    }

    /// Gives up the entries that were not sent on the present link; all of them if there is none.
    mutating func giveUp(keepingSent: Bool) -> [Undelivered] {
        let kept = keepingSent ? sent : 0
        let undelivered = entries.dropFirst(kept).compactMap { entry in
            entry.text.map { Undelivered(id: entry.payload.payload.messageId, text: $0) }
        }
        entries.removeSubrange(kept...)
        sent = kept
        nextDeadline = nil
        return undelivered
    }

    private mutating func remove(where isOver: (Entry) -> Bool) {
        sent -= entries.prefix(sent).count(where: isOver)
        entries.removeAll(where: isOver)
    }
}

extension Limits {
    /// Payloads of a conversation that wait for a receipt; beyond it the oldest message is given up, and its sender
    /// hears of it. More cost memory and a longer backlog when the peer returns; with fewer, a long absence loses
    /// messages.
    static let unacknowledgedPayloads = 100
}
