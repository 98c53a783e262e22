internal import Wire

/// The ids of the latest admitted messages; the oldest is evicted (Protocol.md section 11).
///
/// A set with a ring, because every frame is looked up in it, and eviction must not move 16,384 ids.
struct SeenMessages: Sendable {
    private let capacity: Int
    private var ids: Set<MessageID> = []
    /// A ring in the order of arrival; once it is full, `next` is the oldest.
    private var order: [MessageID] = []
    private var next = 0

    init(capacity: Int = Limits.seenMessages) {
        precondition(capacity > 0, "a table of seen messages has room for none")
        self.capacity = capacity
    }

    func contains(_ id: MessageID) -> Bool { ids.contains(id) }

    /// Inserts an id; a known one changes nothing.
    mutating func insert(_ id: MessageID) {
        guard ids.insert(id).inserted else { return }
        guard order.count == capacity else {
            order.append(id)
            return
        }
        ids.remove(order[next])
        order[next] = id
        next = (next + 1) % capacity
    }
}
