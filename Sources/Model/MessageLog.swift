package import Chat
package import Wire

/// The latest messages of a conversation, in the order of the node (`MessageRing`), and which of them are unread.
///
/// A message stays in its slot, and the order holds slot numbers, so that no message is moved. At most 100 entries are searched
/// one after the other, which takes less than a hash.
package struct MessageLog: Sendable {
    /// The result of an insertion.
    package enum Placement: Hashable, Sendable {
        case duplicate
        /// The log is full of later messages: not kept.
        case tooOld
        /// Kept at a position; the message with the id `evicted` made room.
        case kept(at: Int, evicted: MessageID?)
    }

    package static let capacity = Limits.messagesPerConversation

    private struct Slot {
        var message: MessageView
        /// Whether it is unread and its text names the user.
        var isMention: Bool

        init(_ message: MessageView) {
            self.message = message
            // That of its time: the conversation has the present one.
            self.message.unread = 0
            isMention = message.isUnread && message.isMention
        }
    }

    private var slots: [Slot] = []
    /// The ids of the slots, side by side for the search.
    private var ids: [MessageID] = []
    /// The slots in the order in which they are shown.
    private var order: [UInt8] = []
    /// Unread messages that are kept.
    package private(set) var unread = 0
    /// How many of these name the user.
    package private(set) var mentions = 0

    package init() {}

    /// - Parameter messages: the stored messages of a node, in its order; at most 100.
    package init(_ messages: [MessageView]) {
        for message in messages.suffix(MessageLog.capacity) { enter(message, at: order.count) }
    }

    package var count: Int { order.count }
    package var isEmpty: Bool { order.isEmpty }

    /// The message at a position: 0 is shown first.
    package subscript(position: Int) -> MessageView { slots[Int(order[position])].message }

    package subscript(id: MessageID) -> MessageView? { slot(of: id).map { slots[$0].message } }

    package var last: MessageView? { order.last.map { slots[Int($0)].message } }

    /// All messages, the one that is shown first in front.
    package var messages: [MessageView] { order.map { slots[Int($0)].message } }

    package func position(of id: MessageID) -> Int? { slot(of: id).flatMap(position) }

    /// The message that is shown behind another one; nil for the last one, and for one that is not kept.
    package func next(behind id: MessageID) -> MessageView? {
        guard let position = position(of: id), position + 1 < count else { return nil }
        return self[position + 1]
    }

    /// Inserts a message where the node has it: history from before it came by the signed order, a missed one by its place, a
    /// live one last.
    mutating func insert(_ message: MessageView) -> Placement {
        guard slot(of: message.id) == nil else { return .duplicate }
        var evicted: MessageID?
        if slots.count == MessageLog.capacity {
            guard let lowest = lowest, slots[lowest].message.place < message.place else { return .tooOld }
            evicted = ids[lowest]
            remove(slot: lowest)
        }
        let position = position(for: message)
        enter(message, at: position)
        return .kept(at: position, evicted: evicted)
    }

    /// Changes a message in place.
    ///
    /// - Returns: its position; nil if there is none.
    mutating func update(_ id: MessageID, _ change: (inout MessageView) -> Void) -> Int? {
        guard let slot = slot(of: id) else { return nil }
        update(slot: slot, change)
        return position(of: slot)
    }

    /// Removes a message; the others keep their order.
    ///
    /// - Returns: the message, and the position that it had; nil if there is none.
    mutating func remove(_ id: MessageID) -> (message: MessageView, position: Int)? {
        guard let slot = slot(of: id), let position = position(of: slot) else { return nil }
        let message = slots[slot].message
        remove(slot: slot)
        return (message, position)
    }

    package func contains(where matches: (MessageView) -> Bool) -> Bool { slots.contains { matches($0.message) } }

    /// Changes every message in place.
    mutating func updateAll(_ change: (inout MessageView) -> Void) {
        for slot in slots.indices { update(slot: slot, change) }
    }

    /// Counts no message as unread any more.
    mutating func readAll() {
        guard unread > 0 else { return }
        for slot in slots.indices { (slots[slot].message.isUnread, slots[slot].isMention) = (false, false) }
        (unread, mentions) = (0, 0)
    }

    private func slot(of id: MessageID) -> Int? { ids.firstIndex(of: id) }

    private func position(of slot: Int) -> Int? { order.firstIndex(of: UInt8(slot)) }

    /// The slot of the message with the lowest place; nil if there is none.
    private var lowest: Int? {
        slots.indices.min { left, right in
            let (one, other) = (slots[left].message.placeTime, slots[right].message.placeTime)
            return one == other ? slots[left].message.place < slots[right].message.place : one < other
        }
    }

    private mutating func update(slot: Int, _ change: (inout MessageView) -> Void) {
        count(slot, by: -1)
        change(&slots[slot].message)
        slots[slot].isMention = slots[slot].message.isUnread && slots[slot].message.isMention
        count(slot, by: 1)
    }

    private mutating func enter(_ message: MessageView, at position: Int) {
        slots.append(Slot(message))
        ids.append(message.id)
        order.insert(UInt8(slots.count - 1), at: position)
        count(slots.count - 1, by: 1)
    }

    /// Removes the message of a slot, which the last slot takes.
    private mutating func remove(slot: Int) {
        count(slot, by: -1)
        if let position = position(of: slot) { order.remove(at: position) }
        let last = slots.count - 1
        if slot != last {
            slots.swapAt(slot, last)
            ids.swapAt(slot, last)
            if let position = position(of: last) { order[position] = UInt8(slot) }
        }
        slots.removeLast()
        ids.removeLast()
    }

    private mutating func count(_ slot: Int, by step: Int) {
        guard slots[slot].message.isUnread else { return }
        unread += step
        if slots[slot].isMention { mentions += step }
    }

    private func position(for message: MessageView) -> Int {
        guard message.isHistory else { return order.count }
        guard message.isFromBefore else { return positionOfMissed(message) }
        let place = message.place.signed
        return order.firstIndex { slot in
            let other = slots[Int(slot)].message
            return !other.isFromBefore || place < other.place.signed
        } ?? order.count
    }

    /// Behind the last message that has a lower place, and behind all from before the node came.
    private func positionOfMissed(_ message: MessageView) -> Int {
        var position = order.count
        while position > 0 {
            let other = slots[Int(order[position - 1])].message
            if other.isFromBefore || !(message.place < other.place) { break }
            position -= 1
        }
        return position
    }
}
