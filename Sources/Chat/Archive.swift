package import Wire

/// The signed payloads behind the public conversation, for whoever missed them (Protocol.md section 7).
///
/// A message's payload is here while the ring holds the message, with that of its latest edit; besides, the latest 100
/// deletions. All of it is found by the first 8 bytes of its id.
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
    private enum Past {
        /// A message that later ones pushed out, with its time. It is taken back where there is room again.
        case fallen(Timestamp)
        /// It is never asked for again: deleted, replaced, refused, or of somebody who is not heard.
        case over
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

    /// A message with its edit, a hundred times, and the deletions.
    private var payloads = PayloadTable(capacity: 2 * Limits.messagesPerConversation + 2 * Limits.deletionsKept)
    private var editOfMessage: [MessageID: UInt64] = [:]
    /// As they came, so that no made-up time keeps a place.
    private var deletions: [Deletion] = []
    private var deleted: Set<Target> = []
    private var past = RecentTable<UInt64, Past>(capacity: Limits.seenMessages)
    private var items: [Item] = []

    package func payload(_ id: UInt64) -> VerifiedPayload? { payloads[id] }

    /// Whether a message is not to be taken in again.
    func isDeleted(_ message: MessageID, of author: PeerID) -> Bool {
        !deleted.isEmpty && deleted.contains(Target(message: message, author: author))
    }

    /// Whether a message was in the public conversation and is there no longer.
    func isPast(_ message: MessageID) -> Bool { past[message.prefix] != nil }

    /// Whether something that is offered is worth asking for.
    func lacks(_ id: UInt64, besides ring: MessageRing, lowest: MessagePlace?) -> Bool {
        guard !payloads.contains(id) else { return false }
        switch past[id] {
        case nil: return true
        case .over: return false
        case .fallen(let time): return !ring.isFull || lowest.map { time >= $0.time } ?? true
        }
    }

    /// What is kept, in the order in which others should get it: the deletions, then the messages by place, oldest first,
    /// each behind its edit.
    func offer(_ ring: MessageRing) -> [UInt64] {
        var offer = deletions.map(\.id)
        for message in ring.idsByPlace where payloads.contains(message.prefix) {
            if let edit = editOfMessage[message] { offer.append(edit) }
            offer.append(message.prefix)
        }
        return offer
    }

    /// Hands over what was taken in since this was asked last, if anything was.
    mutating func takeItems(_ take: ([Item]) -> Void) {
        guard !items.isEmpty else { return }
        take(items)
        items.removeAll(keepingCapacity: true)
    }
}

/// What changes it.
extension Archive {
    /// The ring holds a message.
    mutating func keep(_ message: VerifiedPayload) { put(message) }

    /// A message shows an edit.
    mutating func keepEdit(_ edit: VerifiedPayload, of target: MessageID) {
        if let replaced = editOfMessage[target] { drop(replaced, as: .over) }
        editOfMessage[target] = edit.payload.messageId.prefix
        put(edit)
    }

    /// A message is deleted, whether or not it was here.
    mutating func keepDeletion(_ deletion: VerifiedPayload, of message: MessageID) {
        let id = deletion.payload.messageId.prefix
        let target = Target(message: message, author: deletion.payload.author)
        guard deleted.insert(target).inserted else { return noteOver(id) }
        deletions.append(Deletion(id: id, target: target))
        put(deletion)
        guard deletions.count > Limits.deletionsKept else { return }
        let oldest = deletions.removeFirst()
        deleted.remove(oldest.target)
        drop(oldest.id, as: .over)
    }

    /// The ring gave up a message because its author deleted it.
    mutating func noteDeleted(_ message: MessageID) { forget(message, as: .over) }

    /// The ring let a message go, or refused it.
    ///
    /// - Parameter time: that of its place.
    mutating func noteFallen(_ message: MessageID, from time: Timestamp) {
        forget(message, as: .fallen(time))
    }

    /// Something is not kept and is not asked for again.
    mutating func noteOver(_ id: UInt64) {
        if !payloads.contains(id) { past.set(.over, for: id) }
    }

    /// Has a signature checked that was not needed until now; what has a false one is not kept any more.
    mutating func prove(_ id: UInt64, _ judge: (VerifiedPayload) -> Verdict) -> Proof {
        guard let payload = payloads[id] else { return .absent }
        guard case .admitted(let proven) = judge(payload) else {
            forget(payload.payload.messageId, as: .over)
            return .forged(by: payload.payload.author)
        }
        payloads.set(proven, for: id)
        return .proven(proven)
    }

    private mutating func put(_ payload: VerifiedPayload) {
        let id = payload.payload.messageId.prefix
        payloads.set(payload, for: id)
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
        items.append(Item(id: id, author: payload.payload.author, neighbour: neighbour))
    }

    private mutating func forget(_ message: MessageID, as past: Past) {
        drop(message.prefix, as: past)
        guard !editOfMessage.isEmpty, let edit = editOfMessage.removeValue(forKey: message) else { return }
        drop(edit, as: .over)
    }

    private mutating func drop(_ id: UInt64, as reason: Past) {
        payloads.remove(id)
        past.set(reason, for: id)
    }
}
