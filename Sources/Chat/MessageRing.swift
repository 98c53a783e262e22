package import Wire

/// The latest messages of a conversation by their places, in the order in which they are shown, each found by its id at
/// once (Protocol.md section 7).
///
/// Shown first is what came as history, by place, then what was heard live, as it came. Which message makes room in a full
/// ring hangs on the places alone, so that rings agree whatever the order in which they were filled.
package struct MessageRing: Sendable, RandomAccessCollection {
    /// What became of a message.
    package enum Placement: Hashable, Sendable {
        case duplicate
        /// The ring is full of later ones: not kept.
        case tooOld
        /// Kept; `fallen` made room.
        case kept(fallen: Message?)
    }

    package let capacity: Int
    private var slots: [Message] = []
    /// Of the messages in `slots`; a scan of these touches nothing else.
    private var places: [MessagePlace] = []
    /// The slot of the message that is shown first. It is 0 until the ring is full, so that one with room never wraps.
    private var oldest = 0
    private var slotByID: [MessageID: Int] = [:]

    /// - Parameter capacity: at least 1.
    package init(capacity: Int = Limits.messagesPerConversation) {
        precondition(capacity > 0, "a ring for \(capacity) messages")
        self.capacity = capacity
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { slots.count }
    package var isFull: Bool { slots.count == capacity }

    /// The message at a position: 0 is shown first.
    package subscript(position: Int) -> Message { slots[(oldest + position) % slots.count] }

    package subscript(id id: MessageID) -> Message? { slotByID[id].map { slots[$0] } }

    package func contains(id: MessageID) -> Bool { slotByID[id] != nil }

    /// The place of the message that makes room next.
    package var lowest: MessagePlace? { places.min() }

    /// Puts a message in: one from the past among the others from the past, one heard live last.
    ///
    /// A scan of the ring; where the message that is shown first makes room, nothing else moves.
    package mutating func insert(_ message: Message) -> Placement {
        guard !contains(id: message.id) else { return .duplicate }
        guard isFull else {
            add(message)
            return .kept(fallen: nil)
        }
        guard let slot = lowestSlot, places[slot] < message.place else { return .tooOld }
        let fallen = slots[slot]
        if slot == oldest && !message.isHistory {
            replaceFirst(with: message)
        } else {
            delete(fallen.id)
            add(message)
        }
        return .kept(fallen: fallen)
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

    /// Adds to a ring that has room.
    private mutating func add(_ message: Message) {
        guard message.isHistory else {
            slotByID[message.id] = slots.count
            slots.append(message)
            places.append(message.place)
            return
        }
        let place = message.place
        var messages = Array(self)
        messages.insert(message, at: messages.firstIndex { !$0.isHistory || place < $0.place } ?? count)
        refill(with: messages)
    }

    private mutating func replaceFirst(with message: Message) {
        slotByID[slots[oldest].id] = nil
        slotByID[message.id] = oldest
        slots[oldest] = message
        places[oldest] = message.place
        oldest = (oldest + 1) % capacity
    }

    private var lowestSlot: Int? { places.indices.min { places[$0] < places[$1] } }

    private mutating func refill(with messages: [Message]) {
        slots = messages
        places = messages.map(\.place)
        oldest = 0
        slotByID.removeAll(keepingCapacity: true)
        for (slot, message) in messages.enumerated() { slotByID[message.id] = slot }
    }
}
