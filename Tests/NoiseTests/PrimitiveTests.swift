import Noise
import Testing
import Wire

@Suite struct PrimitiveTests {
    /// FIPS 180-2, appendix B.1.
    @Test func `SHA-256 of abc is the digest of the standard`() {
        let message: [UInt8] = Array("abc".utf8)
        #expect(
            Hexadecimal.encode(SHA256.hash(message.span))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `a domain is hashed before the message, its NUL included`() {
        let message: [UInt8] = Array("abc".utf8)
        let joined: [UInt8] = Array("earshot/3 room\0abc".utf8)
        #expect(SHA256.hash("earshot/3 room\0", message.span) == SHA256.hash(joined.span))
        #expect(SHA256.hash("earshot/3 room\0", message.span) != SHA256.hash("earshot/3 number\0", message.span))
    }

    /// The figures of another implementation: Python's `hashlib.blake2b(message, digest_size=16, person=purpose)`.
    @Test func `BLAKE2b with a purpose gives what others compute`() {
        let long = (0..<300).map { UInt8($0 & 255) }
        let abc: [UInt8] = Array("abc".utf8)
        #expect(Self.hexadecimal(BLAKE2b.words("earshot/3 id", abc.span)) == "166e77e7bf07d25f44c4f0302d88dbf8")
        #expect(Self.hexadecimal(BLAKE2b.words("sixteen letters.", long.span)) == "f06b263b99aeba87738232a844506f07")
        #expect(Self.hexadecimal(BLAKE2b.words("", [UInt8]().span)) == "cae66941d9efbd404e4d88758ea67670")
    }

    private static func hexadecimal(_ words: (UInt64, UInt64)) -> String {
        let bytes = [words.0, words.1].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
        return Hexadecimal.encode(bytes)
    }

    @Test func `a seed repeats numbers, bytes and keys, another seed gives others`() {
        let draw = { (seed: UInt64) in
            var randomness = Randomness.seeded(seed)
            let number = randomness.next()
            let bytes = randomness.bytes(40)
            return (number, bytes, KeyPair.generate(using: &randomness).publicKey)
        }
        #expect(draw(7) == draw(7))
        #expect(draw(7) != draw(8))
    }

    /// The published first output of SplitMix64 for the seed 0.
    @Test func `seeded numbers are those of SplitMix64`() {
        var randomness = Randomness.seeded(0)
        #expect(randomness.next() == 0xe220_a839_7b1d_cdaf)
    }
}
