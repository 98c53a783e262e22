/// A dictionary whose entries lie side by side, for tables of large values that there is one of for each peer.
///
/// Swift's own keeps room for a whole entry in each of its places, of which up to five of eight are free: with 199 links they took
/// half of all memory. Here a free place is four bytes, and what grows, grows by a quarter. Taking an entry out moves the
/// last one to its place; an empty table keeps no room. The order of the entries does not depend on the process, as a
/// `Dictionary`'s does: equal seeds give equal simulations.
///
/// Measured with keys of 32 bytes and values of 256: 200 entries take 69 kB, in a `Dictionary` 148 kB, in which a search takes 1.25
/// times as long and a walk twice (medians of the ratios of 15 interleaved runs, `swiftc -O`).
///
/// Inlinable, so that each module that keeps one has code for what it keeps instead of code for anything. For that the type
/// has to be usable from inline too, or the members' `@inlinable` is of no effect.
@usableFromInline package struct PackedTable<Key: Hashable, Value> {
    /// As many as are compared faster than a hash is made.
    @usableFromInline static var mostWithoutIndex: Int { 8 }

    @usableFromInline package private(set) var keys: [Key] = []
    /// Beside their keys. They may be changed where they are, but none is added or taken out here.
    @usableFromInline package var values: [Value] = []
    /// For each hash the number of an entry, counted from 1, or where that place is taken, in one behind it; 0 where there is
    /// none. Empty for a few. At least a quarter is free.
    @usableFromInline var places: [UInt32] = []
    /// Odd and of this run alone; 0 as long as there is no index.
    @usableFromInline var multiplier: UInt64 = 0

    @inlinable package init() {}

    @inlinable package subscript(key: Key) -> Value? {
        get { index(forKey: key).map { values[$0] } }
        set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) }
        }
    }

    @inlinable package func index(forKey key: Key) -> Int? {
        if places.isEmpty { return keys.firstIndex(of: key) }
        var place = firstPlace(of: key)
        while places[place] != 0 {
            let index = Int(places[place]) - 1
            if keys[index] == key { return index }
            place = following(place)
        }
        return nil
    }

    /// Finds a key, at `guess` first: a caller that looks up one key again and again knows its last index.
    @inlinable package func index(forKey key: Key, first guess: Int) -> Int? {
        if guess < keys.count, keys[guess] == key { return guess }
        return index(forKey: key)
    }

    /// Returns what was there, and is replaced.
    @discardableResult
    @inlinable package mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        if let index = index(forKey: key) {
            let old = values[index]
            values[index] = value
            return old
        }
        if keys.count == keys.capacity {
            let room = keys.count + keys.count / 4 + 1
            keys.reserveCapacity(room)
            values.reserveCapacity(room)
        }
        keys.append(key)
        values.append(value)
        if keys.count * 4 > places.count * 3 { makeIndex() } else { enter(keys.count - 1) }
        return nil
    }

    @discardableResult
    @inlinable package mutating func removeValue(forKey key: Key) -> Value? {
        guard let index = index(forKey: key) else { return nil }
        let value = values[index]
        guard keys.count > 1 else {
            self = PackedTable()
            return value
        }
        let last = keys.count - 1
        if !places.isEmpty {
            leave(place(of: index))
            if index != last { places[place(of: last)] = UInt32(index + 1) }
        }
        let (lastKey, lastValue) = (keys.removeLast(), values.removeLast())
        if index != last { (keys[index], values[index]) = (lastKey, lastValue) }
        return value
    }

    @inlinable package mutating func removeAll(keepingCapacity: Bool) {
        guard keepingCapacity else {
            self = PackedTable()
            return
        }
        keys.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        for place in places.indices { places[place] = 0 }
    }
}

/// The index: open addressing with linear probing.
extension PackedTable {
    /// Numbers are multiplied, and the highest bits taken: a tenth of what hashing costs. Without the multiplier a
    /// peer can not choose numbers that come to lie together.
    @inlinable func firstPlace(of key: Key) -> Int {
        guard let number = key as? UInt64 else { return key.hashValue & (places.count - 1) }
        return Int(truncatingIfNeeded: (number &* multiplier) >> (places.count.leadingZeroBitCount + 1))
    }

    @inlinable func following(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

    /// Where an entry is entered.
    @inlinable func place(of index: Int) -> Int {
        var place = firstPlace(of: keys[index])
        while places[place] != UInt32(index + 1) { place = following(place) }
        return place
    }

    @inlinable mutating func enter(_ index: Int) {
        guard !places.isEmpty else { return }
        var place = firstPlace(of: keys[index])
        while places[place] != 0 { place = following(place) }
        places[place] = UInt32(index + 1)
    }

    /// Frees a place, into which the next moves that could not have it, and so on.
    @inlinable mutating func leave(_ place: Int) {
        var (free, next) = (place, following(place))
        while places[next] != 0 {
            let wanted = firstPlace(of: keys[Int(places[next]) - 1])
            let mask = places.count - 1
            if (next - wanted) & mask >= (next - free) & mask {
                places[free] = places[next]
                free = next
            }
            next = following(next)
        }
        places[free] = 0
    }

    /// Twice as large a one as before, once there is to be any.
    @inlinable mutating func makeIndex() {
        guard keys.count > PackedTable.mostWithoutIndex else { return }
        places = [UInt32](repeating: 0, count: places.isEmpty ? 16 : 2 * places.count)
        multiplier = UInt64(truncatingIfNeeded: places.count.hashValue) | 1
        for index in keys.indices { enter(index) }
    }
}

extension PackedTable: Sendable where Key: Sendable, Value: Sendable {}

/// The entries in the order in which they came, as long as none was taken out.
extension PackedTable: RandomAccessCollection {
    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { keys.count }

    @inlinable package subscript(index: Int) -> (key: Key, value: Value) { (keys[index], values[index]) }
}

/// Reflection sees a dictionary, so that a census of tables counts its entries.
extension PackedTable: CustomReflectable {
    @usableFromInline package var customMirror: Mirror {
        Mirror(self, unlabeledChildren: zip(keys, values).map { (key: $0, value: $1) }, displayStyle: .dictionary)
    }
}
