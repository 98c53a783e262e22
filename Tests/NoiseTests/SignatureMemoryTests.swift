import Testing
import Wire

@testable import Noise

/// Signatures that a simulation checks once.
@Suite struct SignatureMemoryTests {
    @Test func `a remembered signature is valid for its message, domain and signer alone`() throws {
        var randomness = Randomness.seeded(5)
        let alice = Identity.generate(using: &randomness)
        let bob = Identity.generate(using: &randomness)
        let message: [UInt8] = Array("what Alice said".utf8)
        let signature = alice.sign(domain: "earshot/test\0", message: message.span)
        func isValid(_ signature: [UInt8], _ domain: Domain, _ message: [UInt8], by signer: PeerID) -> Bool {
            SignatureMemory.verify(signature.span, domain, message.span, by: signer)
        }
        for _ in 0..<2 {
            #expect(isValid(signature, "earshot/test\0", message, by: alice.id))
            #expect(!isValid(signature, "earshot/tent\0", message, by: alice.id))
            #expect(!isValid(signature, "earshot/test\0", message, by: bob.id))
            #expect(!isValid(signature, "earshot/test\0", message + [0], by: alice.id))
            #expect(!isValid(Array(signature.dropLast()), "earshot/test\0", message, by: alice.id))
            #expect(!isValid(signature + message.prefix(1), "earshot/test\0", Array(message.dropFirst()), by: alice.id))
            for index in signature.indices {
                var altered = signature
                altered[index] ^= 1
                #expect(!isValid(altered, "earshot/test\0", message, by: alice.id))
            }
        }
    }
}
