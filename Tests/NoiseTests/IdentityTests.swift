import Noise
import Testing
import Wire

@Suite struct IdentityTests {
    /// RFC 8032 7.1, test 1: its seed, and the public key it must give.
    @Test func `the first seed of RFC 8032 gives its public key`() throws {
        let seed = try #require(
            Hexadecimal.decode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
        let identity = Identity(
            seed: Secret(count: 32, protection: .transient) { bytes in
                for index in bytes.indices { bytes[index] = seed[index] }
            })
        #expect(identity.id.hexadecimal == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    }

    @Test func `a signature holds for its domain, message and signer alone`() {
        var randomness = Randomness.seeded(1)
        let alice = Identity.generate(using: &randomness)
        let bob = Identity.generate(using: &randomness)
        let message: [UInt8] = Array("hello".utf8)
        let other: [UInt8] = Array("hallo".utf8)
        let signature = alice.sign(domain: "earshot/3 payload\0", message: message.span)
        let holds = { (domain: Domain, message: [UInt8], signer: PeerID) in
            Identity.verify(signature: signature.span, domain: domain, message: message.span, by: signer)
        }
        #expect(holds("earshot/3 payload\0", message, alice.id))
        #expect(!holds("earshot/3 session\0", message, alice.id))
        #expect(!holds("earshot/3 payload\0", other, alice.id))
        #expect(!holds("earshot/3 payload\0", message, bob.id))
    }

    @Test func `an identity of the system's randomness is a new one each time`() {
        var randomness = Randomness.system
        #expect(Identity.generate(using: &randomness).id != Identity.generate(using: &randomness).id)
    }
}
