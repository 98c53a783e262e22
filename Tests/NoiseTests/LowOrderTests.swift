import Testing
import Wire

@testable import Noise

/// Points whose agreement with any key is public.
private let lowOrderPoints: [[UInt8]] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
].flatMap { text -> [[UInt8]] in
    // The highest bit is ignored, so each point has a second encoding.
    let point = Hexadecimal.decode(text) ?? []
    return [point, point.dropLast() + [(point.last ?? 0) | 0x80]]
}

@Suite struct LowOrderTests {
    @Test func `there are seven points in two encodings`() {
        #expect(Set(lowOrderPoints).count == 14)
        #expect(lowOrderPoints.allSatisfy { $0.count == 32 })
    }

    @Test(arguments: lowOrderPoints)
    func `a low-order ephemeral key is refused by either side`(point: [UInt8]) {
        var duo = Duo(seed: 30)
        var forger = Forger(seed: 35)
        let bob = refusal { () throws(NoiseError) in
            try duo.bob.read(forger.begin(claiming: PublicKey(point.span)))
            _ = try duo.bob.write()
        }
        #expect(bob == .invalidKey)
        let alice = refusal { () throws(NoiseError) in
            _ = try duo.alice.write()
            try duo.alice.read(point + [UInt8](repeating: 0, count: 64))
        }
        #expect(alice == .invalidKey)
    }

    @Test(arguments: lowOrderPoints)
    func `a low-order static key is refused by either side`(point: [UInt8]) {
        var duo = Duo(seed: 31)
        var answering = Forger(seed: 32)
        let alice = refusal { () throws(NoiseError) in
            let message = try answering.answer(to: duo.alice.write(), claiming: point) { _ in Secret(count: 32) }
            try duo.alice.read(message)
        }
        #expect(alice == .invalidKey)
        var calling = Forger(seed: 33)
        let bob = refusal { () throws(NoiseError) in
            try duo.bob.read(calling.begin())
            let second = try duo.bob.write()
            try duo.bob.read(calling.conclude(after: second, claiming: point) { _ in Secret(count: 32) })
        }
        #expect(bob == .invalidKey)
    }

    @Test(arguments: lowOrderPoints)
    func `nothing is sealed to or opened from a low-order key`(point: [UInt8]) throws {
        var randomness = Randomness.seeded(34)
        let key = KeyPair.generate(using: &randomness)
        let decoded = PublicKey(point.span)
        let recipient = try #require(decoded)
        let nothing: [UInt8] = []
        let message = point + [UInt8](repeating: 0, count: 16)
        let sealing = refusal { () throws(NoiseError) in
            _ = try SealedBox.seal(to: recipient, prologue: [], plaintext: nothing.span, using: &randomness)
        }
        #expect(sealing == .invalidKey)
        let opening = refusal { () throws(NoiseError) in
            _ = try SealedBox.open(with: key, prologue: [], message: message.span)
        }
        #expect(opening == .invalidKey)
    }
}
