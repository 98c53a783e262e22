import Noise
import Testing
import Wire

@testable import Chat

struct BoundedTableTests {
    @Test func `the oldest of the seen ids is evicted first`() {
        var seen = SeenMessages(capacity: 3)
        for number in 1...3 as ClosedRange<UInt64> { seen.insert(.numbered(number)) }
        seen.insert(.numbered(1))
        #expect(seen.contains(.numbered(1)))
        seen.insert(.numbered(4))
        #expect(!seen.contains(.numbered(1)))
        #expect([2, 3, 4].allSatisfy { seen.contains(.numbered($0)) })
    }

    @Test func `seen ids agree with a list that evicts from its front`() {
        var randomness = Randomness.seeded(1)
        var seen = SeenMessages(capacity: 16)
        var list: [UInt64] = []
        for _ in 0..<2_000 {
            let number = UInt64.random(in: 0..<40, using: &randomness)
            #expect(seen.contains(.numbered(number)) == list.contains(number))
            seen.insert(.numbered(number))
            if !list.contains(number) { list = (list + [number]).suffix(16) }
        }
    }

    @Test func `16,384 seen ids are remembered`() {
        var seen = SeenMessages()
        for number in 0..<17_000 as Range<UInt64> { seen.insert(.numbered(number)) }
        #expect((0..<17_000).count { seen.contains(.numbered($0)) } == 16_384)
        #expect(seen.contains(.numbered(616)) && !seen.contains(.numbered(615)))
    }

    @Test func `a table changes the entry of the key, whichever entry was changed before`() {
        var randomness = Randomness.seeded(1)
        var table = RecentTable<Int, Int>(capacity: 16)
        var counts: [Int: Int] = [:]
        // So few keys are never evicted, though halves come and go.
        for step in 0..<5_000 {
            let key = Int.random(in: 0..<8, using: &randomness)
            counts[key, default: 0] += 1
            table.update(key, orNew: { 0 }) { $0 += 1 }
            if step.isMultiple(of: 7) { table.set(counts[key] ?? 0, for: key) }
            table.update(key + 100) { $0 = -1 }
            #expect((0..<8).allSatisfy { table[$0] == counts[$0] })
        }
    }

    @Test func `an entry that was changed last is changed in a copy of the table alone`() {
        var table = RecentTable<Int, Int>(capacity: 16)
        table.set(1, for: 1)
        table.update(1) { $0 += 1 }
        var copy = table
        copy.set(5, for: 2)
        copy.update(1) { $0 += 1 }
        table.update(1) { $0 += 10 }
        #expect(table[1] == 12 && copy[1] == 3)
    }

    @Test func `a table never holds more than its capacity and always the latest half`() {
        var table = RecentTable<Int, Int>(capacity: 10)
        for key in 0..<1_000 {
            table.set(key * 2, for: key)
            #expect(table.count <= 10)
            for recent in max(0, key - 4)...key { #expect(table[recent] == recent * 2) }
        }
        #expect(table[900] == nil)
    }

    @Test func `an entry is changed where it is, in either half, and a new one is kept unless the change fails`() {
        struct Refusal: Error {}
        var table = RecentTable<Int, Int>(capacity: 4)
        for key in 0..<3 { table.update(key, orNew: { 10 }) { $0 += key } }
        #expect([0, 1, 2].map { table[$0] } == [10, 11, 12])
        table.update(0, orNew: { 99 }) { $0 += 1 }
        #expect(table[0] == 11)
        #expect(throws: Refusal.self) { try table.update(7, orNew: { 0 }) { _ in throw Refusal() } }
        #expect(table[7] == nil)
    }

    @Test func `a key that is written again and again stays`() {
        var table = RecentTable<Int, Int>(capacity: 8)
        for key in 1..<500 {
            table.set(key, for: 0)
            table.set(key, for: key)
            #expect(table[0] == key)
        }
    }
}
