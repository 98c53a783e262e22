import Testing
import Wire

@testable import Noise

@Suite struct SessionAttackTests {
    private let plaintext = [UInt8](repeating: 42, count: Limits.recordPlaintexts[0])

    @Test func `a flip of any bit of a record is refused`() throws {
        var genuine = Line(seed: 50)
        let record = try genuine.alice.seal(plaintext)
        for bit in 0..<8 * record.count {
            var line = Line(seed: 50)
            var altered = record
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(refusal { () throws(NoiseError) in try line.bob.open(altered) } == .decryptionFailed, "bit \(bit)")
        }
        #expect(try genuine.bob.open(record) == plaintext)
    }

    @Test func `every cut and every extension of a record is refused`() throws {
        var genuine = Line(seed: 51)
        let record = try genuine.alice.seal(plaintext)
        for length in Array(0..<record.count) + [record.count + 1, record.count + 16, 65_536] {
            var line = Line(seed: 51)
            let altered = Array((record + [UInt8](repeating: 0, count: 65_536)).prefix(length))
            let error = refusal { () throws(NoiseError) in try line.bob.open(altered) }
            #expect(error == (length < 16 ? .messageTooShort : length > 65_535 ? .messageTooLong : .decryptionFailed))
        }
    }

    /// Changes of an attacker to three records of Alice, and those that Bob still reads.
    @Test(arguments: [
        ([0, 1, 2], 3), ([0, 0], 1), ([1], 0), ([0, 2], 1), ([1, 0], 0), ([0, 1, 1, 2], 2), ([0, 1, 0], 2),
    ])
    func `a record repeated, reordered or missing ends the session`(order: [Int], readable: Int) throws {
        var line = Line(seed: 52)
        let records = try [[1], [2], [3]].map { try line.alice.seal($0) }
        var heard: [[UInt8]] = []
        for (position, index) in order.enumerated() {
            let error = refusal { () throws(NoiseError) in heard.append(try line.bob.open(records[index])) }
            let expected: NoiseError? =
                position < readable ? nil : position == readable ? .decryptionFailed : .dead
            #expect(error == expected)
        }
        #expect(heard == Array([[1], [2], [3]].prefix(readable)))
    }

    @Test func `a record reflected to its writer is refused`() throws {
        var line = Line(seed: 53)
        let record = try line.alice.seal(plaintext)
        #expect(refusal { () throws(NoiseError) in try line.alice.open(record) } == .decryptionFailed)
    }

    @Test func `a record of another session between the same keys is refused`() throws {
        var first = Duo(seed: 54)
        #expect(first.shake() == nil)
        var second = Duo(seed: 55)
        #expect(second.shake() == nil)
        var line = try first.finish()
        var other = try second.finish()
        let record = try other.alice.seal(plaintext)
        #expect(refusal { () throws(NoiseError) in try line.bob.open(record) } == .decryptionFailed)
    }

    @Test func `random bytes are refused`() {
        var randomness = Randomness.seeded(56)
        for _ in 0..<2_000 {
            var line = Line(seed: 56)
            let garbage = randomness.bytes(Int.random(in: 0...600, using: &randomness))
            #expect(refusal { () throws(NoiseError) in try line.bob.open(garbage) } != nil)
        }
    }
}
