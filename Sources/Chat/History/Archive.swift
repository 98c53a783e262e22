package import Wire

/// What others are given of the public conversation besides the messages that its ring holds, for whoever missed it
/// (Protocol.md section 7).
///
/// That is the latest edit of each message in the ring, and the latest 100 deletions. All of it is found by the first 8
/// bytes of its id.
package struct Archive: Sendable {
    /// Something that was taken in, which others may lack.
    package struct Item: Hashable, Sendable {
        package let id: UInt64
        package let author: PeerID
        /// The neighbour that it came from; nil if it is ours.
        package let neighbour: PeerID?

        package init(id: UInt64, author: PeerID, neighbour: PeerID?) {
            self.id = id
            self.author = author
            self.neighbour = neighbour
        }
    }

    /// Why something that was here, or was refused, is not kept.
    private enum Tombstone {
        /// A message that later ones pushed out, with its time. It is taken back where there is room again.
        case evicted(Timestamp)
        /// It is never asked for again: deleted, replaced, refused, or of somebody who is not heard.
        case final
    }

    private struct Deletion {
        let id: UInt64
        let target: Target
    }

    /// The author is part of it: nobody deletes another's message.
    private struct Target: Hashable {
        let message: MessageID
        let author: PeerID
    }

    /// The edits, at most as many as the ring has messages, and the deletions.
    private var changes: [UInt64: VerifiedPayload] = [:]
    private var editOfMessage: [MessageID: UInt64] = [:]
    /// As they came, so that no made-up time keeps a place.
    private var deletions: [Deletion] = []
    private var deleted: Set<Target> = []
    /// Messages in the ring whose signatures proved false: shown, since their authors' links brought them, but given to nobody.
    private var withheld: Set<UInt64> = []
    private var tombstones = RecentTable<UInt64, Tombstone>(capacity: Limits.seenMessages)
    private var items: [Item] = []

    /// An edit or a deletion.
    func change(_ id: UInt64) -> VerifiedPayload? { changes[id] }

    func isWithheld(_ message: UInt64) -> Bool { !withheld.isEmpty && withheld.contains(message) }

    /// Whether a message is not to be taken in again.
    func isDeleted(_ message: MessageID, of author: PeerID) -> Bool {
        !deleted.isEmpty && deleted.contains(Target(message: message, author: author))
    }

    /// Whether a message was in the public conversation and is there no longer.
    func isPast(_ message: MessageID) -> Bool { tombstones[message.prefix] != nil }

    /// Whether something that is offered is worth asking for.
    func lacks(_ id: UInt64, besides ring: MessageRing, lowest: SortKey?) -> Bool {
        guard changes[id] == nil, !ring.contains(prefix: id) else { return false }
        switch tombstones[id] {
        case nil: return true
        case .final: return false
        // Of one millisecond, others took its place: asked for again, it would be evicted again.
        case .evicted(let time): return !ring.isFull || lowest.map { time > $0.time } ?? true
        }
    }

    /// What is kept, in the order in which others should get it: the deletions, then the messages by place, oldest first,
    /// each behind its edit.
    func offer(with ring: MessageRing) -> [UInt64] {
        var offer = deletions.map(\.id)
        for message in ring.idsByPlace where !isWithheld(message.prefix) {
            if let edit = editOfMessage[message] { offer.append(edit) }
            offer.append(message.prefix)
        }
        return offer
    }

    /// Hands over what was taken in since this was asked last, if anything was.
    mutating func drainItems(_ take: ([Item]) -> Void) {
        guard !items.isEmpty else { return }
        take(items)
        items.removeAll(keepingCapacity: true)
    }
}

/// What changes it.
extension Archive {
    /// A message shows an edit.
    mutating func keepEdit(_ edit: VerifiedPayload, of target: MessageID) {
        if let replaced = editOfMessage[target] { drop(replaced) }
        editOfMessage[target] = edit.id.prefix
        keep(edit)
    }

    /// A message is deleted, whether or not it was here.
    mutating func keepDeletion(_ deletion: VerifiedPayload, of message: MessageID) {
        let id = deletion.id.prefix
        let target = Target(message: message, author: deletion.author)
        guard deleted.insert(target).inserted else { return noteFinal(id) }
        deletions.append(Deletion(id: id, target: target))
        keep(deletion)
        guard deletions.count > Limits.deletionsKept else { return }
        let oldest = deletions.removeFirst()
        deleted.remove(oldest.target)
        drop(oldest.id)
    }

    /// The ring gave up a message because its author deleted it.
    mutating func noteDeleted(_ message: MessageID) { forget(message, as: .final) }

    /// The ring let a message go, or refused it.
    ///
    /// - Parameter time: that of its place.
    mutating func noteEvicted(_ message: MessageID, from time: Timestamp) {
        forget(message, as: .evicted(time))
    }

    /// Something is not kept and is not asked for again.
    mutating func noteFinal(_ id: UInt64) {
        if changes[id] == nil { tombstones.set(.final, for: id) }
    }

    /// The signature of a message in the ring proved false. Those of changes are checked as they come.
    mutating func withhold(_ message: UInt64) { withheld.insert(message) }

    /// Something was taken in, here or into the ring.
    mutating func noteKept(_ payload: VerifiedPayload) {
        let neighbour: PeerID?
        switch payload.provenance {
        case .own:
            neighbour = nil
        case .direct(let author):
            neighbour = author
        case .signed(let via), .sealed(let via):
            neighbour = via
        }
        if items.count == Limits.offeredPayloads { items.removeFirst() }
        items.append(Item(id: payload.id.prefix, author: payload.author, neighbour: neighbour))
    }

    private mutating func keep(_ change: VerifiedPayload) {
        changes[change.id.prefix] = change
        noteKept(change)
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
