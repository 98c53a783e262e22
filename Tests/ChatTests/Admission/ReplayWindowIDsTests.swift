import Noise
import Testing
import Wire

@testable import Chat

struct HeardIDsTests {
    /// A window with its ids, and the same as an unbounded dictionary.
    private struct Pair {
        var window = SequenceWindow()
        var heard = ReplayWindowIDs()
        var all: [UInt64: UInt64] = [:]

        mutating func insert(_ sequence: UInt64) {
            guard window.insert(sequence) else { return }
            let prefix = UInt64(all.count + 1)
            all[sequence] = prefix
            heard.record(prefix, under: sequence, in: window)
        }

        var isRight: Bool {
            window.numbers.allSatisfy { window.novelty(of: $0) != .seen || heard[$0] == all[$0] }
        }
    }

    @Test(arguments: [1, 15, 187, 255, 256, 1 << 40, .max] as [UInt64])
    func `one payload costs the same under any number`(sequence: UInt64) {
        var pair = Pair()
        pair.insert(sequence)
        #expect(pair.heard.capacity == 1)
        #expect(pair.isRight)
    }

    @Test func `the table grows with the payloads, up to the window`() {
        var pair = Pair()
        let sizes = [(1, 1), (2, 2), (4, 4), (5, 8), (16, 16), (17, 32), (33, 64), (65, 128), (129, 256), (1_000, 256)]
        for (number, capacity) in sizes {
            for sequence in UInt64(900)..<UInt64(900 + number) { pair.insert(sequence) }
            #expect(pair.heard.capacity == capacity)
            #expect(pair.isRight)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `every number of the window has its id, in any order and with any gaps`(seed: UInt64) {
        var randomness = Randomness.seeded(seed)
        var pair = Pair()
        let begins: [UInt64] = [0, 1, 1 << 32, .max - 2_000]
        let begin = begins[Int(seed % 4)]
        for step in 0..<1_000 as Range<UInt64> {
            let spread = UInt64.random(in: 0...400, using: &randomness)
            pair.insert(begin + step + spread / UInt64.random(in: 1...100, using: &randomness))
            #expect(pair.isRight)
        }
    }
}
