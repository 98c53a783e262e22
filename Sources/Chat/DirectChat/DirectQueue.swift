internal import Wire

/// What we said in a direct conversation and its peer has not acknowledged, in the order in which it was said
/// (Protocol.md section 8).
///
/// Everything in it is sent once on each link, in that order, as the very bytes that were signed. What was sent on the
/// present link is always a beginning of the queue.
struct DirectQueue: Sendable {
    private struct Entry: Sendable {
        let payload: VerifiedPayload
        /// What is told if the message fails; nil for a change of a message, and for a message that was taken back.
        var text: String?
        /// Whether it went out on any link: then the peer may have it.
        var wasSent = false
    }

    private var entries: [Entry] = []
    /// How many of the entries were sent on the present link.
    private var sent = 0
    /// How fast entries go out that did not at once. Nil until the first does.
    private var pace: TokenBucket?
    /// When the next entry may go out, if only the pace is in the way.
    private(set) var nextDeadline: Instant?

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Whether something was not sent on the present link.
    var hasBacklog: Bool { sent < entries.count }

    /// Whether something other than a request was sent on the present link.
    var awaitsReceipts: Bool { entries.prefix(sent).contains { $0.payload.payload.type != .dmRequest } }

    /// Whether a request waits to be acknowledged.
    var hasRequest: Bool { entries.contains { $0.payload.payload.type == .dmRequest } }

    func contains(_ id: MessageID) -> Bool { entries.contains { $0.payload.payload.messageId == id } }

    /// Takes in a payload that was just signed.
    ///
    /// - Parameters:
    ///   - text: of a message; nil for a change of one.
    ///   - isLinked: whether a link to the peer stands.
    /// - Returns: whether it is to be sent now. Behind a backlog it waits for its turn.
    mutating func append(_ payload: VerifiedPayload, text: String?, isLinked: Bool) -> Bool {
        let isNext = isLinked && !hasBacklog
        entries.append(Entry(payload: payload, text: text, wasSent: isNext))
        if isNext { sent += 1 }
        return isNext
    }

    /// Gives up the oldest message, with its changes, where more waits than the peer is waited for.
    mutating func takeOverflow() -> [Undelivered] {
        guard count > Limits.unacknowledgedPayloads, let oldest = entries.first else { return [] }
        let id = oldest.payload.payload.messageId
        remove { $0.payload.payload.messageId == id || $0.payload.payload.targetMessage == id }
        return oldest.text.map { [Undelivered(id: id, text: $0)] } ?? []
    }

    /// A new link stands: everything is sent on it.
    mutating func rewind() {
        sent = 0
        nextDeadline = nil
    }

    /// The peer has accepted, and may have passed over what was said before it did. The request that it accepted is
    /// first, and its receipt is on its way.
    mutating func rewindToRequest() {
        sent = min(sent, entries.prefix { $0.payload.payload.type == .dmRequest }.count)
        nextDeadline = nil
    }

    /// Takes what may be sent now. The sender's own rate has let all of it through once, and the receiver accepts twice
    /// that rate: what goes again is held to it a second time, so that none of it is dropped there.
    mutating func takeDue(now: Instant, rate: Rate) -> [VerifiedPayload] {
        var pace = pace ?? TokenBucket(rate, now: now)
        var due: [VerifiedPayload] = []
        while hasBacklog, pace.take(now: now) {
            entries[sent].wasSent = true
            due.append(entries[sent].payload)
            sent += 1
        }
        nextDeadline = hasBacklog ? now + pace.wait(now: now) : nil
        self.pace = pace
        return due
    }

    /// The peer has what `id` names.
    ///
    /// - Returns: whether that is a message of ours that was not taken back.
    mutating func acknowledge(_ id: MessageID) -> Bool {
        guard let entry = entries.first(where: { $0.payload.payload.messageId == id }) else { return false }
        remove { $0.payload.payload.messageId == id }
        return entry.text != nil
    }

    /// Notes the text that a message has now.
    mutating func edited(_ id: MessageID, to text: String) {
        guard let index = entries.firstIndex(where: { $0.payload.payload.messageId == id }) else { return }
        entries[index].text = entries[index].text.map { _ in text }
    }

    /// Takes back a message of ours: it is not sent any more, nor are its edits. A request goes on, since it asks for
    /// more than to be read.
    ///
    /// - Returns: whether the peer may have it, and has to be told.
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

    /// Gives up what was not sent on the present link: all of it where there is none.
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
