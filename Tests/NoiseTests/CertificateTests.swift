import Noise
import Testing
import Wire

@Suite struct CertificateTests {
    private let serial: UInt64 = 1_700_000_000_123
    private let noise: PublicKey
    private let dm: PublicKey

    init() {
        var randomness = Randomness.seeded(60)
        noise = KeyPair.generate(using: &randomness, protection: .transient).publicKey
        dm = KeyPair.generate(using: &randomness, protection: .transient).publicKey
    }

    @Test func `a certificate is laid out as Protocol.md section 1 says`() {
        let alice = identity(61)
        let bytes = Certificate.issue(by: alice, noise: noise, dm: dm, epoch: 0x0102_0304_0506_0708, serial: serial)
            .bytes
        #expect(bytes.count == 178)
        #expect(Array(bytes[0..<2]) == [3, 0])
        #expect(Array(bytes[2..<34]) == alice.id.bytes)
        #expect(Array(bytes[34..<66]) == noise.bytes)
        #expect(Array(bytes[66..<98]) == dm.bytes)
        #expect(Array(bytes[98..<106]) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(Array(bytes[106..<114]) == [0, 0, 0x01, 0x8b, 0xcf, 0xe5, 0x68, 0x7b])
        let (signed, signature) = (Array(bytes[..<114]), Array(bytes[114...]))
        let isSigned = Identity.verify(
            signature: signature.span, domain: "earshot/3 session\0", message: signed.span, by: alice.id)
        #expect(isSigned)
    }

    @Test func `a certificate survives the wire`() throws {
        let issued = Certificate.issue(by: identity(61), noise: noise, dm: dm, epoch: 9, serial: serial)
        let read = try decode(issued.bytes)
        #expect(read == issued)
        #expect(read.identity == identity(61).id)
        #expect(read.noise == noise)
        #expect(read.dm == dm)
        #expect(read.epoch == 9)
        #expect(read.serial == serial)
    }

    @Test func `a flip of any bit is refused`() {
        let bytes = Certificate.issue(by: identity(61), noise: noise, dm: dm, epoch: 9, serial: serial).bytes
        for bit in 0..<8 * bytes.count {
            var altered = bytes
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            let expected: CertificateError = bit < 8 ? .unknownVersion : .badSignature
            #expect(throws: expected, "bit \(bit)") { try decode(altered) }
        }
    }

    @Test func `every other length is refused`() {
        let bytes = Certificate.issue(by: identity(61), noise: noise, dm: dm, epoch: 9, serial: serial).bytes
        for length in Array(0..<178) + Array(179...220) {
            let altered = Array((bytes + [UInt8](repeating: 0, count: 42)).prefix(length))
            #expect(throws: CertificateError.wrongLength) { try decode(altered) }
        }
    }

    @Test func `no key can be put under another's name`() throws {
        let alice = identity(61)
        let mallory = identity(62)
        let bytes = Certificate.issue(by: alice, noise: noise, dm: dm, epoch: 9, serial: serial).bytes
        // Mallory signs what names Alice.
        let signed = Array(bytes[..<114])
        let signature = mallory.sign(domain: "earshot/3 session\0", message: signed.span)
        #expect(throws: CertificateError.badSignature) { try decode(signed + signature) }
        // Mallory signs in his own name: a certificate, but his.
        let own = Certificate.issue(by: mallory, noise: noise, dm: dm, epoch: 9, serial: serial)
        #expect(try decode(own.bytes).identity == mallory.id)
    }

    @Test func `a signature for another purpose is no certificate`() {
        let alice = identity(61)
        let signed = Array(Certificate.issue(by: alice, noise: noise, dm: dm, epoch: 9, serial: serial).bytes[..<114])
        let signature = alice.sign(domain: "earshot/3 payload\0", message: signed.span)
        #expect(throws: CertificateError.badSignature) { try decode(signed + signature) }
    }

    @Test func `flags of a later version are ignored, their signature is not`() throws {
        let alice = identity(61)
        var signed = Array(Certificate.issue(by: alice, noise: noise, dm: dm, epoch: 9, serial: serial).bytes[..<114])
        signed[1] = 0x80
        let signature = alice.sign(domain: "earshot/3 session\0", message: signed.span)
        #expect(try decode(signed + signature).epoch == 9)
    }

    @Test func `of two runs the later epoch is better, and of one epoch the larger noise key`() {
        let alice = identity(61)
        let low = min(noise, dm)
        let high = max(noise, dm)
        let issue = { (key: PublicKey, epoch: UInt64, serial: UInt64) in
            Certificate.issue(
                by: alice, noise: key, dm: low, epoch: epoch, serial: serial)
        }
        #expect(issue(low, 2, 1).isBetter(than: issue(high, 1, 9)))
        #expect(!issue(high, 1, 9).isBetter(than: issue(low, 2, 1)))
        #expect(issue(high, 1, 1).isBetter(than: issue(low, 1, 9)))
        #expect(!issue(low, 1, 9).isBetter(than: issue(high, 1, 1)))
        // The serial decides nothing between runs; within one it tells the renewal.
        #expect(!issue(low, 1, 9).isBetter(than: issue(low, 1, 1)))
        #expect(issue(low, 1, 9).isRenewal(of: issue(low, 1, 1)))
        #expect(!issue(low, 1, 1).isRenewal(of: issue(low, 1, 9)))
        #expect(!issue(high, 1, 9).isRenewal(of: issue(low, 1, 1)))
    }

    private func identity(_ seed: UInt64) -> Identity {
        var randomness = Randomness.seeded(seed)
        return Identity.generate(using: &randomness)
    }

    @discardableResult
    private func decode(_ bytes: [UInt8]) throws -> Certificate {
        try Certificate(verifying: bytes.span)
    }
}
