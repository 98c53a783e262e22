internal import Wire

/// Reactions that came before their message. Bounded for each author and for all, as `PendingChanges` is; one that waits for longer than
/// `Limits.pendingReactionTime` is given up.
package struct PendingReactions: Sendable {
    private struct Entry {
        let source: VerifiedPayload
        let giver: Giver
        let isHistory: Bool
        let end: Instant
    }

    /// The oldest first.
    private var entries: [Entry] = []

    package init() {}

    package var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    /// When the oldest is given up; nil if there is none.
    var nextDeadline: Instant? { entries.first?.end }

    mutating func hold(_ reaction: VerifiedPayload, from giver: Giver, isHistory: Bool, now: Instant) {
        let ofAuthor = entries.indices.filter { entries[$0].source.author == reaction.author }
        if ofAuthor.count >= Limits.pendingReactionsOfAuthor {
            entries.remove(at: ofAuthor[0])
        } else if entries.count >= Limits.pendingReactions {
            let holders = entries.map { FairShare.Holder(giver: $0.giver, author: $0.source.author) }
            if let position = FairShare.oldest(of: holders) { entries.remove(at: position) }
        }
        entries.append(
            Entry(source: reaction, giver: giver, isHistory: isHistory, end: now + Limits.pendingReactionTime))
    }

    /// Removes and returns the reactions to a message, each with its giver and whether it was asked for, in the order in which they
    /// came.
    mutating func takeReactions(
        to message: MessageID
    ) -> [(source: VerifiedPayload, giver: Giver, isHistory: Bool)] {
        let taken = entries.filter { $0.source.payload.targetMessage == message }
        guard !taken.isEmpty else { return [] }
        entries.removeAll { $0.source.payload.targetMessage == message }
        return taken.map { ($0.source, $0.giver, $0.isHistory) }
    }

    /// Gives up what has waited for too long.
    mutating func expire(_ now: Instant) { entries.removeAll { $0.end <= now } }
}

extension Limits {
    /// Reactions that wait for their message. More cost memory; with fewer, those that overtake a message in a busy crowd are lost.
    static let pendingReactions = 256
    /// As many of one author. More let one author take the places of others; with fewer, those of an honest one are lost that come as
    /// history in front of the messages.
    static let pendingReactionsOfAuthor = 100
    /// For how long. A longer one keeps reactions to messages that never come; with a shorter one, those to messages that come as history
    /// are lost.
    static let pendingReactionTime = Duration.seconds(60)
}
