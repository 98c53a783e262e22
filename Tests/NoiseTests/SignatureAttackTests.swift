import Noise
import Testing
import Wire

/// The order of the base point, little-endian (RFC 8032 section 5.1).
private let order: [UInt8] =
    [0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14]
    + [UInt8](repeating: 0, count: 15) + [0x10]

/// Encodings of the points whose multiples are few, the two not canonical ones included.
private let smallOrderPoints = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]

@Suite struct SignatureAttackTests {
    private let message: [UInt8] = Array("what Alice said".utf8)

    @Test func `a signature whose scalar is not reduced is refused`() {
        let (signature, alice) = signed()
        #expect(isAccepted(signature, by: alice))
        var altered = signature
        var carry = 0
        for index in order.indices {
            carry += Int(signature[32 + index]) + Int(order[index])
            altered[32 + index] = UInt8(carry & 255)
            carry >>= 8
        }
        #expect(carry == 0)
        #expect(!isAccepted(altered, by: alice))
    }

    @Test func `zeros, and any other length, are no signature`() {
        let (signature, alice) = signed()
        #expect(!isAccepted([UInt8](repeating: 0, count: 64), by: alice))
        for length in 0..<64 { #expect(!isAccepted(Array(signature.prefix(length)), by: alice)) }
        #expect(!isAccepted(signature + [0], by: alice))
    }

    /// With such a key the equation holds for the neutral point and the scalar 0 whatever the message is.
    @Test(arguments: smallOrderPoints)
    func `a key of small order signs nothing`(point: String) throws {
        let mallory = try #require(PeerID(hexadecimal: point))
        for other in smallOrderPoints {
            let signature = try #require(Hexadecimal.decode(other)) + [UInt8](repeating: 0, count: 32)
            #expect(!isAccepted(signature, by: mallory))
        }
    }

    @Test func `a flip of any bit of the signature or the signer is refused`() throws {
        let (signature, alice) = signed()
        for bit in 0..<512 {
            var altered = signature
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!isAccepted(altered, by: alice), "bit \(bit)")
        }
        for bit in 0..<256 {
            var altered = alice.bytes
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            let signer = try #require(PeerID(altered))
            #expect(!isAccepted(signature, by: signer), "bit \(bit)")
        }
    }

    @Test func `messages longer than the stack holds are signed and verified too`() {
        var randomness = Randomness.seeded(81)
        let alice = Identity.generate(using: &randomness)
        for count in [0, 1, 1_000, 1_024, 4_096, 100_000] {
            let message = randomness.bytes(count)
            let signature = alice.sign(domain: "earshot/3 payload\0", message: message.span)
            let verify = { (message: [UInt8]) in
                Identity.verify(
                    signature: signature.span, domain: "earshot/3 payload\0", message: message.span, by: alice.id)
            }
            let (same, longer) = (verify(message), verify(message + [0]))
            #expect(same)
            #expect(!longer)
        }
    }

    private func signed() -> ([UInt8], PeerID) {
        var randomness = Randomness.seeded(80)
        let alice = Identity.generate(using: &randomness)
        return (alice.sign(domain: "earshot/3 payload\0", message: message.span), alice.id)
    }

    private func isAccepted(_ signature: [UInt8], by signer: PeerID) -> Bool {
        Identity.verify(signature: signature.span, domain: "earshot/3 payload\0", message: message.span, by: signer)
    }
}
