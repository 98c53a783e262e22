import Testing
import Wire

@testable import Noise

/// Alice's static secret is stolen, Bob's is not: no attacker may be Bob to her, on either side of the handshake
/// (key-compromise impersonation). The thief mixes the best he has, the agreement of her secret and Bob's public key.
@Suite struct ImpersonationTests {
    private let alice: StaticKey
    private let bob: StaticKey

    init() {
        var randomness = Randomness.seeded(20)
        alice = StaticKey(KeyPair.generate(using: &randomness, protection: .transient))
        bob = StaticKey(KeyPair.generate(using: &randomness, protection: .transient))
    }

    @Test func `the thief of a caller's key can not answer her under another's name`() {
        #expect(answerAlice(as: .thief) == .decryptionFailed)
        // Bob himself, by the same hand-written message, is believed.
        #expect(answerAlice(as: .bob) == nil)
    }

    @Test func `the thief of an answerer's key can not call her under another's name`() {
        #expect(callAlice(as: .thief) == .decryptionFailed)
        #expect(callAlice(as: .bob) == nil)
    }

    private enum Claimant {
        case thief
        case bob
    }

    private func agreement(_ claimant: Claimant, _ ephemeral: PublicKey) throws(NoiseError) -> Secret {
        switch claimant {
        case .thief: try alice.pair.agree(with: bob.publicKey)
        case .bob: try bob.pair.agree(with: ephemeral)
        }
    }

    private func answerAlice(as claimant: Claimant) -> NoiseError? {
        var randomness = Randomness.seeded(21)
        var handshake = Handshake(
            role: .initiator, prologue: Duo.prologue, room: Duo.room, key: alice, using: &randomness)
        var forger = Forger(seed: 22)
        return refusal { () throws(NoiseError) in
            let message = try forger.answer(to: handshake.write(), claiming: bob.publicKey.bytes) {
                remote throws(NoiseError) in try agreement(claimant, remote)
            }
            try handshake.read(message)
        }
    }

    private func callAlice(as claimant: Claimant) -> NoiseError? {
        var randomness = Randomness.seeded(23)
        var handshake = Handshake(
            role: .responder, prologue: Duo.prologue, room: Duo.room, key: alice, using: &randomness)
        var forger = Forger(seed: 24)
        return refusal { () throws(NoiseError) in
            try handshake.read(forger.begin())
            let second = try handshake.write()
            let third = try forger.conclude(after: second, claiming: bob.publicKey.bytes) {
                remote throws(NoiseError) in try agreement(claimant, remote)
            }
            try handshake.read(third)
        }
    }
}
