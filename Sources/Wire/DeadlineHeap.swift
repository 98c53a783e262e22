/// The places of what waits for its time, earliest first; equal deadlines in the order in which they came.
///
/// An entry is three words without a reference, so that to bring them into order moves nothing else.
@usableFromInline package struct DeadlineHeap: Sendable {
    struct Entry: Sendable {
        let deadline: Instant
        let order: UInt64
        let place: Int

        func isBefore(_ other: Entry) -> Bool {
            deadline == other.deadline ? order < other.order : deadline < other.deadline
        }
    }

    /// A binary heap: each entry is before its two children, at `2i + 1` and `2i + 2`.
    private(set) var entries: [Entry] = []
    private var nextOrder: UInt64 = 0

    @usableFromInline init() {}

    @usableFromInline var count: Int { entries.count }

    /// The earliest deadline.
    @usableFromInline var nextDeadline: Instant? { entries.isEmpty ? nil : entries[0].deadline }

    /// Adds what waits at `place` until `deadline`, which may have passed.
    @usableFromInline mutating func insert(_ place: Int, at deadline: Instant) {
        let entry = Entry(deadline: deadline, order: nextOrder, place: place)
        nextOrder += 1
        entries.append(entry)
        siftUp(entry, from: entries.count - 1)
    }

    /// Takes out the first of what is due at `now`; nil where nothing is.
    @usableFromInline mutating func removeFirst(dueAt now: Instant) -> Int? {
        guard let next = nextDeadline, next <= now else { return nil }
        let place = entries[0].place
        let last = entries.removeLast()
        if !entries.isEmpty { siftDown(last) }
        return place
    }

    /// Finds the place of an entry, the others moving down, on its way up from `start`.
    private mutating func siftUp(_ entry: Entry, from start: Int) {
        var hole = start
        while hole > 0 {
            let parent = (hole - 1) / 2
            guard entry.isBefore(entries[parent]) else { break }
            entries[hole] = entries[parent]
            hole = parent
        }
        entries[hole] = entry
    }

    /// Moves an entry down from the first place, which is free.
    private mutating func siftDown(_ entry: Entry) {
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard entries[child].isBefore(entry) else { break }
            entries[hole] = entries[child]
            hole = child
        }
        entries[hole] = entry
    }
}
