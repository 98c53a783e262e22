import Noise
import Testing
import Wire

struct PackedTableTests {
    /// Hashes of which many are the same, and such as most keys have.
    private struct Key: Hashable {
        let number: Int
        let isCrowded: Bool

        func hash(into hasher: inout Hasher) { hasher.combine(isCrowded ? number % 3 : number) }
    }

    @Test(arguments: [false, true], 1...5 as ClosedRange<UInt64>)
    func `it agrees with a dictionary, however large it is`(isCrowded: Bool, seed: UInt64) {
        compareWithDictionary(seed: seed) { Key(number: $0, isCrowded: isCrowded) }
    }

    /// Those that follow each other, those that differ in their highest bits alone, and any.
    @Test(arguments: [{ $0 }, { $0 << 50 }, { $0 &* 0x9e37_79b9_7f4a_7c15 }] as [@Sendable (UInt64) -> UInt64])
    func `numbers are found, however they lie`(number: @Sendable (UInt64) -> UInt64) {
        compareWithDictionary(seed: 1) { number(UInt64($0)) }
    }

    private func compareWithDictionary<Key: Hashable>(seed: UInt64, key: (Int) -> Key) {
        var randomness = Randomness.seeded(seed)
        var table = PackedTable<Key, Int>()
        var model: [Key: Int] = [:]
        for step in 0..<3_000 {
            // It grows to hundreds and shrinks to few, in turn.
            let isShrinking = step / 500 % 2 == 1
            let key = key(Int.random(in: 0..<300, using: &randomness))
            if Int.random(in: 0..<10, using: &randomness) < (isShrinking ? 8 : 2) {
                #expect(table.removeValue(forKey: key) == model.removeValue(forKey: key))
            } else {
                #expect(table.updateValue(step, forKey: key) == model.updateValue(step, forKey: key))
            }
            #expect(table[key] == model[key])
            #expect(table.count == model.count)
            guard step.isMultiple(of: 50) else { continue }
            #expect(Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.value) }) == model)
            #expect(model.allSatisfy { table[$0.key] == $0.value })
        }
    }

    @Test func `an entry is changed where it is, and gone once its value is nil`() throws {
        var table = PackedTable<String, [Int]>()
        for number in 0..<20 { table["\(number)"] = [number] }
        let index = try #require(table.index(forKey: "7"))
        table.values[index].append(70)
        #expect(table["7"] == [7, 70])
        table["7"] = nil
        #expect(table["7"] == nil && table.index(forKey: "7") == nil)
        #expect(table.count == 19)
        #expect(table.keys.allSatisfy { table[$0]?.first == Int($0) })
    }

    @Test(arguments: [false, true])
    func `an emptied table is empty, and takes entries as before`(keepsCapacity: Bool) {
        var table = PackedTable<String, Int>()
        for number in 0..<50 { table["\(number)"] = number }
        table.removeAll(keepingCapacity: keepsCapacity)
        #expect(table.isEmpty)
        #expect(table["3"] == nil)
        for number in 0..<50 { table["\(number)"] = -number }
        #expect((0..<50).allSatisfy { table["\($0)"] == -$0 })
    }

    @Test func `a copy is one of its own`() {
        var table = PackedTable<String, Int>()
        for number in 0..<20 { table["\(number)"] = number }
        let copy = table
        table["1"] = 100
        table["2"] = nil
        #expect(copy["1"] == 1 && copy["2"] == 2 && copy.count == 20)
    }
}
