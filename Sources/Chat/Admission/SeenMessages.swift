internal import Wire

/// The ids of the latest messages that were let in, the oldest out (Protocol.md section 11).
struct SeenMessages: Sendable {
    private let capacity: Int
    private var ids: Set<MessageID> = []
    /// A ring in the order of arrival; `next` is the oldest once it is full.
    private var order: [MessageID] = []
    private var next = 0

    init(capacity: Int = Limits.seenMessages) {
        precondition(capacity > 0, "a table of seen messages has room for none")
        self.capacity = capacity
    }

    func contains(_ id: MessageID) -> Bool { ids.contains(id) }

    /// Nothing changes if the id is known.
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
