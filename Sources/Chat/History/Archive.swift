package import Wire

/// The public payloads that others get besides the messages in the ring (Protocol.md section 7): the latest edit of
/// each message, and the latest 100 deletions.
///
/// Each is found by the first 8 bytes of its id.
package struct Archive: Sendable {
    /// A payload that was kept, which others may lack.
    package struct Item: Hashable, Sendable {
        package let id: UInt64
        package let author: PeerID
        /// The neighbour that it came from; nil for an own payload.
        package let neighbour: PeerID?

        package init(id: UInt64, author: PeerID, neighbour: PeerID?) {
            self.id = id
            self.author = author
            self.neighbour = neighbour
        }
    }

    /// Why a payload is not kept.
    private enum Tombstone {
        /// Evicted from the ring; the time is that of its place. Asked for again only if the ring has room.
        ///
        /// Of the author the key's first 4 bytes, for which there is room beside the time.
        case evicted(Timestamp, by: UInt32)
        /// Never asked for again: deleted, replaced, refused, or of a hidden author.
        case final
    }

    /// The edits, at most one for each message in the ring, and the deletions.
    private var changes: [UInt64: VerifiedPayload] = [:]
    private var editOfMessage: [MessageID: UInt64] = [:]
    private var deletions = Deletions()
    /// Messages in the ring with a false signature: shown, because they came over their authors' links, but given to no
    /// peer.
    private var withheld: Set<UInt64> = []
    private var tombstones = RecentTable<UInt64, Tombstone>(capacity: Limits.seenMessages)
    private var items: [Item] = []

    /// An edit or a deletion; nil if it is not kept.
    func change(_ id: UInt64) -> VerifiedPayload? { changes[id] }

    func isWithheld(_ message: UInt64) -> Bool { !withheld.isEmpty && withheld.contains(message) }

    /// True if a message must not be taken in again.
    func isDeleted(_ message: MessageID, of author: PeerID) -> Bool { deletions.has(message, of: author) }

    /// The latest edit of a message; nil if there is none.
    func edit(of message: MessageID) -> VerifiedPayload? { editOfMessage[message].flatMap { changes[$0] } }

    /// True if a message was in the public conversation and has left it.
    func isPast(_ message: MessageID) -> Bool { tombstones[message.prefix] != nil }

    /// True if a message of an author was in the public conversation and was evicted.
    private func isPast(_ message: MessageID, of author: PeerID) -> Bool {
        if case .evicted(_, by: let tag) = tombstones[message.prefix] { tag == Archive.tag(of: author) } else { false }
    }

    private static func tag(of author: PeerID) -> UInt32 { UInt32(truncatingIfNeeded: author.words.0 >> 32) }

    /// True if an offered id, of no message in the ring, is worth asking for.
    ///
    /// - Parameter lowest: the place of the message that the ring evicts next; nil while it has room.
    func lacks(_ id: UInt64, lowest: SortKey?) -> Bool {
        guard changes[id] == nil else { return false }
        switch tombstones[id] {
        case nil: return true
        case .final: return false
        // Ties were evicted in favour of the others: asked for again, the message would be evicted again.
        case .evicted(let time, by: _): return lowest.map { time > $0.time } ?? true
        }
    }

    /// The ids of all that is kept, in the order for others: deletions, reactions, then messages from the lowest place on, each
    /// behind its edit, and cards.
    func offer(with ring: MessageRing, reactions: [UInt64], cards: [UInt64]) -> [UInt64] {
        var offer = deletions.ids + reactions
        for message in ring.idsByPlace where !isWithheld(message.prefix) {
            if let edit = editOfMessage[message] { offer.append(edit) }
            offer.append(message.prefix)
        }
        return offer + cards
    }

    /// Hands over the payloads that were kept since the last call, if any.
    mutating func drainItems(_ take: ([Item]) -> Void) {
        guard !items.isEmpty else { return }
        take(items)
        items.removeAll(keepingCapacity: true)
    }
}

/// Changes.
extension Archive {
    /// Keeps an edit that is shown, in place of an earlier one.
    mutating func keepEdit(_ edit: VerifiedPayload, of target: MessageID) {
        if let replaced = editOfMessage[target] { drop(replaced) }
        editOfMessage[target] = edit.id.prefix
        keep(edit)
    }

    /// Keeps a deletion, whether its message is here or not.
    ///
    /// - Parameter isOfKnown: whether its message is here, of the same author.
    mutating func keepDeletion(
        _ deletion: VerifiedPayload, of message: MessageID, from giver: Giver, isOfKnown: Bool
    ) {
        let author = deletion.author
        let placement = deletions.keep(
            deletion.id.prefix, of: message, by: author, from: giver,
            isOfKnown: isOfKnown || isPast(message, of: author))
        switch placement {
        case .there, .refused: recordFinal(deletion.id.prefix)
        case .kept(let evicted):
            keep(deletion)
            if let evicted { drop(evicted) }
        }
    }

    /// Notes that a message left the ring because its author deleted it.
    mutating func recordDeleted(_ message: MessageID) { forget(message, as: .final) }

    /// Notes that a message was evicted from the ring, or refused.
    ///
    /// - Parameter time: that of its place.
    mutating func recordEvicted(_ message: MessageID, of author: PeerID, from time: Timestamp) {
        forget(message, as: .evicted(time, by: Archive.tag(of: author)))
    }

    /// Notes that a payload is not kept, and never asked for again.
    mutating func recordFinal(_ id: UInt64) {
        if changes[id] == nil { tombstones.set(.final, for: id) }
    }

    /// Keeps a message with a false signature from others. Signatures of changes are checked when they come.
    mutating func withhold(_ message: UInt64) { withheld.insert(message) }

    /// Notes a payload that was kept, here or elsewhere in the conversation.
    mutating func recordKept(_ payload: VerifiedPayload) {
        if items.count == Limits.offeredPayloads { items.removeFirst() }
        items.append(Item(id: payload.id.prefix, author: payload.author, neighbour: payload.neighbour))
    }

    private mutating func keep(_ change: VerifiedPayload) {
        changes[change.id.prefix] = change
        recordKept(change)
    }

    private mutating func forget(_ message: MessageID, as reason: Tombstone) {
        tombstones.set(reason, for: message.prefix)
        if !withheld.isEmpty { withheld.remove(message.prefix) }
        guard !editOfMessage.isEmpty, let edit = editOfMessage.removeValue(forKey: message) else { return }
        drop(edit)
    }

    private mutating func drop(_ change: UInt64) {
        changes[change] = nil
        tombstones.set(.final, for: change)
    }
}
