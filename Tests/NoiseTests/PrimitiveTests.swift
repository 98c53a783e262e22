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
        let joined: [UInt8] = Array("earshot/1 id\0abc".utf8)
        #expect(SHA256.hash("earshot/1 id\0", message.span) == SHA256.hash(joined.span))
        #expect(SHA256.hash("earshot/1 id\0", message.span) != SHA256.hash("earshot/1 number\0", message.span))
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
