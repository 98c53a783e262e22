import Testing
import Wire

@testable import Noise

@Suite struct OneWayTests {
    private let prologue: [UInt8] = Array("earshot/3 dm\0somebody".utf8)
    private let text: [UInt8] = Array("meet me at the fountain".utf8)

    @Test func `only the recipient's key and the same prologue open a message`() throws {
        let bob = pair(70)
        let message = try seal(to: bob.publicKey, seed: 71)
        #expect(message.count == text.count + SealedBox.overhead)
        #expect(try open(message, with: bob, prologue) == text)
        #expect(
            refusal { () throws(NoiseError) in _ = try open(message, with: pair(72), prologue) } == .decryptionFailed)
        #expect(refusal { () throws(NoiseError) in _ = try open(message, with: pair(70), []) } == .decryptionFailed)
    }

    @Test func `a flip of any bit, every cut and an extension are refused`() throws {
        let bob = pair(70)
        let message = try seal(to: bob.publicKey, seed: 71)
        for bit in 0..<8 * message.count {
            var altered = message
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(
                refusal { () throws(NoiseError) in _ = try open(altered, with: bob, prologue) } != nil, "bit \(bit)")
        }
        for length in 0..<message.count {
            let cut = Array(message.prefix(length))
            let error = refusal { () throws(NoiseError) in _ = try open(cut, with: bob, prologue) }
            #expect(error == (length < SealedBox.overhead ? .messageTooShort : .decryptionFailed))
        }
        let error = refusal { () throws(NoiseError) in _ = try open(message + [0], with: bob, prologue) }
        #expect(error == .decryptionFailed)
    }

    @Test func `one text sealed twice has nothing in common`() throws {
        let bob = pair(70)
        let first = try seal(to: bob.publicKey, seed: 73)
        let second = try seal(to: bob.publicKey, seed: 74)
        #expect(first.prefix(32) != second.prefix(32))
        #expect(first.dropFirst(32) != second.dropFirst(32))
    }

    @Test func `a text beyond what Noise allows is refused`() {
        let bob = pair(70)
        var randomness = Randomness.seeded(75)
        let text = [UInt8](repeating: 0, count: 65_535 - SealedBox.overhead + 1)
        let error = refusal { () throws(NoiseError) in
            _ = try SealedBox.seal(to: bob.publicKey, prologue: [], plaintext: text.span, using: &randomness)
        }
        #expect(error == .messageTooLong)
    }

    private func pair(_ seed: UInt64) -> KeyPair {
        var randomness = Randomness.seeded(seed)
        return KeyPair.generate(using: &randomness, protection: .transient)
    }

    private func seal(to key: PublicKey, seed: UInt64) throws(NoiseError) -> [UInt8] {
        var randomness = Randomness.seeded(seed)
        return try SealedBox.seal(to: key, prologue: prologue, plaintext: text.span, using: &randomness)
    }

    private func open(
        _ message: [UInt8], with key: borrowing KeyPair, _ prologue: [UInt8]
    ) throws(NoiseError) -> [UInt8] {
        try SealedBox.open(with: key, prologue: prologue, message: message.span)
    }
}
