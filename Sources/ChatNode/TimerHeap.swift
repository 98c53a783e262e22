package import Wire

/// What waits for its time, earliest first; equal deadlines in the order in which they came.
///
/// Inlinable, so that each module that keeps one has code for what it keeps instead of code for anything.
package struct TimerHeap<Element> {
    @usableFromInline package struct Entry {
        @usableFromInline let deadline: Instant
        @usableFromInline let order: UInt64
        @usableFromInline let element: Element

        @inlinable init(deadline: Instant, order: UInt64, element: Element) {
            (self.deadline, self.order, self.element) = (deadline, order, element)
        }

        @inlinable func isBefore(_ other: Entry) -> Bool {
            (deadline, order) < (other.deadline, other.order)
        }
    }

    /// A binary heap: each entry is before its two children, at `2i + 1` and `2i + 2`.
    @usableFromInline var entries: [Entry] = []
    @usableFromInline var nextOrder: UInt64 = 0

    @inlinable package init() {}

    @inlinable package var count: Int { entries.count }
    @inlinable package var isEmpty: Bool { entries.isEmpty }

    /// The earliest deadline.
    @inlinable package var nextDeadline: Instant? { entries.isEmpty ? nil : entries[0].deadline }

    /// Adds `element`, due at `deadline`, which may have passed.
    @inlinable package mutating func insert(_ element: Element, at deadline: Instant) {
        entries.append(Entry(deadline: deadline, order: nextOrder, element: element))
        nextOrder += 1
        siftUp(from: entries.count - 1)
    }

    /// Takes out all that is due at `now`, in order.
    @inlinable package mutating func removeDue(at now: Instant) -> [Element] {
        var due: [Element] = []
        while let next = nextDeadline, next <= now {
            due.append(entries[0].element)
            removeFirst()
        }
        return due
    }

    @inlinable mutating func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        siftDown()
    }

    @inlinable mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    @inlinable mutating func siftDown() {
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
