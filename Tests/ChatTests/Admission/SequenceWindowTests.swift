import Noise
import Testing
import Wire

@testable import Chat

struct SequenceWindowTests {
    @Test func `a number is new once, in any order`() {
        var window = SequenceWindow()
        for number in [5, 3, 4, 9, 1, 7] as [UInt64] {
            #expect(window.novelty(of: number) == .new)
            window.insert(number)
            #expect(window.novelty(of: number) == .seen)
        }
        #expect(window.novelty(of: 8) == .new)
        #expect(window.novelty(of: 2) == .new)
    }

    @Test func `256 numbers are remembered and the one before them is too old`() {
        var window = SequenceWindow()
        for number in UInt64(1)...300 { window.insert(number) }
        #expect(window.novelty(of: 300 - 255) == .seen)
        #expect(window.novelty(of: 300 - 256) == .tooOld)
        #expect(window.novelty(of: 0) == .tooOld)
    }

    @Test(arguments: [255, 256, 257, 512, 1 << 40] as [UInt64])
    func `numbers that are skipped are new although their bits were used before`(step: UInt64) {
        var window = SequenceWindow()
        for number in UInt64(1)...256 { window.insert(number) }
        window.insert(256 + step)
        #expect(window.novelty(of: 256 + step) == .seen)
        #expect(window.novelty(of: 256 + step - 1) == (step == 1 ? .seen : .new))
        #expect(window.novelty(of: 256 + step - 254) == (step > 254 ? .new : .seen))
        #expect(window.novelty(of: 256) == (step < 256 ? .seen : .tooOld))
    }

    @Test func `both ends of the range are ordinary numbers`() {
        var window = SequenceWindow()
        window.insert(0)
        #expect(window.novelty(of: 0) == .seen)
        window.insert(.max)
        #expect(window.novelty(of: .max) == .seen)
        #expect(window.novelty(of: .max - 1) == .new)
        #expect(window.novelty(of: .max - 255) == .new)
        #expect(window.novelty(of: .max - 256) == .tooOld)
        window.insert(.max - 255)
        #expect(window.novelty(of: .max - 255) == .seen)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a window agrees with an unbounded set`(seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        var window = SequenceWindow()
        var heard: Set<UInt64> = []
        var newest = UInt64.random(in: 0...2_000, using: &randomness)
        for _ in 0..<3_000 {
            let jump: UInt64 = Bool.random(using: &randomness) ? 3 : 400
            let low = newest > 400 ? newest - 400 : 0
            let number = UInt64.random(in: low...newest + jump, using: &randomness)
            let expected: SequenceWindow.Novelty =
                if let top = heard.max(), number < top, top - number >= 256 { .tooOld } else if heard.contains(number) {
                    .seen
                } else {
                    .new
                }
            #expect(window.novelty(of: number) == expected)
            window.insert(number)
            if expected == .new { heard.insert(number) }
            newest = max(newest, number)
        }
    }
}
