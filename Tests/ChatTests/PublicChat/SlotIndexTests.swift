import Noise
import Testing
import Wire

@testable import Chat

struct SlotIndexTests {
    /// Keys that all begin at the same place, consecutive keys, and scattered keys.
    @Test(arguments: [{ $0 << 32 }, { $0 }, { $0 &* 0x9e37_79b9_7f4a_7c15 }] as [@Sendable (UInt64) -> UInt64])
    func `the index agrees with a dictionary for any keys`(key: @Sendable (UInt64) -> UInt64) {
        var randomness = Randomness.seeded(3)
        var index = SlotIndex(slots: 20)
        var slots: [UInt64: Int] = [:]
        for _ in 0..<5_000 {
            let key = key(UInt64.random(in: 0..<40, using: &randomness))
            if let slot = slots.removeValue(forKey: key) {
                index.remove(slot)
            } else if let free = (0..<20).first(where: { !slots.values.contains($0) }) {
                slots[key] = free
                index.insert(free, key: key)
            }
            for number in 0..<40 as Range<UInt64> { #expect(index.slot(of: number << 32) == slots[number << 32]) }
            #expect(index.slot(of: key) == slots[key])
        }
    }

    @Test func `of two slots with one key the matching one is found, and each is removed alone`() {
        var index = SlotIndex(slots: 4)
        index.insert(0, key: 7)
        index.insert(3, key: 7)
        #expect(index.slot(of: 7) { $0 == 3 } == 3)
        index.remove(0)
        #expect(index.slot(of: 7) == 3)
        index.remove(0)
        #expect(index.slot(of: 7) == 3)
        #expect(index.slot(of: 8) == nil)
    }
}
