/// Slots of a fixed table in some order.
///
/// An array of 16-bit numbers because every public message moves the others up: in one copy of 200 bytes.
struct SlotOrder: Sendable {
    private var slots: [UInt16] = []

    var count: Int { slots.count }

    var first: Int? { slots.first.map(Int.init) }

    subscript(position: Int) -> Int { Int(slots[position]) }

    /// The position of the first slot that `matches`; the end if there is none.
    func position(where matches: (Int) -> Bool) -> Int {
        slots.firstIndex { matches(Int($0)) } ?? slots.count
    }

    mutating func insert(_ slot: Int, at position: Int) {
        // Nearly all go to the end, where nothing moves.
        if position == slots.count { slots.append(UInt16(slot)) } else { slots.insert(UInt16(slot), at: position) }
    }

    /// Removes a slot; nothing happens if it is not there.
    mutating func remove(_ slot: Int) {
        if let position = slots.firstIndex(of: UInt16(slot)) { slots.remove(at: position) }
    }

    /// Replaces a slot by another; nothing happens if it is not there.
    mutating func replace(_ slot: Int, by other: Int) {
        if let position = slots.firstIndex(of: UInt16(slot)) { slots[position] = UInt16(other) }
    }
}
