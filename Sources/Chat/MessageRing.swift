package import Wire

/// The last messages of a conversation, oldest first, each found by its id at once.
///
/// Appending and finding take constant time; deleting and inserting history rewrite the ring, which is small.
package struct MessageRing: Sendable, RandomAccessCollection {
    package let capacity: Int
    private var slots: [Message] = []
    /// The slot of the oldest message. It is 0 until the ring is full, so that a ring with room left never wraps.
    private var oldest = 0
    private var slotByID: [MessageID: Int] = [:]

    /// - Parameter capacity: at least 1.
    package init(capacity: Int = Limits.messagesPerConversation) {
        precondition(capacity > 0, "a ring for \(capacity) messages")
        self.capacity = capacity
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { slots.count }

    /// The message at an age: 0 is the oldest.
    package subscript(position: Int) -> Message { slots[(oldest + position) % slots.count] }

    package subscript(id id: MessageID) -> Message? { slotByID[id].map { slots[$0] } }

    package func contains(id: MessageID) -> Bool { slotByID[id] != nil }

    /// Adds the newest message; one that is there already changes nothing.
    ///
    /// - Returns: the message that fell out.
    @discardableResult
    package mutating func append(_ message: Message) -> Message? {
        guard !contains(id: message.id) else { return nil }
        guard slots.count == capacity else {
            slotByID[message.id] = slots.count
            slots.append(message)
            return nil
        }
        let fallen = slots[oldest]
        slotByID[fallen.id] = nil
        slotByID[message.id] = oldest
        slots[oldest] = message
        oldest = (oldest + 1) % capacity
        return fallen
    }

    /// Puts a message from the past among the others from the past, by signed time, before all that was heard live
    /// (Protocol.md section 7). In a full ring the oldest makes room, unless it is younger.
    ///
    /// - Returns: false for a message that is there already or is older than the ring reaches.
    package mutating func insertHistory(_ message: Message) -> Bool {
        guard !contains(id: message.id) else { return false }
        let position = firstIndex { !$0.isHistory || message.isSigned(before: $0) } ?? count
        let isFull = count == capacity
        guard !isFull || position > 0 else { return false }
        var messages = Array(self)
        messages.insert(message, at: position)
        if isFull { messages.removeFirst() }
        refill(with: messages)
        return true
    }

    /// Changes a message where it is.
    ///
    /// - Returns: the message as it is now; nil if there is none or `change` refused.
    mutating func update(_ id: MessageID, _ change: (inout Message) -> Bool) -> Message? {
        guard let slot = slotByID[id], change(&slots[slot]) else { return nil }
        return slots[slot]
    }

    /// Takes a message out; the others keep their order.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    package mutating func delete(_ id: MessageID) -> Bool {
        guard contains(id: id) else { return false }
        refill(with: filter { $0.id != id })
        return true
    }

    private mutating func refill(with messages: [Message]) {
        slots = messages
        oldest = 0
        slotByID.removeAll(keepingCapacity: true)
        for (slot, message) in messages.enumerated() { slotByID[message.id] = slot }
    }
}

extension Message {
    /// By signed time; by id where two authors signed in the same millisecond, so that every node agrees.
    fileprivate func isSigned(before other: Message) -> Bool {
        (sentAt.milliseconds, id.words.0, id.words.1)
            < (other.sentAt.milliseconds, other.id.words.0, other.id.words.1)
    }
}
