package import Wire

/// Edits and deletions that came before their message. Bounded; the one that waits longest makes room.
package struct WaitingChanges: Sendable {
    package static let capacity = 256

    /// The author is part of the key: nobody can keep another's place.
    private struct Key: Hashable {
        let target: MessageID
        let author: PeerID
    }

    private struct Entry {
        var change: MessageChange
        let arrival: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var arrivals: UInt64 = 0

    package init() {}

    package var count: Int { entries.count }

    /// Keeps a change until its message comes. Of several for one message the last edit is kept; a deletion is final.
    package mutating func hold(_ change: MessageChange) {
        let key = Key(target: change.target, author: change.author)
        if let waiting = entries[key]?.change {
            if waiting.isReplaced(by: change) { entries[key]?.change = change }
            return
        }
        if entries.count == WaitingChanges.capacity { dropOldest() }
        arrivals += 1
        entries[key] = Entry(change: change, arrival: arrivals)
    }

    /// Takes out what waits for a message of an author.
    package mutating func take(for id: MessageID, by author: PeerID) -> MessageChange? {
        guard !entries.isEmpty else { return nil }
        return entries.removeValue(forKey: Key(target: id, author: author))?.change
    }

    private mutating func dropOldest() {
        guard let oldest = entries.min(by: { $0.value.arrival < $1.value.arrival }) else { return }
        entries[oldest.key] = nil
    }
}

extension MessageChange {
    fileprivate func isReplaced(by other: MessageChange) -> Bool {
        switch (kind, other.kind) {
        case (.delete, _): false
        case (.edit, .delete): true
        case (.edit, .edit): revision < other.revision
        }
    }
}
