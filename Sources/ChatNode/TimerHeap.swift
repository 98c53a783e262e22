package import Wire

/// What waits for its time, earliest first; equal deadlines in the order in which they came.
package struct TimerHeap<Element> {
    fileprivate struct Entry {
        let deadline: Instant
        let order: UInt64
        let element: Element

        func isBefore(_ other: Entry) -> Bool {
            (deadline, order) < (other.deadline, other.order)
        }
    }

    /// A binary heap: each entry is before its two children, at `2i + 1` and `2i + 2`.
    private var entries: [Entry] = []
    private var nextOrder: UInt64 = 0

    package init() {}

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    /// The earliest deadline.
    package var nextDeadline: Instant? { entries.first?.deadline }

    /// Adds `element`, due at `deadline`, which may have passed.
    package mutating func insert(_ element: Element, at deadline: Instant) {
        entries.append(Entry(deadline: deadline, order: nextOrder, element: element))
        nextOrder += 1
        siftUp(from: entries.count - 1)
    }

    /// Takes out all that is due at `now`, in order.
    package mutating func removeDue(at now: Instant) -> [Element] {
        guard let first = entries.first, first.deadline <= now else { return [] }
        var due: [Element] = []
        while let first = entries.first, first.deadline <= now {
            due.append(first.element)
            removeFirst()
        }
        return due
    }

    private mutating func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var earliest = parent
            for child in (2 * parent + 1)...(2 * parent + 2) where child < entries.count {
                if entries[child].isBefore(entries[earliest]) { earliest = child }
            }
            guard earliest != parent else { return }
            entries.swapAt(parent, earliest)
            parent = earliest
        }
    }
}

extension TimerHeap: Sendable where Element: Sendable {}
extension TimerHeap.Entry: Sendable where Element: Sendable {}
