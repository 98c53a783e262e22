import Testing
import Wire

@testable import Noise

@Suite struct SessionTests {
    private let small = [UInt8](repeating: 42, count: Limits.recordPlaintexts[0])

    @Test func `records of every size pass both ways`() throws {
        var line = Line(seed: 40)
        for count in Array(0...80) + Limits.recordPlaintexts + [65_519] {
            let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            #expect(try line.bob.open(line.alice.seal(plaintext)) == plaintext)
            #expect(try line.alice.open(line.bob.seal(plaintext)) == plaintext)
        }
    }

    @Test func `a record is appended as its length and its ciphertext`() throws {
        var line = Line(seed: 41)
        var output: [UInt8] = [1, 2, 3]
        try line.alice.seal(small.span, appendingTo: &output)
        #expect(output.count == 3 + 2 + 528)
        #expect(Array(output.prefix(5)) == [1, 2, 3, 2, 16])
        #expect(try line.bob.open(Array(output.dropFirst(5))) == small)
    }

    @Test func `the content of a buffer is replaced, and gone if the record is not genuine`() throws {
        var line = Line(seed: 42)
        let first = try line.alice.seal([9, 8, 7])
        let second = try line.alice.seal([6, 5])
        var buffer: [UInt8] = [1, 2, 3, 4]
        try line.bob.open(first.span, into: &buffer)
        #expect(buffer == [9, 8, 7])
        let error = refusal { () throws(NoiseError) in
            let altered = second.map { $0 ^ 1 }
            try line.bob.open(altered.span, into: &buffer)
        }
        #expect(error == .decryptionFailed)
        #expect(buffer.isEmpty)
    }

    @Test func `after an error nothing is sealed or opened any more`() throws {
        var line = Line(seed: 43)
        let genuine = try line.alice.seal(small)
        #expect(refusal { () throws(NoiseError) in try line.bob.open([1, 2, 3]) } == .messageTooShort)
        #expect(refusal { () throws(NoiseError) in try line.bob.open(genuine) } == .dead)
        #expect(refusal { () throws(NoiseError) in _ = try line.bob.seal([]) } == .dead)
    }

    @Test func `a plaintext beyond what Noise allows is refused and leaves no trace`() {
        var line = Line(seed: 44)
        var output: [UInt8] = [1]
        let plaintext = [UInt8](repeating: 0, count: 65_520)
        let error = refusal { () throws(NoiseError) in try line.alice.seal(plaintext.span, appendingTo: &output) }
        #expect(error == .messageTooLong)
        #expect(output == [1])
        #expect(refusal { () throws(NoiseError) in _ = try line.alice.seal([]) } == .dead)
    }

    @Test func `both directions change their key after every 256 records, apart from each other`() throws {
        var randomness = Randomness.seeded(45)
        let key = randomness.bytes(32)
        var line = Line(
            alice: Session(sending: cipher(key), receiving: cipher(key, 256)),
            bob: Session(sending: cipher(key, 256), receiving: cipher(key)))
        for _ in 0..<256 { #expect(try line.bob.open(line.alice.seal(small)) == small) }
        let under = try ciphertext(key, 256)
        let next = try ciphertext([UInt8](copying: Sodium.rekey(Secret(copying: key)).span), 256)
        let sent = try line.alice.seal(small)
        #expect(sent == next)
        #expect(sent != under)
        #expect(try line.bob.open(sent) == small)
        // The other direction began at 256 and has sealed nothing: it still has its first key.
        #expect(try line.bob.seal(small) == under)
    }

    @Test func `sessions go on over several changes of key`() throws {
        var line = Line(seed: 46)
        for number in 0..<1_200 {
            let plaintext = bytes(of: number)
            #expect(try line.bob.open(line.alice.seal(plaintext)) == plaintext)
            if number.isMultiple(of: 3) { #expect(try line.alice.open(line.bob.seal(plaintext)) == plaintext) }
        }
    }

    @Test func `the last nonce is never used`() throws {
        var line = Line(seed: 47, nonce: .max - 1)
        #expect(try line.bob.open(line.alice.seal(small)) == small)
        #expect(refusal { () throws(NoiseError) in _ = try line.alice.seal(small) } == .nonceExhausted)
        let another = [UInt8](repeating: 0, count: 528)
        #expect(refusal { () throws(NoiseError) in try line.bob.open(another) } == .nonceExhausted)
    }

    private func bytes(of number: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(UInt64(number))
        return writer.bytes
    }

    private func cipher(_ key: [UInt8], _ nonce: UInt64 = 0) -> CipherState {
        CipherState(key: Secret(copying: key), nonce: nonce)
    }

    private func ciphertext(_ key: [UInt8], _ nonce: UInt64) throws -> [UInt8] {
        var cipher = cipher(key, nonce)
        var output: [UInt8] = []
        try cipher.seal(small.span, data: [], appendingTo: &output)
        return output
    }
}
