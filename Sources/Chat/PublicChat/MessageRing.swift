package import Wire

/// The latest messages of a conversation by their places, in the order in which they are shown (Protocol.md section 7).
///
/// A message is found by a search through the first bytes of all ids: at one search for each message that comes, that takes as long as
/// a hash table of our own did (0.92 to 0.98 of it), and half as long as a `Dictionary` (medians of 15 interleaved runs of each over
/// 100,000 messages, `swiftc -O`). A long list of ids is looked up in a set (`absent`).
///
/// History from before the node came is shown first, in the signed order, then live messages in the order of arrival; a
/// missed message is shown among these by its place. Eviction depends on the places alone, so that rings agree whatever
/// the order in which they were filled.
package struct MessageRing: Sendable, RandomAccessCollection {
    /// The result of an insertion.
    package enum Placement: Hashable, Sendable {
        case duplicate
        /// The ring is full of later messages: not kept.
        case tooOld
        /// Kept; `evicted` made room.
        case kept(evicted: Evicted?)
    }

    /// An evicted message.
    package struct Evicted: Hashable, Sendable {
        package let id: MessageID
        package let author: PeerID
        /// The time of its place.
        package let time: Timestamp
    }

    /// A set of 100 ids costs as much as 25 searches (1.6 µs, `swiftc -Osize`), and its look-ups are four times as fast.
    private static let searches = 25

    package let capacity: Int
    /// A message stays in its slot; the two orders below hold slot numbers, so that reordering moves no message.
    private var slots: [Message] = []
    /// The first 8 bytes of the messages' ids.
    private var prefixes: [UInt64] = []
    /// The times of the messages' places, which order nearly all of them without a look at the messages.
    private var times: [Timestamp] = []
    private var shown: [Int] = []
    /// From the lowest place on.
    private var ranked: [Int] = []

    /// - Parameter capacity: at least 1.
    package init(capacity: Int = Limits.messagesPerConversation) {
        precondition(capacity > 0, "a ring for \(capacity) messages")
        self.capacity = capacity
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { shown.count }
    package var isFull: Bool { slots.count == capacity }

    /// The message at a position: 0 is shown first.
    package subscript(position: Int) -> Message { slots[shown[position]] }

    package subscript(id id: MessageID) -> Message? { slot(of: id).map { slots[$0] } }

    package func contains(id: MessageID) -> Bool { slot(of: id) != nil }

    /// The message with these first 8 bytes of its id. Only an author could make two messages with the same ones.
    subscript(prefix prefix: UInt64) -> Message? { prefixes.firstIndex(of: prefix).map { slots[$0] } }

    func contains(prefix: UInt64) -> Bool { prefixes.contains(prefix) }

    /// The ids of a list, each the first 8 bytes of one, that no message here has, in their order.
    func absent(of ids: [UInt64]) -> [UInt64] {
        guard ids.count > MessageRing.searches else { return ids.filter { !contains(prefix: $0) } }
        let held = Set(prefixes)
        return ids.filter { !held.contains($0) }
    }

    private func slot(of id: MessageID) -> Int? {
        // Without a way out of the loop, several are compared in one step; most messages that come are new.
        var found = 0
        for prefix in prefixes { found &+= prefix == id.prefix ? 1 : 0 }
        guard found > 0, let first = prefixes.firstIndex(of: id.prefix) else { return nil }
        return (first..<slots.count).first { slots[$0].id == id }
    }

    /// The place of the next message to be evicted; nil if the ring is empty.
    package var lowest: SortKey? { ranked.first.map { slots[$0].place } }

    /// The ids of all messages, from the lowest place on.
    var idsByPlace: [MessageID] { ranked.map { slots[$0].id } }

    /// Inserts a message: history in the signed order, a missed message by its place, a live message last.
    package mutating func insert(_ message: Message) -> Placement {
        guard !contains(id: message.id) else { return .duplicate }
        guard isFull else {
            slots.append(message)
            prefixes.append(message.id.prefix)
            times.append(message.placeTime)
            enter(slots.count - 1)
            return .kept(evicted: nil)
        }
        let slot = ranked[0]
        let time = message.placeTime
        guard times[slot] < time || slots[slot].place < message.place else { return .tooOld }
        let evicted = Evicted(id: slots[slot].id, author: slots[slot].author, time: times[slot])
        leave(slot)
        slots[slot] = message
        prefixes[slot] = message.id.prefix
        times[slot] = time
        enter(slot)
        return .kept(evicted: evicted)
    }

    /// Changes a message in place.
    ///
    /// - Returns: the changed message; nil if there is none or `change` refused.
    mutating func update(_ id: MessageID, _ change: (inout Message) -> Bool) -> Message? {
        guard let slot = slot(of: id), change(&slots[slot]) else { return nil }
        return slots[slot]
    }

    /// Deletes a message; the others keep their order.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    package mutating func delete(_ id: MessageID) -> Bool {
        guard let slot = slot(of: id) else { return false }
        leave(slot)
        let last = slots.count - 1
        if slot != last { move(last, to: slot) }
        slots.removeLast()
        prefixes.removeLast()
        times.removeLast()
        return true
    }

    /// Enters the message of a slot into the orders.
    private mutating func enter(_ slot: Int) {
        shown.insert(slot, at: position(for: slot))
        ranked.insert(slot, at: rank(for: slot))
    }

    /// Removes the message of a slot from the orders. An evicted message is nearly always the first of both.
    private mutating func leave(_ slot: Int) {
        if let position = shown.firstIndex(of: slot) { shown.remove(at: position) }
        if let rank = ranked.firstIndex(of: slot) { ranked.remove(at: rank) }
    }

    private mutating func move(_ slot: Int, to free: Int) {
        slots[free] = slots[slot]
        prefixes[free] = prefixes[slot]
        times[free] = times[slot]
        if let position = shown.firstIndex(of: slot) { shown[position] = free }
        if let rank = ranked.firstIndex(of: slot) { ranked[rank] = free }
    }

    private func position(for slot: Int) -> Int {
        guard slots[slot].isHistory else { return shown.count }
        guard slots[slot].isFromBefore else { return positionOfMissed(slot) }
        let order = slots[slot].signedOrder
        return shown.firstIndex { !slots[$0].isFromBefore || order < slots[$0].signedOrder } ?? shown.count
    }

    /// Behind the last message that has a lower place. Searched from the end, because live messages are in the order of
    /// arrival.
    private func positionOfMissed(_ slot: Int) -> Int {
        var position = shown.count
        while position > 0, !slots[shown[position - 1]].isFromBefore, isLower(slot, than: shown[position - 1]) {
            position -= 1
        }
        return position
    }

    private func isLower(_ slot: Int, than other: Int) -> Bool {
        times[slot] == times[other] ? slots[slot].signedOrder < slots[other].signedOrder : times[slot] < times[other]
    }

    /// Searched from the end, where nearly all messages belong.
    private func rank(for slot: Int) -> Int {
        var rank = ranked.count
        while rank > 0, isLower(slot, than: ranked[rank - 1]) { rank -= 1 }
        return rank
    }
}

extension Limits {
    /// Messages that a conversation keeps; the oldest goes. More give newcomers more to read, and cost each node memory
    /// and each offer ids; with fewer, a message can be gone before a peer that missed it asks for it.
    package static let messagesPerConversation = 100
}
