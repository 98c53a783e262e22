package import Wire

/// The latest messages of a conversation by their places, in the order in which they are shown, each found by its id at
/// once (Protocol.md section 7).
///
/// History is shown first, in the order that its authors signed, then what was heard live, as it came. Which message
/// makes room in a full ring depends on the places alone, so that rings agree whatever the order in which they were filled.
package struct MessageRing: Sendable, RandomAccessCollection {
    /// What became of a message.
    package enum Placement: Hashable, Sendable {
        case duplicate
        /// The ring is full of later ones: not kept.
        case tooOld
        /// Kept; `evicted` made room.
        case kept(evicted: Evicted?)
    }

    /// What has to be known of a message that the ring let go.
    package struct Evicted: Hashable, Sendable {
        package let id: MessageID
        /// The time of its place.
        package let time: Timestamp
    }

    package let capacity: Int
    /// A message stays in its slot; the two orders below name slots, so that reordering moves nothing else.
    private var slots: [Message] = []
    /// The times of their places, by which nearly all can be told apart.
    private var times: [Timestamp] = []
    private var shown = SlotOrder()
    /// The lowest place first.
    private var ranked = SlotOrder()
    private var index: SlotIndex

    /// - Parameter capacity: at least 1.
    package init(capacity: Int = Limits.messagesPerConversation) {
        precondition(capacity > 0, "a ring for \(capacity) messages")
        self.capacity = capacity
        index = SlotIndex(slots: capacity)
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { shown.count }
    package var isFull: Bool { slots.count == capacity }

    /// The message at a position: 0 is shown first.
    package subscript(position: Int) -> Message { slots[shown[position]] }

    package subscript(id id: MessageID) -> Message? { slot(of: id).map { slots[$0] } }

    package func contains(id: MessageID) -> Bool { slot(of: id) != nil }

    /// One whose id begins so: as good as its id among those that the ring holds, unless somebody made two alike.
    subscript(prefix prefix: UInt64) -> Message? { index.slot(of: prefix).map { slots[$0] } }

    func contains(prefix: UInt64) -> Bool { index.slot(of: prefix) != nil }

    private func slot(of id: MessageID) -> Int? { index.slot(of: id.prefix) { slots[$0].id == id } }

    /// The place of the message that makes room next.
    package var lowest: SortKey? { ranked.first.map { slots[$0].place } }

    /// The ids of all messages, the lowest place first.
    var idsByPlace: [MessageID] { (0..<ranked.count).map { slots[ranked[$0]].id } }

    /// Puts a message in: one from the past among the others from the past, one heard live last.
    package mutating func insert(_ message: Message) -> Placement {
        guard !contains(id: message.id) else { return .duplicate }
        guard isFull else {
            slots.append(message)
            times.append(message.placeTime)
            enter(slots.count - 1)
            return .kept(evicted: nil)
        }
        let slot = ranked[0]
        let time = message.placeTime
        guard times[slot] < time || slots[slot].place < message.place else { return .tooOld }
        let evicted = Evicted(id: slots[slot].id, time: times[slot])
        leave(slot)
        slots[slot] = message
        times[slot] = time
        enter(slot)
        return .kept(evicted: evicted)
    }

    /// Changes a message where it is.
    ///
    /// - Returns: the message as it is now; nil if there is none or `change` refused.
    mutating func update(_ id: MessageID, _ change: (inout Message) -> Bool) -> Message? {
        guard let slot = slot(of: id), change(&slots[slot]) else { return nil }
        return slots[slot]
    }

    /// Takes a message out; the others keep their order.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    package mutating func delete(_ id: MessageID) -> Bool {
        guard let slot = slot(of: id) else { return false }
        leave(slot)
        let last = slots.count - 1
        if slot != last { move(last, to: slot) }
        slots.removeLast()
        times.removeLast()
        return true
    }

    /// Gives the message in a slot its position and its rank.
    private mutating func enter(_ slot: Int) {
        index.insert(slot, key: slots[slot].id.prefix)
        shown.insert(slot, at: position(for: slot))
        ranked.insert(slot, at: rank(for: slot))
    }

    /// Takes the message in a slot out of all but the slot.
    private mutating func leave(_ slot: Int) {
        index.remove(slot)
        // The message that makes room is nearly always first in both.
        shown.remove(slot)
        ranked.remove(slot)
    }

    private mutating func move(_ slot: Int, to free: Int) {
        index.remove(slot)
        slots[free] = slots[slot]
        times[free] = times[slot]
        index.insert(free, key: slots[free].id.prefix)
        shown.replace(slot, by: free)
        ranked.replace(slot, by: free)
    }

    private func position(for slot: Int) -> Int {
        guard slots[slot].isHistory else { return shown.count }
        let order = slots[slot].signedOrder
        return shown.position { !slots[$0].isHistory || order < slots[$0].signedOrder }
    }

    private func isLower(_ slot: Int, than other: Int) -> Bool {
        times[slot] == times[other] ? slots[slot].signedOrder < slots[other].signedOrder : times[slot] < times[other]
    }

    /// From the end, where nearly all of them belong.
    private func rank(for slot: Int) -> Int {
        var rank = ranked.count
        while rank > 0, isLower(slot, than: ranked[rank - 1]) { rank -= 1 }
        return rank
    }
}
