/// Slots of a fixed table in some order. Small numbers, so that the others move up in one short copy.
struct SlotOrder: Sendable {
    private var slots: [UInt16] = []

    var count: Int { slots.count }

    var first: Int? { slots.first.map(Int.init) }

    subscript(position: Int) -> Int { Int(slots[position]) }

    /// Where the first slot stands that `isMeant`; the end if there is none.
    func position(where isMeant: (Int) -> Bool) -> Int {
        slots.firstIndex { isMeant(Int($0)) } ?? slots.count
    }

    mutating func insert(_ slot: Int, at position: Int) {
        // Nearly all go to the end, where nothing moves.
        if position == slots.count { slots.append(UInt16(slot)) } else { slots.insert(UInt16(slot), at: position) }
    }

    /// Takes a slot out; nothing happens if it is not there.
    mutating func remove(_ slot: Int) {
        if let position = slots.firstIndex(of: UInt16(slot)) { slots.remove(at: position) }
    }

    /// Puts another slot in the place of one; nothing happens if that is not there.
    mutating func replace(_ slot: Int, by other: Int) {
        if let position = slots.firstIndex(of: UInt16(slot)) { slots[position] = UInt16(other) }
    }
}
