package import Wire

/// Edits and deletions that came before their message. Bounded for each author and for all: of the giver with the most entries
/// the author with the most loses its oldest.
package struct PendingChanges: Sendable {
    package static let capacity = 256
    package static let capacityPerAuthor = 128

    private struct Entry {
        var change: MessageChange
        let giver: Giver
        let arrival: UInt64
    }

    private var entries: [ChangeTarget: Entry] = [:]
    private var counts: [PeerID: Int] = [:]
    private var arrivals: UInt64 = 0

    package init() {}

    package var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    /// Keeps a change until its message comes. Of several edits of a message the last is kept; a deletion is final.
    package mutating func hold(_ change: MessageChange, from giver: Giver) {
        let key = ChangeTarget(message: change.target, author: change.author)
        if let waiting = entries[key]?.change {
            if waiting.isReplaced(by: change) { entries[key]?.change = change }
            return
        }
        makeSpace(for: change.author)
        arrivals += 1
        counts[change.author, default: 0] += 1
        entries[key] = Entry(change: change, giver: giver, arrival: arrivals)
    }

    /// Removes and returns the change for a message of an author.
    package mutating func takeChange(for id: MessageID, by author: PeerID) -> MessageChange? {
        guard !entries.isEmpty else { return nil }
        return remove(ChangeTarget(message: id, author: author))
    }

    private mutating func makeSpace(for author: PeerID) {
        if counts[author, default: 0] == PendingChanges.capacityPerAuthor {
            dropOldest(of: author)
        } else if entries.count == PendingChanges.capacity {
            dropOldestOfGreediest()
        }
    }

    private mutating func dropOldestOfGreediest() {
        let inOrder = entries.sorted { $0.value.arrival < $1.value.arrival }
        let holders = inOrder.map { FairShare.Holder(giver: $0.value.giver, author: $0.key.author) }
        if let position = FairShare.oldest(of: holders) { _ = remove(inOrder[position].key) }
    }

    private mutating func dropOldest(of author: PeerID) {
        let own = entries.lazy.filter { $0.key.author == author }
        guard let oldest = own.min(by: { $0.value.arrival < $1.value.arrival }) else { return }
        _ = remove(oldest.key)
    }

    private mutating func remove(_ key: ChangeTarget) -> MessageChange? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        let rest = counts[key.author, default: 1] - 1
        counts[key.author] = rest > 0 ? rest : nil
        return entry.change
    }
}

extension MessageChange {
    fileprivate func isReplaced(by other: MessageChange) -> Bool {
        switch (kind, other.kind) {
        case (.delete, _): false
        case (.edit, .delete): true
        case (.edit, .edit): authorClock < other.authorClock
        }
    }
}
