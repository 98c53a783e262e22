import Testing
import Wire

@Suite struct TimerHeapTests {
    @Test func `timers come out in the order of their deadlines`() {
        var heap = TimerHeap<Int64>()
        // Every residue once: 7 has no factor in common with 101.
        for step in 0..<Int64(101) { heap.insert(step * 7 % 101, at: Instant(nanoseconds: step * 7 % 101)) }
        #expect(heap.count == 101)
        #expect(heap.removeDue(at: Instant(nanoseconds: 100)) == Array(0...100))
        #expect(heap.isEmpty)
    }

    @Test func `equal deadlines come out in the order in which they came`() {
        var heap = TimerHeap<Int>()
        for number in 0..<50 { heap.insert(number, at: Instant(nanoseconds: number.isMultiple(of: 2) ? 5 : 4)) }
        let odd = Array(stride(from: 1, to: 50, by: 2))
        let even = Array(stride(from: 0, to: 50, by: 2))
        #expect(heap.removeDue(at: Instant(nanoseconds: 5)) == odd + even)
    }

    @Test func `an element that is not due stays`() {
        var heap = TimerHeap<String>()
        heap.insert("late", at: Instant(nanoseconds: 11))
        heap.insert("early", at: Instant(nanoseconds: 10))
        #expect(heap.nextDeadline == Instant(nanoseconds: 10))
        #expect(heap.removeDue(at: Instant(nanoseconds: 9)).isEmpty)
        #expect(heap.removeDue(at: Instant(nanoseconds: 10)) == ["early"])
        #expect(heap.nextDeadline == Instant(nanoseconds: 11))
        #expect(heap.removeDue(at: Instant(nanoseconds: 11)) == ["late"])
        #expect(heap.nextDeadline == nil)
    }

    private final class Kept {}

    @Test func `a removed element is not kept, and its place goes to the next one`() {
        var heap = TimerHeap<Kept>()
        weak var early: Kept?
        weak var late: Kept?
        do {
            let (first, second) = (Kept(), Kept())
            (early, late) = (first, second)
            heap.insert(second, at: Instant(nanoseconds: 2))
            heap.insert(first, at: Instant(nanoseconds: 1))
        }
        #expect(heap.removeDue(at: Instant(nanoseconds: 1)).count == 1)
        #expect(early == nil && late != nil)
        let last = Kept()
        heap.insert(last, at: Instant(nanoseconds: 1))
        #expect(heap.removeDue(at: Instant(nanoseconds: 1)).first === last)
        #expect(late != nil && heap.count == 1)
    }

    @Test func `a census of tables finds one table with as many entries as there are timers`() {
        var heap = TimerHeap<String>()
        for number in 0..<5 { heap.insert("\(number)", at: Instant(nanoseconds: Int64(number))) }
        _ = heap.removeDue(at: Instant(nanoseconds: 1))
        let parts = Mirror(reflecting: heap).children.map { ($0.label, Mirror(reflecting: $0.value).children.count) }
        #expect(parts.count == 1)
        #expect(parts.first?.0 == "entries" && parts.first?.1 == 3)
    }

    @Test func `a mixture of insertions and removals agrees with a sorted list`() {
        var heap = TimerHeap<Int>()
        var list: [(deadline: Int64, number: Int)] = []
        var state: UInt64 = 42
        for number in 0..<2_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let deadline = Int64(state >> 40) % 500 + Int64(number) / 4
            heap.insert(number, at: Instant(nanoseconds: deadline))
            list.append((deadline, number))
            guard number.isMultiple(of: 9) else { continue }
            let now = Int64(number) / 4 + 100
            let due = list.filter { $0.deadline <= now }.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }
            list.removeAll { $0.deadline <= now }
            #expect(heap.removeDue(at: Instant(nanoseconds: now)) == due.map(\.number))
            #expect(heap.count == list.count)
        }
    }
}
