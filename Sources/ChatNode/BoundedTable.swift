/// A dictionary that never holds more than `capacity` entries: the one that was set longest ago makes room.
package struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        let age: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var order: [(key: Key, age: UInt64)] = []
    private var oldest = 0
    private var clock: UInt64 = 0
    private let capacity: Int

    package init(capacity: Int) {
        precondition(capacity > 0, "a table for \(capacity) entries")
        self.capacity = capacity
    }

    package var count: Int { entries.count }

    package var values: some Sequence<Value> { entries.values.lazy.map(\.value) }

    /// Setting makes an entry the youngest; setting nil removes it.
    package subscript(key: Key) -> Value? {
        get { entries[key]?.value }
        set {
            guard let newValue else {
                entries[key] = nil
                return
            }
            clock += 1
            entries[key] = Entry(value: newValue, age: clock)
            order.append((key, clock))
            evict()
        }
    }

    private mutating func evict() {
        while entries.count > capacity, oldest < order.count {
            let candidate = order[oldest]
            oldest += 1
            if entries[candidate.key]?.age == candidate.age { entries[candidate.key] = nil }
        }
        compact()
    }

    /// Drops the places of entries that were set again or removed, once they are the larger part.
    private mutating func compact() {
        guard order.count - oldest > 2 * capacity + 16 || oldest > capacity else { return }
        order = order[oldest...].filter { entries[$0.key]?.age == $0.age }
        oldest = 0
    }
}
