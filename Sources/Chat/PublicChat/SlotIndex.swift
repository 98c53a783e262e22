/// Finds the slot with a key, where keys are the first bytes of digests.
///
/// A hand-made hash table because every public message is looked up, inserted and evicted here: open addressing by the
/// lowest bits, without hashing and without growth. Chosen keys that collide make a search as long as there are slots,
/// and no longer.
struct SlotIndex: Sendable {
    /// The slot at each place, plus one; 0 is a free place.
    private var places: [UInt16]
    /// The key of each slot, while it is in the table.
    private var keys: [UInt64]
    private let mask: Int

    /// - Parameter slots: the number of slots, at most 32,767.
    init(slots: Int) {
        precondition((1...Int(Int16.max)).contains(slots), "an index of \(slots) slots")
        var size = 4
        while size < 2 * slots { size *= 2 }
        mask = size - 1
        places = [UInt16](repeating: 0, count: size)
        keys = [UInt64](repeating: 0, count: slots)
    }

    /// The slot with a key; of several, the first that `matches`.
    func slot(of key: UInt64, where matches: (Int) -> Bool = { _ in true }) -> Int? {
        var place = home(key)
        while places[place] != 0 {
            let slot = Int(places[place]) - 1
            if keys[slot] == key, matches(slot) { return slot }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Inserts a slot that is not in the table.
    mutating func insert(_ slot: Int, key: UInt64) {
        var place = home(key)
        while places[place] != 0 { place = (place + 1) & mask }
        places[place] = UInt16(slot + 1)
        keys[slot] = key
    }

    /// Removes a slot; nothing happens if it is not there.
    mutating func remove(_ slot: Int) {
        var free = home(keys[slot])
        while places[free] != UInt16(slot + 1) {
            guard places[free] != 0 else { return }
            free = (free + 1) & mask
        }
        // Slots that were displaced by this place move up.
        var next = (free + 1) & mask
        while places[next] != 0 {
            let wanted = home(keys[Int(places[next]) - 1])
            if (next - wanted) & mask >= (next - free) & mask {
                places[free] = places[next]
                free = next
            }
            next = (next + 1) & mask
        }
        places[free] = 0
    }

    private func home(_ key: UInt64) -> Int { Int(truncatingIfNeeded: key) & mask }
}
