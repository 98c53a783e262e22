/// Finds which of a fixed number of slots has a key, where keys are the first bytes of digests.
///
/// Open addressing by the lowest bits, in a table that never grows. Whoever makes up keys that begin alike makes a search
/// as long as the slots are many, and no longer.
struct SlotIndex: Sendable {
    /// The slot at each place, and one more; 0 is a free place.
    private var places: [UInt16]
    /// The key of each slot, as long as it is in the table.
    private var keys: [UInt64]
    private let mask: Int

    /// - Parameter slots: how many there are, at most 32,767.
    init(slots: Int) {
        precondition((1...Int(Int16.max)).contains(slots), "an index of \(slots) slots")
        var size = 4
        while size < 2 * slots { size *= 2 }
        mask = size - 1
        places = [UInt16](repeating: 0, count: size)
        keys = [UInt64](repeating: 0, count: slots)
    }

    /// The slot of a key; of several with the same key, one that `isMeant`.
    func slot(of key: UInt64, where isMeant: (Int) -> Bool = { _ in true }) -> Int? {
        var place = home(key)
        while places[place] != 0 {
            let slot = Int(places[place]) - 1
            if keys[slot] == key, isMeant(slot) { return slot }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Puts a slot in that is not there.
    mutating func insert(_ slot: Int, key: UInt64) {
        var place = home(key)
        while places[place] != 0 { place = (place + 1) & mask }
        places[place] = UInt16(slot + 1)
        keys[slot] = key
    }

    /// Takes a slot out; nothing happens if it is not there.
    mutating func remove(_ slot: Int) {
        var free = home(keys[slot])
        while places[free] != UInt16(slot + 1) {
            guard places[free] != 0 else { return }
            free = (free + 1) & mask
        }
        // Whoever stands further on because this place was taken moves up.
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
